import { createFolderCache } from "./cache/folder-cache.ts";
import type { FileStat } from "../core/index.ts";

/** What an export wrote to a folder. */
export interface Manifest {
  /** By path. */
  readonly files: ReadonlyMap<string, ManifestEntry>;
  /**
   * Folders that have only these files and the folders of these files, with their stats: as long as a folder's stat is
   * the same, nothing was added or removed. Folders that changed too shortly before are absent.
   */
  readonly folders: ReadonlyMap<string, FileStat>;
}

export interface ManifestEntry {
  /** Undefined if unknown; the file is then written each time. */
  readonly fingerprint?: string | undefined;
  /** If the file consists of parts. */
  readonly parts?: readonly ManifestPart[] | undefined;
  /** Of the file when it was written. */
  readonly stat: FileStat;
}

export type ManifestPart = readonly [fingerprint: string, bytes: number];

export const emptyManifest: Manifest = { files: new Map(), folders: new Map() };

/** Manifests of the last successful exports, by folder; empty if unknown. No method throws. */
export interface ManifestCache {
  read(outDir: string): Manifest;
  write(outDir: string, manifest: Manifest): void;
}

/** A manifest as a file has it: lists, which are read in a tenth of the time that an object for each file takes. */
interface StoredManifest {
  /** Joined by `separator`; an unknown fingerprint is empty. */
  readonly paths: string;
  readonly fingerprints: string;
  /** Four numbers for each file. */
  readonly stats: Float64Array;
  /** By the number of the file. */
  readonly parts: ReadonlyMap<number, readonly ManifestPart[]>;
  /** As for files. */
  readonly folders: string;
  readonly folderStats: Float64Array;
}

/** No path contains it. */
const separator = "\0";

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
  const files = new Map<string, ManifestEntry>();
  const known = fingerprints.split(separator);
  for (const [number, path] of split(paths).entries()) {
    const fingerprint = known[number] || undefined;
    files.set(path, { fingerprint, parts: parts.get(number), stat: statAt(stats, number) });
  }
  const entries = split(folders).map((path, at) => [path, statAt(folderStats, at)] as const);
  return { files, folders: new Map(entries) };
}

function split(paths: string): readonly string[] {
  return paths === "" ? [] : paths.split(separator);
}

function statAt(stats: Float64Array, number: number): FileStat {
  const numberAt = (at: number) => stats[4 * number + at] ?? 0;
  return [numberAt(0), numberAt(1), numberAt(2), numberAt(3)];
}

function toStored({ files, folders }: Manifest): StoredManifest {
  const entries = [...files].filter(([, { fingerprint, parts }]) => fingerprint ?? parts);
  const partsOf = new Map<number, readonly ManifestPart[]>();
  for (const [number, [, { parts }]] of entries.entries()) if (parts) partsOf.set(number, parts);
  return {
    paths: entries.map(([path]) => path).join(separator),
    fingerprints: entries.map(([, { fingerprint = "" }]) => fingerprint).join(separator),
    stats: joinStats(entries.map(([, { stat }]) => stat)),
    parts: partsOf,
    folders: [...folders.keys()].join(separator),
    folderStats: joinStats([...folders.values()]),
  };
}

function joinStats(stats: readonly FileStat[]): Float64Array {
  const joined = new Float64Array(4 * stats.length);
  for (const [number, stat] of stats.entries()) joined.set(stat, 4 * number);
  return joined;
}
