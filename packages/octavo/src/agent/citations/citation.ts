/** A place in a source where the words that it is cited for were found. */
export interface Citation {
  /** The source's name in the turn. */
  readonly source: string;
  /** Its address without credentials. */
  readonly repository: string;
  /** A full commit. */
  readonly commit: string;
  /** From the repository's root. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** The last one; the same as `line` where it is one. */
  readonly endLine: number;
  /** As the lines hold them, whitespace aside. */
  readonly words: string;
}

/** `engine@1a2b3c4d5e6f:src/cli.ts:12` */
export function placeOf({ source, commit, path, line, endLine }: Citation): string {
  const lines = endLine === line ? `${line}` : `${line}-${endLine}`;
  return `${source}@${commit.slice(0, 12)}:${path}:${lines}`;
}
