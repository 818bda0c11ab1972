import type { Readable } from "node:stream";

export interface StoredFile {
  readonly bytes: number;
  readonly modifiedAt: Date;
}

/** Bytes from `start` to `end`, both inclusive, as in an HTTP Range. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Stores finished files, by a key with forward slashes such as `bundles/<sha256>.tar.gz`. A key always
 * names the same bytes (it contains their hash), so putting it again changes no byte.
 * Every method throws `invalid_input` for a key that is empty or points outside the storage.
 */
export interface Storage {
  /**
   * Stores the whole file or nothing: no reader ever sees a part of it, even after a crash. When this
   * resolves, the bytes are on the disk, and `sourceFile` may be gone. `modifiedAt` becomes the time of
   * the latest put, so that retention keeps a file that was just requested again.
   */
  put(key: string, sourceFile: string): Promise<void>;
  /** Undefined if there is no such file. */
  stat(key: string): Promise<StoredFile | undefined>;
  /**
   * A stream of the bytes, or of a range within the file. Throws `not_found` before the first byte if
   * there is no such file; a file that is deleted during the read is still read to its end.
   */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** Does nothing if there is no such file. */
  delete(key: string): Promise<void>;
  /** Throws `unavailable` if files cannot be written. */
  ping(): Promise<void>;
}
