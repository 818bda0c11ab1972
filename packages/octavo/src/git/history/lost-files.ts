import { isInDirectory } from "./history-reader.ts";
import type { HistoryReader, PastCommit } from "./history-reader.ts";
import type { Departure } from "./renames.ts";

/** A file that existed at an earlier commit. */
export interface LostFile {
  /** The commit that removed the file. */
  readonly at: PastCommit;
  /** The file's current path, followed across later renames; undefined if it was deleted. */
  readonly renamedTo?: string;
  /** The share of the content that stayed the same in the renames, from 0 to 1; 1 if the file was deleted. */
  readonly similarity: number;
  /** The page that now contains most of a deleted page's text. */
  readonly mergedInto?: string;
}

/** Finds every file that a commit renamed or deleted and that no longer exists. Keyed by path. */
export async function findLostFiles(
  reader: HistoryReader,
  departures: readonly Departure[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, LostFile>> {
  const { prefix, commit } = reader;
  const where = prefix === "" ? [] : [prefix];
  const tree = ["ls-tree", "-r", "-z", "--full-tree", "--name-only", commit, "--", ...where];
  const present = new Set((await reader.readAll(tree, { signal })).split("\0"));
  const lost = new Map<string, LostFile>();
  // Newest first: the later renames of a file are known by the time an earlier one is read.
  for (const departure of departures) {
    if (present.has(departure.path) || !isInDirectory(departure.path, prefix)) continue;
    const path = departure.path.slice(prefix.length);
    if (lost.has(path)) continue;
    lost.set(path, { at: departure.at, ...whereTo(departure, { present, prefix, lost }) });
  }
  return lost;
}

function whereTo(
  { to, similarity }: Departure,
  known: {
    readonly present: ReadonlySet<string>;
    readonly prefix: string;
    readonly lost: ReadonlyMap<string, LostFile>;
  },
): Omit<LostFile, "at"> {
  if (to === undefined) return { similarity: 1 };
  const path = to.slice(known.prefix.length);
  if (known.present.has(to)) return { renamedTo: path, similarity };
  const next = known.lost.get(path);
  if (next?.renamedTo === undefined) return { similarity: 1 };
  return { renamedTo: next.renamedTo, similarity: Math.min(similarity, next.similarity) };
}

/**
 * Returns the current path of a repository's file, relative to the directory; undefined if the file was removed or is
 * now outside the directory.
 */
export function findCurrentPath(
  path: string,
  { prefix }: Pick<HistoryReader, "prefix">,
  lost: ReadonlyMap<string, LostFile>,
): string | undefined {
  if (!isInDirectory(path, prefix)) return undefined;
  const own = path.slice(prefix.length);
  const went = lost.get(own);
  return went === undefined ? own : went.renamedTo;
}
