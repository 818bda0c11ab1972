import type { PastCommit } from "./history-reader.ts";

/** These prevent the repository's configuration from changing the listing and from running commands. */
export const diffArguments: readonly string[] = [
  "-O/dev/null",
  "--no-relative",
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--ignore-submodules=all",
];

const logArguments = [
  "log",
  ...diffArguments,
  // Git would compare each new file with every other file in memory. Renames are found in `renames.ts` instead.
  "--no-renames",
  "--diff-merges=off",
  "--no-show-signature",
  "--no-notes",
  "--no-decorate",
  "--no-mailmap",
];

/** Paths in a tree and lines of a diff never begin with a slash, so committed content cannot imitate this line. */
export const headFormat = "--format=/%H %cs %s";

/** `git log` with a line for each commit, in the format that `readHead` parses. */
export const logHeads: readonly string[] = [...logArguments, headFormat];
/** Lists the files of each commit in the format that `readLog` parses. */
export const listFiles: readonly string[] = ["-z", "--raw", "--no-abbrev"];

/** Returns the commit whose log entry begins with this line; undefined for any other line. */
export function readHead(line: string): PastCommit | undefined {
  const [, commit, date, subject = ""] =
    /^\/([0-9a-f]{40,64}) (\d{4}-\d{2}-\d{2}) (.*)$/s.exec(line) ?? [];
  if (commit === undefined || date === undefined) return undefined;
  return { commit, date, subject };
}

/** A file that a commit changed. */
export interface TouchedFile {
  /** Git's status letter, followed by the similarity if the file was renamed: `A`, `R087`. */
  readonly status: string;
  readonly path: string;
  /** The new path of a renamed file. */
  readonly to?: string;
  /** The object with the file's content before the commit, or for an added file, after it. */
  readonly object: string;
}

export interface LoggedCommit extends PastCommit {
  readonly files: readonly TouchedFile[];
}

/** Parses git's output for `headFormat` and `listFiles`. Drops a truncated record. */
export function readLog(text: string): LoggedCommit[] {
  const commits: (PastCommit & { readonly files: TouchedFile[] })[] = [];
  const fields = text.split("\0").slice(0, -1);
  for (let at = 0; at < fields.length; at++) {
    // Git puts a line break between the commit's line and the first name.
    const field = (fields[at] ?? "").replace(/^\n/, "");
    const head = readHead(field);
    if (head !== undefined) commits.push({ ...head, files: [] });
    const [, before = "", after = "", status] =
      /^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) ([A-Z]\d*)$/.exec(field) ?? [];
    if (head !== undefined || status === undefined) continue;
    const path = fields[++at];
    const to = /^[RC]/.test(status) ? fields[++at] : undefined;
    if (path === undefined) continue;
    const object = status === "A" ? after : before;
    commits.at(-1)?.files.push({ status, path, object, ...(to !== undefined && { to }) });
  }
  return commits;
}
