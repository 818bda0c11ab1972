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

/** `version` is the renderer's: other versions make other files with the same fingerprint. */
export function createManifestCache(dir: string, version: string): ManifestCache {
  const cache = createFolderCache<readonly (readonly [string, ManifestEntry])[]>(dir, version);
  return {
    read: (outDir) => new Map(cache.read(outDir)),
    write(outDir, manifest) {
      const entries = [...manifest].filter(([, { fingerprint, parts }]) => fingerprint ?? parts);
      cache.write(outDir, entries);
    },
  };
}
