import type { ChildProcess } from "node:child_process";
import { readSync } from "node:fs";
import type { Writable } from "node:stream";

/**
 * A pipe from the exporting process to a render child, for data that grows with a site. Messages would copy the data
 * several times on both sides: for 52,479 pages (26 MB), that takes 0.1 s of CPU and 100 MB of memory. Data that a
 * child writes into the pipe is not read.
 */

/** The pipe's descriptor in the child: the one after those of the streams and the messages. */
export const bulkDescriptor = 4;

/**
 * Ignores errors of the pipe, because the child's `exit` event reports that it no longer reads. Must be called for each
 * child when it is started.
 */
export function ignorePipeErrors(child: ChildProcess): void {
  findPipe(child)?.on("error", () => {});
}

/** Sends bytes, which the child must receive in the same order. They must not be modified afterwards. */
export function sendBytes(child: ChildProcess, bytes: Uint8Array): void {
  const pipe = findPipe(child);
  if (pipe?.writable) pipe.write(bytes);
}

/** Waits for the next `length` bytes; for use in the child. Throws if the exporting process has exited. */
export function receiveBytes(length: number): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let end = 0; end < length;) {
    const read = readSync(bulkDescriptor, bytes, end, length - end, null);
    if (read === 0) throw new Error("The exporting process has exited.");
    end += read;
  }
  return bytes;
}

/** Returns undefined for a child that could not be started. */
function findPipe({ stdio }: Partial<ChildProcess>): Writable | null | undefined {
  return stdio?.[bulkDescriptor] as Writable | null | undefined;
}
