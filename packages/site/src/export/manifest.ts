import { bisect, compareCodeUnits } from "../core/index.ts";
import type { FileStat } from "../core/index.ts";

/** A record of the files that an export wrote to a folder. */
export interface Manifest {
  readonly files: ManifestFiles;
  /**
   * The stats of folders that contain only these files and their parent folders. A stat that has not changed shows that
   * nothing was added to the folder or removed from it. Folders that changed shortly before the manifest was written
   * are not included.
   */
  readonly folders: ReadonlyMap<string, FileStat>;
}

/** Files by number, in columns: in a large bundle, one object per file costs more than reading each file's stat. */
export interface ManifestFiles {
  /** Sorted by code units. */
  readonly paths: readonly string[];
  /** Fingerprints of the files; empty for files that consist of parts. */
  readonly fingerprints: readonly string[];
  /** Four numbers for each file: its stat after it was written. */
  readonly stats: Float64Array;
  /** Parts of the files that consist of parts, by file number. */
  readonly parts: ReadonlyMap<number, readonly ManifestPart[]>;
}

/** A written file, without its path. */
export interface WrittenFile {
  /** Undefined if unknown; each export then writes the file. */
  readonly fingerprint?: string | undefined;
  /** Undefined unless the file consists of parts. */
  readonly parts?: readonly ManifestPart[] | undefined;
}

export type ManifestPart = readonly [fingerprint: string, bytes: number];

export const emptyManifest: Manifest = {
  files: { paths: [], fingerprints: [], stats: new Float64Array(), parts: new Map() },
  folders: new Map(),
};

/**
 * Merges the files of an earlier manifest that are kept, given by number, with the written files and their current
 * stats. Nearly all files of a large bundle are kept, so they are copied in runs rather than one by one.
 */
export function joinManifestFiles(
  earlier: ManifestFiles,
  unchangedFlags: Uint8Array,
  written: ReadonlyMap<string, WrittenFile & { readonly stat: FileStat }>,
): ManifestFiles {
  const [pathRuns, fingerprintRuns]: [string[][], string[][]] = [[], []];
  const stats = new Float64Array(4 * (unchangedFlags.length + written.size));
  const parts = new Map<number, readonly ManifestPart[]>();
  let count = 0;
  let number = 0;
  function addRun(from: number, to: number): void {
    pathRuns.push(earlier.paths.slice(from, to));
    fingerprintRuns.push(earlier.fingerprints.slice(from, to));
    stats.set(earlier.stats.subarray(4 * from, 4 * to), 4 * count);
    count += to - from;
  }
  function addUnchanged(end: number): void {
    while (number < end) {
      const from = findFlag(unchangedFlags, 1, [number, end]);
      number = findFlag(unchangedFlags, 0, [from, end]);
      addRun(from, number);
    }
  }
  const sorted = [...written].toSorted(([one], [other]) => compareCodeUnits(one, other));
  for (const [path, { fingerprint, parts: ownParts, stat }] of sorted) {
    if ((fingerprint ?? ownParts) === undefined) continue;
    const isBefore = (at: number) => (earlier.paths[at] ?? "") < path;
    addUnchanged(bisect(number, unchangedFlags.length, isBefore));
    if (ownParts) parts.set(count, ownParts);
    stats.set(stat, 4 * count);
    pathRuns.push([path]);
    fingerprintRuns.push([fingerprint ?? ""]);
    count += 1;
  }
  addUnchanged(unchangedFlags.length);
  const paths = pathRuns.flat();
  for (const [file, ownParts] of earlier.parts) {
    const path = earlier.paths[file] ?? "";
    const isBefore = (at: number) => (paths[at] ?? "") < path;
    if (unchangedFlags[file] === 1) parts.set(bisect(0, count, isBefore), ownParts);
  }
  return {
    paths,
    fingerprints: fingerprintRuns.flat(),
    stats: stats.subarray(0, 4 * count),
    parts,
  };
}

/** Returns the first position in the range that has the flag, or the end of the range if no position has it. */
function findFlag(flags: Uint8Array, flag: 0 | 1, [from, to]: readonly [number, number]): number {
  const at = flags.subarray(from, to).indexOf(flag);
  return at === -1 ? to : from + at;
}
