import type { Readable } from "node:stream";
import { cleanRelativePath, OctavoError } from "@octavo/site/core";

export interface StoredFile {
  readonly bytes: number;
  /**
   * When these bytes were stored, for display. From the storage's own clock: use the database to decide whether a file
   * is old.
   */
  readonly modifiedAt: Date;
}

/** Bytes from `start` to `end`, both inclusive, as in an HTTP Range. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Properties of the response to a direct link. */
export interface DirectLinkOptions {
  /** Must not need quoting in a header. */
  readonly fileName: string;
  readonly contentType: string;
  /** The number of seconds in which a download can begin. */
  readonly seconds: number;
}

/**
 * Stores finished files by keys with forward slashes, such as `bundles/<sha256>.tar.gz`. A key always names the same
 * bytes (it contains their hash), so storing it again does not change them. Every method throws `invalid_input` for a
 * key that is empty or points outside the storage.
 */
export interface Storage {
  /**
   * Stores the whole file or nothing: readers never see a partial file, even after a crash. When this resolves, the
   * bytes are on the disk, and `sourceFile` may have been removed. Does nothing if the key exists. The next put of the
   * same key may reuse what an interrupted one has sent.
   */
  put(key: string, sourceFile: string): Promise<void>;
  /** Returns undefined if there is no such file. */
  stat(key: string): Promise<StoredFile | undefined>;
  /**
   * Returns a stream of the bytes, or of a range within the file. Throws `not_found` before the first byte if there is
   * no such file. A file that is deleted while it is read can still be read to its end. The stream ends only after the
   * last byte, and fails otherwise.
   */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** Does nothing if there is no such file. Ends within 25 seconds, or throws. */
  delete(key: string): Promise<void>;
  /** Writes some bytes as a test. Throws `unavailable` with what to do if that fails. */
  ping(): Promise<void>;
  /** Removes the remains of unfinished puts that began before the given time. */
  removeUnfinished(before: Date): Promise<void>;
  /**
   * Creates a URL from which anyone can GET the file for `seconds` without the service. Other methods are not allowed.
   * Undefined if the storage does not support it.
   */
  readonly directLink: ((key: string, options: DirectLinkOptions) => Promise<string>) | undefined;
}

/** Throws `invalid_input` for a key that is empty, points outside the storage, or is not in its canonical form. */
export function requireStorageKey(key: string): void {
  if (key !== "" && cleanRelativePath(key) === key && !key.startsWith(".")) return;
  throw new OctavoError("invalid_input", `${JSON.stringify(key)} is not a storage key.`);
}
