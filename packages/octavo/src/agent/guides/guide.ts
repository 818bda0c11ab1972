/** A text in which a repository says how to work on it, for people or for agents. */
export interface Guide {
  /** From the repository's root. */
  readonly path: string;
  /** The whole text; of an editor's rule without its head. */
  readonly text: string;
  /** The part of it that concerns documentation: all, some sections, or nothing (empty). */
  readonly excerpt: string;
  /** The folder, from the repository's root, for whose files it is; absent if it is for all of the site. */
  readonly folder?: string;
}
