import { createFolderCache } from "./cache/folder-cache.ts";
import { joinStats, joinTexts, splitTexts, statAt } from "./cache/columns.ts";
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

/** A manifest as a file has it: in columns. */
interface StoredManifest {
  readonly paths: string;
  /** An unknown one is empty. */
  readonly fingerprints: string;
  readonly stats: Float64Array;
  /** By the number of the file. */
  readonly parts: ReadonlyMap<number, readonly ManifestPart[]>;
  /** As for files. */
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
  const files = new Map<string, ManifestEntry>();
  const known = splitTexts(fingerprints);
  for (const [number, path] of splitTexts(paths).entries()) {
    const fingerprint = known[number] || undefined;
    files.set(path, { fingerprint, parts: parts.get(number), stat: statAt(stats, number) });
  }
  const entries = splitTexts(folders).map((path, at) => [path, statAt(folderStats, at)] as const);
  return { files, folders: new Map(entries) };
}

function toStored({ files, folders }: Manifest): StoredManifest {
  const entries = [...files].filter(([, { fingerprint, parts }]) => fingerprint ?? parts);
  const partsOf = new Map<number, readonly ManifestPart[]>();
  for (const [number, [, { parts }]] of entries.entries()) if (parts) partsOf.set(number, parts);
  return {
    paths: joinTexts(entries.map(([path]) => path)),
    fingerprints: joinTexts(entries.map(([, { fingerprint = "" }]) => fingerprint)),
    stats: joinStats(entries.map(([, { stat }]) => stat)),
    parts: partsOf,
    folders: joinTexts([...folders.keys()]),
    folderStats: joinStats([...folders.values()]),
  };
}
