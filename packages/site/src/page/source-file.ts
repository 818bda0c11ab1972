import type { Program } from "acorn";
import type { RawNode } from "./raw-node.ts";

/** A parsed file of the site: a page, a snippet, or a file of components. */
export interface SourceFile {
  /** The path relative to the site's folder. */
  readonly path: string;
  /** The text to which the offsets of nodes refer. It still contains marks. */
  readonly text: string;
  readonly nodes: readonly RawNode[];
  /** The ESM blocks in order. */
  readonly modules: readonly Program[];
  readonly imports: readonly ImportBinding[];
  /** The text of the modules. */
  readonly script: string;
  /** The authored ids of headings, by 1-based line. */
  readonly headingIds: ReadonlyMap<number, string>;
  /** Ranges that were replaced with spaces, as start, end, start, end, ... */
  readonly blanks: readonly number[];
}

/** A file that a page includes, but that was not read. */
export class UnreadFile {
  /** A sentence that names the file. */
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** The files that a page includes, by path. */
export type IncludedFiles = ReadonlyMap<string, SourceFile | UnreadFile>;

/** Returns the first of the files that `candidates` may mean. */
export function findIncludedFile(
  candidates: readonly string[],
  files: IncludedFiles,
): SourceFile | UnreadFile | undefined {
  const path = candidates.find((candidate) => files.has(candidate));
  return path === undefined ? undefined : files.get(path);
}

export interface ImportBinding {
  readonly local: string;
  /** `default`, `*` or the exported name. */
  readonly imported: string;
  readonly specifier: string;
  /** The possible paths of the file, relative to the site's folder, most likely first. Empty for a package. */
  readonly candidates: readonly string[];
}
