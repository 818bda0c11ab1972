/** A text of a file. */
export interface Statement {
  /** Relative to the site's folder. */
  readonly file: string;
  readonly text: string | RegExp;
}

/** A real change of a site as a task: the site before it, a prompt as a person would write it, and what is right. */
export interface TaskCase {
  readonly name: string;
  readonly site: string;
  /**
   * Words of the subject of one commit, in which a person made the change. The agent starts at its parent. Histories
   * that were filtered have other hashes.
   */
  readonly change: string;
  readonly prompt: string;
  /** Texts that the site must have at the end. */
  readonly stands: readonly Statement[];
  /** Texts that the site had, and must not have at the end. */
  readonly gone?: readonly Statement[];
  /** False or unwanted texts that the site did not have. */
  readonly never?: readonly Statement[];
  /** Files that may change besides those of the statements. */
  readonly mayChange?: readonly string[];
}

export function hasText(content: string, { text }: Statement): boolean {
  return typeof text === "string" ? content.includes(text) : text.test(content);
}

/** The files that a task allows to change. */
export function listAllowedFiles(task: TaskCase): ReadonlySet<string> {
  const { stands, gone = [], never = [], mayChange = [] } = task;
  return new Set([...[...stands, ...gone, ...never].map(({ file }) => file), ...mayChange]);
}
