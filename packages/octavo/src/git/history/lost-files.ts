import { isInDirectory } from "./history-reader.ts";
import type { HistoryReader, PastCommit } from "./history-reader.ts";
import type { Departure } from "./renames.ts";

/** A file that was there once. */
export interface LostFile {
  /** The commit that took it away. */
  readonly at: PastCommit;
  /** Where it is by now, followed over later renames; undefined where it was deleted. */
  readonly renamedTo?: string;
  /** How much of it was left as it was in the renames on the way, from 0 to 1; 1 where it was deleted. */
  readonly similarity: number;
  /** Where most of its text is by now, of a page that was deleted. */
  readonly mergedInto?: string;
}

/** By path: every file that a commit renamed or deleted and that is not there any more. */
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
  // Newest first: where a renamed file went after that is known already.
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

/** A path of the repository as it is called by now; undefined where it is gone, or not of the directory. */
export function currentPath(
  path: string,
  { prefix }: Pick<HistoryReader, "prefix">,
  lost: ReadonlyMap<string, LostFile>,
): string | undefined {
  if (!isInDirectory(path, prefix)) return undefined;
  const own = path.slice(prefix.length);
  const went = lost.get(own);
  return went === undefined ? own : went.renamedTo;
}
