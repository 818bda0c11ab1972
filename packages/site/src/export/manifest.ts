import { createFolderCache } from "./cache/folder-cache.ts";
import type { FileStat } from "./source/file-stat.ts";

/** What an export wrote to a folder, by path. */
export type Manifest = ReadonlyMap<string, ManifestEntry>;

export interface ManifestEntry {
  /** Undefined if unknown; the file is then written each time. */
  readonly fingerprint?: string | undefined;
  /** If the file consists of parts. */
  readonly parts?: readonly ManifestPart[] | undefined;
  /** Of the file when it was written. */
  readonly stat: FileStat;
}

export type ManifestPart = readonly [fingerprint: string, bytes: number];

export const emptyManifest: Manifest = new Map();

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

function toManifest({ paths, fingerprints, stats, parts }: StoredManifest): Manifest {
  const manifest = new Map<string, ManifestEntry>();
  if (paths === "") return manifest;
  const known = fingerprints.split(separator);
  const numberAt = (at: number) => stats[at] ?? 0;
  for (const [number, path] of paths.split(separator).entries()) {
    const at = 4 * number;
    const stat = [numberAt(at), numberAt(at + 1), numberAt(at + 2), numberAt(at + 3)] as const;
    manifest.set(path, { fingerprint: known[number] || undefined, parts: parts.get(number), stat });
  }
  return manifest;
}

function toStored(manifest: Manifest): StoredManifest {
  const entries = [...manifest].filter(([, { fingerprint, parts }]) => fingerprint ?? parts);
  const stats = new Float64Array(4 * entries.length);
  const partsOf = new Map<number, readonly ManifestPart[]>();
  for (const [number, [, { stat, parts }]] of entries.entries()) {
    stats.set(stat, 4 * number);
    if (parts) partsOf.set(number, parts);
  }
  return {
    paths: entries.map(([path]) => path).join(separator),
    fingerprints: entries.map(([, { fingerprint = "" }]) => fingerprint).join(separator),
    stats,
    parts: partsOf,
  };
}
