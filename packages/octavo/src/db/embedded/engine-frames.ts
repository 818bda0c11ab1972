import { deserialize, serialize } from "node:v8";
import type { Duplex } from "node:stream";
import { open, realpath } from "node:fs/promises";
import { join } from "node:path";
import { OctavoError } from "@octavo/site/core";
import type { EngineFailure, EngineResult } from "./protocol.ts";

/** A request of another process to the engine. `session` identifies its transaction. */
export type EngineCall =
  | { readonly id: number; readonly kind: "script"; readonly sql: string }
  | { readonly id: number; readonly kind: "begin"; readonly session: number; readonly sql: string }
  | { readonly id: number; readonly kind: "end"; readonly session: number }
  | {
      readonly id: number;
      readonly kind: "query";
      /** Outside any transaction if absent. */
      readonly session: number | undefined;
      readonly sql: string;
      readonly parameters: readonly unknown[];
    };

export type EngineAnswer =
  | { readonly id: number; readonly result: EngineResult | undefined }
  | { readonly id: number; readonly failure: EngineFailure };

/** Longer than any statement or result of the service. */
const maxFrameBytes = 256 * 1024 * 1024;
const headBytes = 4;

interface SocketAddress extends AsyncDisposable {
  readonly path: string;
}

/** Sends a value. Values keep their types: dates, bytes, big integers. Both ends are processes of one user. */
export function sendFrame(stream: Duplex, value: EngineCall | EngineAnswer): void {
  const body = serialize(value);
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(body.length);
  stream.write(Buffer.concat([head, body]));
}

/** Calls `onFrame` with each value that `sendFrame` sent at the other end. */
export function receiveFrames(stream: Duplex, onFrame: (frame: unknown) => void): void {
  let parts: Buffer[] = [];
  let length = 0;
  // Chunks are joined only when enough of them have arrived, not each time.
  let neededBytes = headBytes;
  stream.on("data", (chunk: Buffer) => {
    parts.push(chunk);
    length += chunk.length;
    while (length >= neededBytes) {
      const received = Buffer.concat(parts);
      parts = [received];
      neededBytes = received.readUInt32BE() + headBytes;
      if (neededBytes > maxFrameBytes) stream.destroy(tooLong());
      if (length < neededBytes) return;
      const frame = received.subarray(headBytes, neededBytes);
      parts = [received.subarray(neededBytes)];
      length -= neededBytes;
      neededBytes = headBytes;
      onFrame(deserialize(frame));
    }
  });
}

function tooLong(): OctavoError {
  return new OctavoError("internal", "A message to the embedded database is too long.");
}

/**
 * Returns the address of the socket in the data folder through which other processes use the embedded database. An
 * address can have 107 bytes; on Linux, any folder fits, through its descriptor, which must stay open as long as the
 * address is used.
 */
export async function openSocketAddress(dataDir: string): Promise<SocketAddress> {
  const name = "octavo.sock";
  if (process.platform !== "linux") {
    return { path: join(await realpath(dataDir), name), async [Symbol.asyncDispose]() {} };
  }
  const folder = await open(dataDir);
  return {
    path: `/proc/self/fd/${folder.fd}/${name}`,
    [Symbol.asyncDispose]: () => folder.close(),
  };
}
