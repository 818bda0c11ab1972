/** Files of an archive compressed together, apart from all others. */
export interface Block {
  readonly compressed: Uint8Array;
  /** Of what it was before. */
  readonly crc: number;
  readonly bytes: number;
}

/** Blocks by a hash of what they are made of, kept between exports. Can be lost at any time; no method throws. */
export interface KeptBlocks {
  get(key: string): Block | undefined;
  put(key: string, block: Block): void;
}
