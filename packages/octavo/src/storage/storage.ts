import type { Readable } from "node:stream";
import { cleanRelativePath, createInputError } from "@octavo/site/core";

export interface StoredFile {
  readonly bytes: number;
  /**
   * The time at which the file was stored, for display only. The time comes from the storage's own clock. Use the
   * database to decide whether a file is old.
   */
  readonly modifiedAt: Date;
}

/** A range of bytes from `start` to `end`, both inclusive as in an HTTP Range header. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The properties of a direct link and of the response to a request for it. */
export interface DirectLinkOptions {
  /** The name for the downloaded file, which must not need quoting in a header. */
  readonly fileName: string;
  readonly contentType: string;
  /** The number of seconds within which a download can begin. */
  readonly seconds: number;
}

/**
 * Stores finished files under keys with forward slashes, such as `bundles/<sha256>.tar.gz`. A key contains the hash of
 * its bytes, so it always names the same bytes, and storing a file again does not change it. Every method throws
 * `invalid_input` for a key that is empty or points outside the storage.
 */
export interface Storage {
  /**
   * Stores the whole file or nothing, so that readers never see a partial file, even after a crash. When the promise
   * resolves, the bytes are stored durably, and `sourceFile` may have been removed. Does nothing if the key exists. If
   * a put was interrupted, the next put of the same key may reuse the parts that it sent.
   */
  put(key: string, sourceFile: string): Promise<void>;
  /** Returns the properties of a file, or undefined if there is no such file. */
  stat(key: string): Promise<StoredFile | undefined>;
  /**
   * Returns a stream of the bytes or of a range within the file. Throws `not_found` before the first byte if there is
   * no such file. A file that is deleted while it is being read can still be read to its end. The stream ends only
   * after the last byte, and fails otherwise.
   */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** Deletes a file. Does nothing if there is no such file. Resolves or rejects within 25 seconds. */
  delete(key: string): Promise<void>;
  /** Writes some bytes as a test. If this fails, throws an `unavailable` error whose message states what to do. */
  ping(): Promise<void>;
  /** Removes the data of unfinished puts that began before the given time. */
  removeUnfinished(before: Date): Promise<void>;
  /**
   * Creates a URL from which anyone can GET the file for `seconds` without the service. The URL allows no other
   * methods. Returns undefined if the storage does not support such URLs.
   */
  readonly directLink: ((key: string, options: DirectLinkOptions) => Promise<string>) | undefined;
}

/** Throws `invalid_input` for a key that is empty, points outside the storage, or is not in its canonical form. */
export function requireStorageKey(key: string): void {
  if (key !== "" && cleanRelativePath(key) === key && !key.startsWith(".")) return;
  throw createInputError(`${JSON.stringify(key)} is not a storage key.`);
}
