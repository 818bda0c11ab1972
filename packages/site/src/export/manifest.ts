import { createFolderCache } from "./cache/folder-cache.ts";
import { joinTexts, splitTexts } from "./cache/columns.ts";
import { binarySearch, byCodeUnit, joinStats, statAt } from "../core/index.ts";
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

/** Manifests of the last successful exports, by folder; empty if unknown. No method throws. */
export interface ManifestCache {
  read(outDir: string): Manifest;
  write(outDir: string, manifest: Manifest): void;
}

/** A manifest as a file has it. */
interface StoredManifest extends Omit<ManifestFiles, "paths" | "fingerprints"> {
  readonly paths: string;
  readonly fingerprints: string;
  readonly folders: string;
  readonly folderStats: Float64Array;
}

/** `version` is the renderer's: other versions make other files with the same fingerprint. */
export function createManifestCache(dir: string, version: string): ManifestCache {
  const cache = createFolderCache<StoredManifest>(dir, version);
  return {
    read(outDir) {
      const stored = cache.read(outDir);
      return stored ? toManifest(stored) : emptyManifest;
    },
    write: (outDir, manifest) => cache.write(outDir, toStored(manifest)),
  };
}

function toManifest(stored: StoredManifest): Manifest {
  const { paths, fingerprints, stats, parts, folders, folderStats } = stored;
  const entries = splitTexts(folders).map((path, at) => [path, statAt(folderStats, at)] as const);
  return {
    files: { paths: splitTexts(paths), fingerprints: splitTexts(fingerprints), stats, parts },
    folders: new Map(entries),
  };
}

function toStored({ files, folders }: Manifest): StoredManifest {
  const { paths, fingerprints, stats, parts } = files;
  return {
    paths: joinTexts(paths),
    fingerprints: joinTexts(fingerprints),
    stats,
    parts,
    folders: joinTexts([...folders.keys()]),
    folderStats: joinStats([...folders.values()]),
  };
}

/** The files of an earlier manifest that were kept, by number, and those that were written, which have their stats now. */
export function joinFiles(
  earlier: ManifestFiles,
  isKept: Uint8Array,
  written: ReadonlyMap<string, WrittenFile & { readonly stat: FileStat }>,
): ManifestFiles {
  const maxCount = isKept.length + written.size;
  const [paths, fingerprints]: [string[], string[]] = [[], []];
  const stats = new Float64Array(4 * maxCount);
  const parts = new Map<number, readonly ManifestPart[]>();
  let number = 0;
  function addKept(end: number): void {
    for (; number < end; number += 1) {
      if (isKept[number] !== 1) continue;
      const own = earlier.parts.get(number);
      if (own) parts.set(paths.length, own);
      stats.set(earlier.stats.subarray(4 * number, 4 * number + 4), 4 * paths.length);
      paths.push(earlier.paths[number] ?? "");
      fingerprints.push(earlier.fingerprints[number] ?? "");
    }
  }
  const sorted = [...written].toSorted(([one], [other]) => byCodeUnit(one, other));
  for (const [path, { fingerprint, parts: own, stat }] of sorted) {
    if ((fingerprint ?? own) === undefined) continue;
    const isBefore = (at: number) => (earlier.paths[at] ?? "") < path;
    addKept(binarySearch(number, isKept.length, isBefore));
    if (own) parts.set(paths.length, own);
    stats.set(stat, 4 * paths.length);
    paths.push(path);
    fingerprints.push(fingerprint ?? "");
  }
  addKept(isKept.length);
  return { paths, fingerprints, stats: stats.subarray(0, 4 * paths.length), parts };
}
