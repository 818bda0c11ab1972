/** A bundle's archive in the storage. A key always names the same bytes. */
export interface StoredArchive {
  readonly key: string;
  readonly format: "tar.gz" | "zip";
  readonly bytes: number;
}

/** A file in an archive. */
export interface ArchiveEntry {
  /** As in the archive: validate it before you use it as a path. */
  readonly path: string;
  /** The declared size; reading throws if the content has another. */
  readonly bytes: number;
  /**
   * The content. Of a zip it is read by its position, at any time and in any order; of a tar.gz it is read or skipped
   * before the next file is requested.
   */
  open(): Promise<AsyncIterable<Uint8Array>>;
}
