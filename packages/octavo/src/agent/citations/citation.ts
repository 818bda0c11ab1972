/** A location in a source that contains the cited words. */
export interface Citation {
  /** The source's name in the turn. */
  readonly source: string;
  /** The source's address, without credentials. */
  readonly repository: string;
  /** A full commit hash. */
  readonly commit: string;
  /** The path from the repository's root. */
  readonly path: string;
  /** The first line, counted from 1. */
  readonly line: number;
  /** The last line; equal to `line` for a single line. */
  readonly endLine: number;
  /** The quoted words as the lines contain them, except for differences in whitespace. */
  readonly words: string;
}

/** Formats a citation: `engine@1a2b3c4d5e6f:src/cli.ts:12`. */
export function formatCitation({ source, commit, path, line, endLine }: Citation): string {
  const lines = endLine === line ? `${line}` : `${line}-${endLine}`;
  return `${source}@${commit.slice(0, 12)}:${path}:${lines}`;
}
