/** A bundle's archive in the storage. Its key always names the same bytes. */
export interface StoredArchive {
  readonly key: string;
  readonly format: "tar.gz" | "zip";
  readonly bytes: number;
}

/** A file in an archive. */
export interface ArchiveEntry {
  /** The unchanged path from the archive. Validate it before you use it as a path. */
  readonly path: string;
  /** The declared size. Reading throws if the content has a different size. */
  readonly bytes: number;
  /**
   * Opens the content. In a zip archive, contents can be read at any time and in any order. In a tar.gz archive, the
   * content must be read or skipped before the next file is requested.
   */
  open(): Promise<AsyncIterable<Uint8Array>>;
}
