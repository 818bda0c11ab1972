/** Files of an archive, compressed together and independently of all others. */
export interface ArchiveBlock {
  readonly compressed: Uint8Array;
  /** CRC-32 of the uncompressed bytes. */
  readonly crc: number;
  /** Number of uncompressed bytes. */
  readonly bytes: number;
}

/** Blocks by a hash of their files' paths and fingerprints. Can be lost at any time; no method throws. */
export interface BlockCache {
  /** Number of uncompressed bytes. */
  bytesOf(key: string): number | undefined;
  /** `compressed` is valid until the next call. */
  get(key: string): ArchiveBlock | undefined;
  put(key: string, block: ArchiveBlock): void;
}
