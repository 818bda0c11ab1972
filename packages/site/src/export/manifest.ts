import { binarySearch, byCodeUnit } from "../core/index.ts";
import type { FileStat } from "../core/index.ts";

/** What an export wrote to a folder. */
export interface Manifest {
  readonly files: ManifestFiles;
  /**
   * Folders that have only these files and the folders of these files, with their stats: as long as a folder's stat is
   * the same, nothing was added or removed. Folders that changed too shortly before are absent.
   */
  readonly folders: ReadonlyMap<string, FileStat>;
}

/** Files by number, in columns: an object for each file of a large bundle costs more than looking at the file. */
export interface ManifestFiles {
  /** Sorted by code units. */
  readonly paths: readonly string[];
  /** Those of files that consist of parts are empty. */
  readonly fingerprints: readonly string[];
  /** Four numbers for each file, as it was when it was written. */
  readonly stats: Float64Array;
  /** Of the files that consist of parts. */
  readonly parts: ReadonlyMap<number, readonly ManifestPart[]>;
}

/** A file that was written, without its path. */
export interface WrittenFile {
  /** Undefined if unknown; the file is then written each time. */
  readonly fingerprint?: string | undefined;
  /** If the file consists of parts. */
  readonly parts?: readonly ManifestPart[] | undefined;
}

export type ManifestPart = readonly [fingerprint: string, bytes: number];

export const emptyManifest: Manifest = {
  files: { paths: [], fingerprints: [], stats: new Float64Array(), parts: new Map() },
  folders: new Map(),
};

/**
 * The files of an earlier manifest that were kept, by number, and those that were written, which have their stats now.
 * Nearly all of a large bundle were kept: they are taken by runs, not one by one.
 */
export function joinFiles(
  earlier: ManifestFiles,
  isKept: Uint8Array,
  written: ReadonlyMap<string, WrittenFile & { readonly stat: FileStat }>,
): ManifestFiles {
  const [pathRuns, fingerprintRuns]: [string[][], string[][]] = [[], []];
  const stats = new Float64Array(4 * (isKept.length + written.size));
  const parts = new Map<number, readonly ManifestPart[]>();
  let count = 0;
  let number = 0;
  function addRun(from: number, to: number): void {
    pathRuns.push(earlier.paths.slice(from, to));
    fingerprintRuns.push(earlier.fingerprints.slice(from, to));
    stats.set(earlier.stats.subarray(4 * from, 4 * to), 4 * count);
    count += to - from;
  }
  function addKept(end: number): void {
    while (number < end) {
      const from = findFlag(isKept, 1, [number, end]);
      number = findFlag(isKept, 0, [from, end]);
      addRun(from, number);
    }
  }
  const sorted = [...written].toSorted(([one], [other]) => byCodeUnit(one, other));
  for (const [path, { fingerprint, parts: own, stat }] of sorted) {
    if ((fingerprint ?? own) === undefined) continue;
    const isBefore = (at: number) => (earlier.paths[at] ?? "") < path;
    addKept(binarySearch(number, isKept.length, isBefore));
    if (own) parts.set(count, own);
    stats.set(stat, 4 * count);
    pathRuns.push([path]);
    fingerprintRuns.push([fingerprint ?? ""]);
    count += 1;
  }
  addKept(isKept.length);
  const paths = pathRuns.flat();
  for (const [file, own] of earlier.parts) {
    const path = earlier.paths[file] ?? "";
    const isBefore = (at: number) => (paths[at] ?? "") < path;
    if (isKept[file] === 1) parts.set(binarySearch(0, count, isBefore), own);
  }
  return {
    paths,
    fingerprints: fingerprintRuns.flat(),
    stats: stats.subarray(0, 4 * count),
    parts,
  };
}

/** The first place that has the flag; the end of the range where none has. */
function findFlag(flags: Uint8Array, flag: 0 | 1, [from, to]: readonly [number, number]): number {
  const at = flags.subarray(from, to).indexOf(flag);
  return at === -1 ? to : from + at;
}
