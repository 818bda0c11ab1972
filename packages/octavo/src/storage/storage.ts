import type { Readable } from "node:stream";
import { cleanRelativePath, OctavoError } from "@octavo/site/core";

export interface StoredFile {
  readonly bytes: number;
  /**
   * When these bytes were stored, for readers. By the storage's own clock: whether a file is old is for the
   * database to say.
   */
  readonly modifiedAt: Date;
}

/** Bytes from `start` to `end`, both inclusive, as in an HTTP Range. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** What the response to a direct link says of the file. */
export interface DirectLinkOptions {
  /** Needs no quoting in a header. */
  readonly fileName: string;
  readonly contentType: string;
  /** How long a download can begin. */
  readonly seconds: number;
}

/**
 * Stores finished files, by a key with forward slashes such as `bundles/<sha256>.tar.gz`. A key always
 * names the same bytes (it contains their hash), so putting it again changes no byte.
 * Every method throws `invalid_input` for a key that is empty or points outside the storage.
 */
export interface Storage {
  /**
   * Stores the whole file or nothing: no reader ever sees a part of it, even after a crash. When this
   * resolves, the bytes are on the disk, and `sourceFile` may be gone. Does nothing if the key exists. What an
   * interrupted put has sent may be used by the next put of the same key.
   */
  put(key: string, sourceFile: string): Promise<void>;
  /** Undefined if there is no such file. */
  stat(key: string): Promise<StoredFile | undefined>;
  /**
   * A stream of the bytes, or of a range within the file. Throws `not_found` before the first byte if
   * there is no such file; a file that is deleted during the read is still read to its end. The stream ends
   * only after the last byte, and fails otherwise.
   */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** Does nothing if there is no such file. Ends within 25 seconds, or throws. */
  delete(key: string): Promise<void>;
  /** Writes some bytes. Throws `unavailable` with what to do if that fails. */
  ping(): Promise<void>;
  /** Removes what puts have left that began before then and did not end. */
  removeUnfinished(before: Date): Promise<void>;
  /**
   * An address from which anybody can GET the file for a while without the service; answers no other method.
   * Undefined if the storage offers none.
   */
  readonly directLink: ((key: string, options: DirectLinkOptions) => Promise<string>) | undefined;
}

/** Throws `invalid_input` for a key that is empty, points outside the storage, or has more than one spelling. */
export function requireStorageKey(key: string): void {
  if (key !== "" && cleanRelativePath(key) === key && !key.startsWith(".")) return;
  throw new OctavoError("invalid_input", `${JSON.stringify(key)} is not a storage key.`);
}
