import { Transform, pipeline } from "node:stream";
import type { Readable } from "node:stream";
import { OctavoError, isOctavoError } from "@octavo/site/core";

export interface CheckedBodyOptions {
  /** What the body has to have. */
  readonly bytes: number;
  /** The longest wait for more of it while it is read as fast as it comes. */
  readonly idleMs: number;
}

/**
 * The body of a response, which ends only if all of it came: one that is cut, too long or stalled is an error
 * `unavailable`. Destroying it closes the connection.
 */
export function checkBody(body: Readable, { bytes, idleMs }: CheckedBodyOptions): Readable {
  let received = 0;
  const checked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length;
      timer.refresh();
      if (received > bytes) done(broken(`has more than ${bytes} bytes`));
      else done(null, chunk);
    },
    flush(done) {
      done(received === bytes ? null : broken(`ended after ${received} of ${bytes} bytes`));
    },
  });
  const timer = setTimeout(function check() {
    // The reader is slow, not the storage.
    if (checked.writableNeedDrain) timer.refresh();
    else body.destroy(broken(`stalled after ${received} of ${bytes} bytes`));
  }, idleMs);
  const interrupted = (cause: Error) =>
    isOctavoError(cause) ? cause : broken(`was cut after ${received} of ${bytes} bytes`, cause);
  // Before the pipeline hands the connection's own error on.
  body.once("error", (error) => checked.destroy(interrupted(error)));
  pipeline(body, checked, () => clearTimeout(timer));
  return checked;
}

function broken(how: string, cause?: Error): OctavoError {
  return new OctavoError("unavailable", `A file from the S3 storage ${how}; try again.`, { cause });
}
