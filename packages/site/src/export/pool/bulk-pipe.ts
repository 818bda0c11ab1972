import type { ChildProcess } from "node:child_process";
import { readSync } from "node:fs";
import type { Writable } from "node:stream";

/**
 * A pipe from the process that exports to a render child, for what grows with a site. Messages would copy it several
 * times on both sides: for 52,479 pages, 26 MB, that takes 0.1 s of CPU and 100 MB of memory. What a child writes into
 * it is not read.
 */

/** The pipe's descriptor in the child: the one after those of the streams and the messages. */
export const bulkDescriptor = 4;

/** To be called for a child that was just started: one that ends reads nothing more, which its `exit` event reports. */
export function ignorePipeErrors(child: ChildProcess): void {
  pipeOf(child)?.on("error", () => {});
}

/** For the child to receive in the same order. The bytes must not change afterwards. */
export function sendBytes(child: ChildProcess, bytes: Uint8Array): void {
  const pipe = pipeOf(child);
  if (pipe?.writable) pipe.write(bytes);
}

/** In the child: waits for the next `length` bytes. Throws where the other process is gone. */
export function receiveBytes(length: number): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let end = 0; end < length;) {
    const read = readSync(bulkDescriptor, bytes, end, length - end, null);
    if (read === 0) throw new Error("The process that exports is gone.");
    end += read;
  }
  return bytes;
}

/** Undefined for a child that could not be started. */
function pipeOf({ stdio }: Partial<ChildProcess>): Writable | null | undefined {
  return stdio?.[bulkDescriptor] as Writable | null | undefined;
}
