import type { PastCommit } from "./history-reader.ts";

/** What the repository's configuration asks for changes nothing in what is listed, and runs nothing. */
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
  // Git would compare a new file with every other one, in memory: renames are found in `renames.ts`.
  "--no-renames",
  "--diff-merges=off",
  "--no-show-signature",
  "--no-notes",
  "--no-decorate",
  "--no-mailmap",
];

/** No path of a tree and no line of a diff begins with a slash, so nothing that is committed looks like this line. */
export const headFormat = "--format=/%H %cs %s";

/** `git log` with a line `readHead` reads for each commit. */
export const logHeads: readonly string[] = [...logArguments, headFormat];
/** The files of each commit, as `readLog` takes them. */
export const listFiles: readonly string[] = ["-z", "--raw", "--no-abbrev"];

/** The commit that a line of the log begins; undefined for another line. */
export function readHead(line: string): PastCommit | undefined {
  const [, commit, date, subject = ""] =
    /^\/([0-9a-f]{40,64}) (\d{4}-\d{2}-\d{2}) (.*)$/s.exec(line) ?? [];
  if (commit === undefined || date === undefined) return undefined;
  return { commit, date, subject };
}

/** A file that a commit touched. */
export interface TouchedFile {
  /** Git's letter, for a rename with how much stayed the same: `A`, `R087`. */
  readonly status: string;
  readonly path: string;
  /** Where it was renamed to. */
  readonly to?: string;
  /** The object that holds its content, before the commit or, of one that was added, after it. */
  readonly object: string;
}

export interface LoggedCommit extends PastCommit {
  readonly files: readonly TouchedFile[];
}

/** Reads what `headFormat` and `listFiles` make git write; a record that is cut off is not taken. */
export function readLog(text: string): LoggedCommit[] {
  const commits: (PastCommit & { readonly files: TouchedFile[] })[] = [];
  const fields = text.split("\0").slice(0, -1);
  for (let at = 0; at < fields.length; at++) {
    // Git ends the commit's line before the names.
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
