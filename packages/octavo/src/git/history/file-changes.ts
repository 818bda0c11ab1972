import { diffArguments, listFiles, logHeads, readHead, readLog } from "./history-log.ts";
import { isInDirectory } from "./history-reader.ts";
import type { HistoryReader, PastCommit } from "./history-reader.ts";

export interface ChangesOptions {
  readonly limit: number;
  /** Also gives the lines that contain this text and were taken out or put in. */
  readonly lines?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface FileChanges {
  /** Newest first. */
  readonly commits: readonly FileChange[];
  /** Whether the oldest of them made the file: neither the limit nor a shallow clone hides what was before. */
  readonly isWhole: boolean;
}

/** What one commit did to a file. */
export interface FileChange extends PastCommit {
  /** The file's path until then, where the commit renamed it. */
  readonly from?: string;
  /** Places that the commit changed, with the lines that contain what was asked for. */
  readonly places?: readonly ChangedPlace[];
}

/** Lines that were taken out, and those put in their place. */
export interface ChangedPlace {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Where commits put files, as `readDepartures` has it. */
export interface RenameLookup {
  /** The path, of the repository, from which a commit brought a file; undefined where the commit made it. */
  cameFrom(commit: string, path: string): Promise<string | undefined>;
}

/** The last changes of one file, followed to its former names as far as those are in the directory. */
export async function readChanges(
  reader: HistoryReader,
  renames: RenameLookup,
  { path, limit, lines, signal }: ChangesOptions & { readonly path: string },
): Promise<FileChanges> {
  const { prefix } = reader;
  const commits: FileChange[] = [];
  const ask = { reader, lines, signal };
  let name: string | undefined = prefix + path;
  let start = reader.commit;
  while (name !== undefined && commits.length < limit) {
    const found: NamedChanges = await readUnderName(name, {
      ...ask,
      start,
      limit: limit - commits.length,
    });
    commits.push(...found.commits);
    const made = found.commits.at(-1);
    if (!found.isBeginning || made === undefined) return { commits, isWhole: false };
    const from = await renames.cameFrom(made.commit, name);
    if (from === undefined || !isInDirectory(from, prefix)) return { commits, isWhole: true };
    const places =
      lines === undefined
        ? {}
        : { places: await readMove({ from, to: name }, made.commit, { ...ask, lines }) };
    commits[commits.length - 1] = { ...made, from: from.slice(prefix.length), ...places };
    [name, start] = [from, `${made.commit}~1`];
  }
  return { commits, isWhole: false };
}

interface NamedChanges {
  readonly commits: readonly FileChange[];
  /** Whether the oldest of them put the file there. */
  readonly isBeginning: boolean;
}

interface Asked {
  readonly reader: HistoryReader;
  readonly lines: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The changes of a file up to the commit that put it under this name. */
async function readUnderName(
  name: string,
  {
    reader,
    lines,
    signal,
    start,
    limit,
  }: Asked & { readonly start: string; readonly limit: number },
): Promise<NamedChanges> {
  const scope = [`--max-count=${limit}`, start, "--", name];
  const log = readLog(await reader.readSome([...logHeads, ...listFiles, ...scope], { signal }));
  const known = log.filter(({ commit }) => !reader.shallow.has(commit));
  const end = known.findIndex(({ files }) =>
    files.some((file) => file.path === name && file.status === "A"),
  );
  const own = end === -1 ? known : known.slice(0, end + 1);
  const heads = own.map(({ commit, date, subject }): FileChange => ({ commit, date, subject }));
  if (lines === undefined || heads.length === 0) return { commits: heads, isBeginning: end !== -1 };
  const patch = await reader.readSome([...logHeads, "--patch", "--unified=0", ...scope], {
    signal,
  });
  const places = readPlaces(patch, lines);
  const commits = heads.map((head) => ({ ...head, places: places.get(head.commit) ?? [] }));
  return { commits, isBeginning: end !== -1 };
}

/** The places that a commit changed in a file that it renamed. */
async function readMove(
  { from, to }: { readonly from: string; readonly to: string },
  commit: string,
  { reader, lines, signal }: Asked & { readonly lines: string },
): Promise<readonly ChangedPlace[]> {
  const contents = [`${commit}~1:${from}`, `${commit}:${to}`];
  const patch = await reader.readSome(["diff", ...diffArguments, "--unified=0", ...contents], {
    signal,
  });
  return readPlaces(patch, lines).get("") ?? [];
}

const maxPlaces = 200;
const maxLines = 40;
const maxLineLength = 300;

/** The changed places that contain the text, by commit: empty for what `git diff` wrote. */
function readPlaces(patch: string, wanted: string): Map<string, ChangedPlace[]> {
  const places = new Map<string, ChangedPlace[]>();
  let commit = "";
  let place: { removed: string[]; added: string[] } | undefined;
  let count = 0;

  function close(): void {
    const own = place;
    place = undefined;
    if (own === undefined || count >= maxPlaces) return;
    const removed = own.removed.filter((line) => line.includes(wanted));
    const added = own.added.filter((line) => line.includes(wanted));
    if (removed.length + added.length === 0) return;
    count += 1;
    places.set(commit, [...(places.get(commit) ?? []), { removed, added }]);
  }
  for (const line of patch.split("\n")) {
    const head = readHead(line);
    const isHeader = head !== undefined || line.startsWith("diff --git ");
    if (isHeader || line.startsWith("@@")) close();
    if (head !== undefined) commit = head.commit;
    else if (line.startsWith("@@")) place = { removed: [], added: [] };
    else if (place !== undefined && !isHeader) addLine(place, line);
  }
  close();
  return places;
}

function addLine(place: { removed: string[]; added: string[] }, line: string): void {
  if (!line.startsWith("-") && !line.startsWith("+")) return;
  const into = line.startsWith("-") ? place.removed : place.added;
  if (into.length < maxLines) into.push(line.slice(1, 1 + maxLineLength));
}
