import type { Readable } from "node:stream";

/** A file in a bundle. Read or skip its content before you request the next file. */
export interface ArchiveEntry {
  /** As in the archive: validate it before you use it as a path. */
  readonly path: string;
  /** The declared size; reading throws if the content has another. */
  readonly bytes: number;
  open(): Promise<Readable>;
}
