/** Files that follow each other in an archive, packed independently of all others. */
export interface ArchiveBlock {
  readonly content: Uint8Array;
  /** What the archive's format has to know of the content without reading it. */
  readonly facts: readonly number[];
}

/** Blocks by a hash of their files' paths and fingerprints. Can be lost at any time; no method throws. */
export interface BlockCache {
  factsOf(key: string): readonly number[] | undefined;
  /** `content` is valid until the next call. */
  get(key: string): ArchiveBlock | undefined;
  put(key: string, block: ArchiveBlock): void;
}
