import type { SourceReader } from "../../git/index.ts";

/** A read-only source repository of a project, as whoever runs the turn reaches it. */
export interface TurnSource {
  /** Its address without credentials, for people and the model. */
  readonly repository: string;
  /** Branch, tag or commit; null for the repository's default branch. */
  readonly ref: string | null;
  /** The folder that may be read; `.` for all of it. */
  readonly directory: string;
  /**
   * Reads it at the commit, or at the ref's present one where none is fixed yet. Throws `OctavoError`s whose messages
   * are for people and hold no secret.
   */
  readonly open: (commit: string | undefined, signal: AbortSignal) => Promise<SourceReader>;
}

/** A source as it is for a whole turn, whoever goes on with it. */
export interface FixedSource {
  /** By which the model, its calls and its citations name it: no other source of the turn has it. */
  readonly name: string;
  readonly repository: string;
  readonly ref: string | null;
  readonly directory: string;
  /** A full commit; null if it could not be read. */
  readonly commit: string | null;
  /** Why it could not be read; null if it could. */
  readonly error: string | null;
}

export interface OpenedSource extends FixedSource {
  /** Or why it cannot be read now. */
  readonly reader: SourceReader | string;
}
