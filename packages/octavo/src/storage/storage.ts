import type { Readable } from "node:stream";

export interface StoredFile {
  readonly bytes: number;
  readonly modifiedAt: Date;
}

/** Bytes from `start` to `end`, both included, as in an HTTP Range. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Where finished files are kept, by a key with forward slashes such as `bundles/<sha256>.tar.gz`. A
 * key names the same bytes for ever (it holds their hash), so putting it again changes no byte.
 * Every method throws `invalid_input` for a key that is empty or would leave the storage.
 */
export interface Storage {
  /**
   * Takes the file whole or not at all: no reader sees a part of it, whatever dies. When this
   * resolves, the bytes are on the disk, and `sourceFile` may be gone. `modifiedAt` is then the time
   * of the latest put, so that whoever removes old files leaves one that was just asked for again.
   */
  put(key: string, sourceFile: string): Promise<void>;
  /** Undefined where there is no such file. */
  stat(key: string): Promise<StoredFile | undefined>;
  /**
   * A stream of the bytes, or of a part that lies within the file. Throws `not_found` before any
   * byte where there is no such file; one that is deleted meanwhile is still read to its end.
   */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** Deleting what is not there does nothing. */
  delete(key: string): Promise<void>;
  /** Throws `unavailable` where files can be neither read nor written. */
  ping(): Promise<void>;
}
