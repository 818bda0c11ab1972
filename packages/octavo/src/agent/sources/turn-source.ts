import type { SourceReader } from "../../git/index.ts";

/** A project's read-only source repository, as the caller of the turn accesses it. */
export interface TurnSource {
  /** The address without credentials, for people and the model. */
  readonly repository: string;
  /** The branch, tag or commit; null for the repository's default branch. */
  readonly ref: string | null;
  /** The folder that may be read; `.` for the whole repository. */
  readonly directory: string;
  /**
   * Opens a reader at the commit, or at the ref's current commit if no commit is fixed yet. Throws `OctavoError`s whose
   * messages are for people and contain no secrets.
   */
  readonly open: (commit: string | undefined, signal: AbortSignal) => Promise<SourceReader>;
}

/** A source that stays the same for the whole turn, including later runs of the turn. */
export interface FixedSource {
  /** The name by which the model, its calls and its citations refer to the source. It is unique in the turn. */
  readonly name: string;
  readonly repository: string;
  readonly ref: string | null;
  readonly directory: string;
  /** A full commit hash; null if the source could not be read. */
  readonly commit: string | null;
  /** The reason why the source could not be read; null if it was read. */
  readonly error: string | null;
}

export interface OpenedSource extends FixedSource {
  /** The reader, or the reason why the source cannot be read now. */
  readonly reader: SourceReader | string;
}

/** Returns the abbreviation that tools and citations use. */
export function shortenCommit(commit: string): string {
  return commit.slice(0, 12);
}

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
