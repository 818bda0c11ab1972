import type { Readable } from "node:stream";

/** A file of a bundle. Its content is read, or left, before the next file is asked for. */
export interface ArchivedFile {
  /** As the archive says it: not to be used as a path without a check. */
  readonly path: string;
  /** As many as are read; where an archive holds others, reading them throws. */
  readonly bytes: number;
  open(): Promise<Readable>;
}
