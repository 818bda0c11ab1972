import { diffArguments, logHeadArguments, readHead, isInDirectory } from "./history-reader.ts";
import type { HistoryReader, PastCommit } from "./history-reader.ts";

export interface ChangesOptions {
  readonly limit: number;
  /** If set, the result also includes the removed and added lines that contain this text. */
  readonly searchText?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface FileChanges {
  /** The listed commits, newest first. */
  readonly commits: readonly FileChange[];
  /**
   * Whether the oldest listed commit created the file. If so, neither the limit nor a shallow clone hides earlier
   * commits.
   */
  readonly isWhole: boolean;
}

/** A commit's change to a file. */
export interface FileChange extends PastCommit {
  /** The file's previous path, if the commit renamed it. */
  readonly from?: string;
  /** The changed ranges with lines that contain the requested text. */
  readonly hunks?: readonly ChangedLines[];
}

/**
 * Removed lines and their replacements. If a commit replaced nearly the whole file, its removed lines have no
 * replacements.
 */
export interface ChangedLines {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Looks up renames, as `readDepartures` returns them. */
interface RenameLookup {
  /** Returns the repository path from which a commit moved a file, or undefined if the commit created the file. */
  findFormerPath(commit: string, path: string): Promise<string | undefined>;
}

/** Reads the last changes of one file, including those under its former names within the directory. */
export async function readChanges(
  reader: HistoryReader,
  renames: RenameLookup,
  { path, limit, searchText, signal }: ChangesOptions & { readonly path: string },
): Promise<FileChanges> {
  const { prefix } = reader;
  const commits: FileChange[] = [];
  const query = { reader, lines: searchText, signal };
  let name: string | undefined = prefix + path;
  let start = reader.commit;
  while (name !== undefined && commits.length < limit) {
    const found: NamedChanges = await readUnderName(name, {
      ...query,
      start,
      limit: limit - commits.length,
    });
    commits.push(...found.commits);
    const creation = found.commits.at(-1);
    if (!found.isBeginning || creation === undefined) return { commits, isWhole: false };
    const from = await renames.findFormerPath(creation.commit, name);
    if (from === undefined || !isInDirectory(from, prefix)) return { commits, isWhole: true };
    const hunks =
      searchText === undefined
        ? {}
        : {
            hunks: await readMove({ from, to: name }, creation.commit, {
              ...query,
              lines: searchText,
            }),
          };
    commits[commits.length - 1] = { ...creation, from: from.slice(prefix.length), ...hunks };
    [name, start] = [from, `${creation.commit}~1`];
  }
  return { commits, isWhole: false };
}

interface NamedChanges {
  readonly commits: readonly FileChange[];
  /** Whether the oldest commit put the file at this path. */
  readonly isBeginning: boolean;
}

interface ChangesQuery {
  readonly reader: HistoryReader;
  readonly lines: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Reads the changes of a file, back to the commit that put it at this path. */
async function readUnderName(
  name: string,
  {
    reader,
    lines,
    signal,
    start,
    limit,
  }: ChangesQuery & { readonly start: string; readonly limit: number },
): Promise<NamedChanges> {
  // `--break-rewrites` keeps git from comparing the lines of two texts that share only blank lines.
  const patch = lines === undefined ? [] : ["--patch", "--unified=0", "--break-rewrites"];
  const scope = [`--max-count=${limit}`, start, "--", name];
  const output = await reader.readSome([...logHeadArguments, "--raw", ...patch, ...scope], {
    signal,
  });
  const logged = readPathLog(name, output).filter(
    ({ commit }) => !reader.shallowCommits.has(commit),
  );
  const end = logged.findIndex(({ isAdded }) => isAdded);
  const listed = end === -1 ? logged : logged.slice(0, end + 1);
  const hunks = lines === undefined ? undefined : readHunks(output, lines);
  const commits = listed.map(({ commit, date, subject }): FileChange => ({
    commit,
    date,
    subject,
    ...(hunks && { hunks: hunks.get(commit) ?? [] }),
  }));
  return { commits, isBeginning: end !== -1 };
}

/**
 * Parses git's log of one path, with or without patches: its commits, and whether they added the file. The lines of a
 * patch begin with a sign, so committed content cannot imitate other lines.
 */
function readPathLog(
  name: string,
  log: string,
): readonly (PastCommit & { readonly isAdded: boolean })[] {
  const commits: (PastCommit & { isAdded: boolean })[] = [];
  for (const line of log.split("\n")) {
    const head = readHead(line);
    if (head !== undefined) commits.push({ ...head, isAdded: false });
    const [, path] = /^:\d+ \d+ [0-9a-f.]+ [0-9a-f.]+ A\t(.*)$/.exec(line) ?? [];
    const last = commits.at(-1);
    // If the added file is below the path, the path was a folder before. Git quotes some names, but not their slashes.
    if (last && path !== undefined && countSlashes(path) === countSlashes(name))
      last.isAdded = true;
  }
  return commits;
}

function countSlashes(path: string): number {
  return path.split("/").length;
}

/** Returns the changed ranges in a file that a commit renamed. */
async function readMove(
  { from, to }: { readonly from: string; readonly to: string },
  commit: string,
  { reader, lines, signal }: ChangesQuery & { readonly lines: string },
): Promise<readonly ChangedLines[]> {
  const contents = [`${commit}~1:${from}`, `${commit}:${to}`];
  const patch = await reader.readSome(["diff", ...diffArguments, "--unified=0", ...contents], {
    signal,
  });
  return readHunks(patch, lines).get("") ?? [];
}

const maxHunks = 200;
const maxLines = 40;
const maxLineLength = 300;

/** Returns the changed ranges that contain the text, by commit. The key is empty for the output of `git diff`. */
function readHunks(patch: string, text: string): Map<string, ChangedLines[]> {
  const hunks = new Map<string, ChangedLines[]>();
  let commit = "";
  let hunk: { removed: string[]; added: string[] } | undefined;
  let isRewritten = false;
  let count = 0;

  function closeHunk(): void {
    const current = hunk;
    hunk = undefined;
    if (current === undefined || count >= maxHunks) return;
    const removed = current.removed.filter((line) => line.includes(text));
    const added = current.added.filter((line) => line.includes(text));
    const found = isRewritten ? separateLines(removed, added) : [{ removed, added }];
    const shown = found.filter((each) => each.removed.length + each.added.length > 0);
    if (shown.length === 0) return;
    count += 1;
    hunks.set(commit, [...(hunks.get(commit) ?? []), ...shown]);
  }
  for (const line of patch.split("\n")) {
    const head = readHead(line);
    const isHeader = head !== undefined || line.startsWith("diff --git ");
    if (isHeader || line.startsWith("@@")) closeHunk();
    if (isHeader) isRewritten = false;
    if (hunk === undefined && line.startsWith("dissimilarity index ")) isRewritten = true;
    if (head !== undefined) commit = head.commit;
    else if (line.startsWith("@@")) hunk = { removed: [], added: [] };
    else if (hunk !== undefined && !isHeader && (!isRewritten || line.includes(text)))
      addLine(hunk, line);
  }
  closeHunk();
  return hunks;
}

/** Returns the added and removed lines of a text that replaced another, without the lines that both contain. */
function separateLines(removed: readonly string[], added: readonly string[]): ChangedLines[] {
  const [removedSet, addedSet] = [new Set(removed), new Set(added)];
  return [
    { removed: [], added: added.filter((line) => !removedSet.has(line)) },
    { removed: removed.filter((line) => !addedSet.has(line)), added: [] },
  ];
}

function addLine(hunk: { removed: string[]; added: string[] }, line: string): void {
  if (!line.startsWith("-") && !line.startsWith("+")) return;
  const lines = line.startsWith("-") ? hunk.removed : hunk.added;
  if (lines.length < maxLines) lines.push(line.slice(1, 1 + maxLineLength));
}
