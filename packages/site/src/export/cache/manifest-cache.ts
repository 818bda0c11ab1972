import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { joinStats, getStatAt } from "../../core/index.ts";
import { emptyManifest } from "../manifest.ts";
import type { Manifest, ManifestFiles } from "../manifest.ts";
import { joinTexts, splitTexts } from "./value-file.ts";
import { createFolderCache } from "./key-cache.ts";

/** Caches the manifest of the last successful export into each folder; it is empty if unknown. No method throws. */
export interface ManifestCache {
  read(outDir: string): Manifest;
  write(outDir: string, manifest: Manifest): void;
}

/** The folders of a manifest, in columns. */
interface StoredFolders {
  readonly folders: string;
  readonly folderStats: Float64Array;
}

/** A manifest as stored in a file. */
interface StoredManifest extends StoredFolders, Pick<ManifestFiles, "stats" | "parts"> {
  /** Identifies the manifest to which separately stored changes apply. */
  readonly id: string;
  readonly paths: string;
  readonly fingerprints: string;
}

/** The difference between a stored manifest and a later one with the same paths. */
interface StoredChanges extends StoredFolders, Pick<ManifestFiles, "stats" | "parts"> {
  readonly id: string;
  /** The numbers of the files that differ; the fingerprints and stats are those of these files. */
  readonly numbers: Uint32Array;
  readonly fingerprints: string;
}

interface Base {
  readonly outDir: string;
  readonly id: string;
  readonly files: ManifestFiles;
}

/** If more than one in this many files differs, the whole manifest is rewritten. */
const minFilesPerChange = 16;

/**
 * Creates a manifest cache. Most exports change few of a folder's many files, so the differences are stored separately
 * from the manifest. `version` is the version of the renderer: other versions build different files with the same
 * fingerprint.
 */
export function createManifestCache(cacheDir: string, version: string): ManifestCache {
  const manifests = createFolderCache<StoredManifest>(join(cacheDir, "bundles"), version);
  const changes = createFolderCache<StoredChanges>(join(cacheDir, "bundle-changes"), version);
  let base: Base | undefined;
  return {
    read(outDir) {
      base = undefined;
      const stored = manifests.read(outDir);
      if (!stored) return emptyManifest;
      const files = toFiles(stored);
      base = { outDir, id: stored.id, files };
      const changed = changes.read(outDir);
      if (changed?.id !== stored.id) return { files, folders: toFolders(stored) };
      return { files: applyChanges(files, changed), folders: toFolders(changed) };
    },
    write(outDir, manifest) {
      const numbers = base?.outDir === outDir ? findChanges(base.files, manifest.files) : undefined;
      if (base && numbers) changes.write(outDir, toChanges(base.id, manifest, numbers));
      else manifests.write(outDir, toStored(manifest));
    },
  };
}

function toFiles({ paths, fingerprints, stats, parts }: StoredManifest): ManifestFiles {
  return { paths: splitTexts(paths), fingerprints: splitTexts(fingerprints), stats, parts };
}

function toFolders({ folders, folderStats }: StoredFolders): Manifest["folders"] {
  return new Map(
    splitTexts(folders).map((path, at) => [path, getStatAt(folderStats, at)] as const),
  );
}

function fromFolders(folders: Manifest["folders"]): StoredFolders {
  return {
    folders: joinTexts([...folders.keys()]),
    folderStats: joinStats([...folders.values()]),
  };
}

function toStored({ files, folders }: Manifest): StoredManifest {
  const { paths, fingerprints, stats, parts } = files;
  return {
    id: randomUUID(),
    paths: joinTexts(paths),
    fingerprints: joinTexts(fingerprints),
    stats,
    parts,
    ...fromFolders(folders),
  };
}

/** Returns the numbers of the files that differ; undefined if the paths differ or too many files do. */
function findChanges(before: ManifestFiles, now: ManifestFiles): Uint32Array | undefined {
  const { length } = now.paths;
  if (length !== before.paths.length) return undefined;
  const numbers: number[] = [];
  for (let number = 0; number < length; number += 1) {
    if (now.paths[number] !== before.paths[number]) return undefined;
    if (!isSameFile(before, now, number)) numbers.push(number);
  }
  return numbers.length * minFilesPerChange > length ? undefined : Uint32Array.from(numbers);
}

function isSameFile(one: ManifestFiles, other: ManifestFiles, number: number): boolean {
  if (one.fingerprints[number] !== other.fingerprints[number]) return false;
  for (let at = 4 * number; at < 4 * number + 4; at += 1)
    if (one.stats[at] !== other.stats[at]) return false;
  return true;
}

function toChanges(id: string, { files, folders }: Manifest, numbers: Uint32Array): StoredChanges {
  const fingerprints = Array.from(numbers, (number) => files.fingerprints[number] ?? "");
  const stats = Array.from(numbers, (number) => getStatAt(files.stats, number));
  return {
    id,
    numbers,
    fingerprints: joinTexts(fingerprints),
    stats: joinStats(stats),
    parts: files.parts,
    ...fromFolders(folders),
  };
}

function applyChanges(files: ManifestFiles, changes: StoredChanges): ManifestFiles {
  const [fingerprints, stats] = [[...files.fingerprints], files.stats.slice()];
  const changed = splitTexts(changes.fingerprints);
  for (const [at, number] of changes.numbers.entries()) {
    fingerprints[number] = changed[at] ?? "";
    stats.set(getStatAt(changes.stats, at), 4 * number);
  }
  return { paths: files.paths, fingerprints, stats, parts: changes.parts };
}
