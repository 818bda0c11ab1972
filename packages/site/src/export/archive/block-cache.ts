/** What follows in an archive without referring to anything outside it: some files, or a piece of a long one. */
export interface ArchiveBlock {
  readonly content: Uint8Array;
  /** What the archive's format has to know of the content without reading it. */
  readonly facts: readonly number[];
}

/** Blocks by a hash of what they are made of. Can be lost at any time; no method throws. */
export interface BlockCache {
  /** Of the program that packs: another one may pack the same differently. */
  readonly version: string;
  factsOf(key: string): readonly number[] | undefined;
  /** `content` is valid until the next call. */
  get(key: string): ArchiveBlock | undefined;
  /** Can be found at once. */
  put(key: string, block: ArchiveBlock): void;
}
