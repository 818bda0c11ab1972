import { join, dirname } from "node:path";
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile, stat, utimes } from "node:fs/promises";
import type { SearchIndexCache } from "../../search/index.ts";
import { createSourceIndexCache, type SourceIndex } from "../source/source-index.ts";
import { hashParts, joinStats, getStatAt, makeFolder, sha256 } from "../../core/index.ts";
import { emptyManifest } from "../manifest.ts";
import type { Manifest, ManifestFiles } from "../manifest.ts";
import { createKeyCache, type KeyCache, createFolderCache } from "./key-cache.ts";
import { openPageCache, type PageCache } from "./page-cache.ts";
import { createSearchIndexCache } from "./search-index-cache.ts";
import { joinTexts, splitTexts } from "./value-file.ts";
import { dayMs } from "./segment-store.ts";

/**
 * The data that an export stores for the next export. Any of it can be lost or corrupted at any time, and several
 * processes may share it; it does not affect the bundle.
 */
export interface ExportCache extends Disposable {
  readonly version: string;
  /**
   * The rendered pages and compressed blocks. Undefined, like `searchIndexes`, if the export is being repeated because
   * the cache is corrupt.
   */
  readonly pages: PageCache | undefined;
  /** The files from other hosts. */
  readonly media: MediaCache;
  /** The source index of each site, by the site's folder. */
  readonly sources: KeyCache<SourceIndex>;
  /** The results of the link check for each list of pages and files, by the key that `getLinksKey` returns. */
  readonly links: KeyCache<LinkCheckResults>;
  /** The manifest of each bundle, by the bundle's folder. */
  readonly manifests: ManifestCache;
  readonly searchIndexes: SearchIndexCache | undefined;
}

/**
 * The results of an export's link check, so that the next export need not resolve the links of all pages. A link stays
 * verified as long as neither the fingerprint of its page, which covers the existing pages and files, nor the anchors
 * of the target page change. Pages are numbered in the site's order.
 */
export interface LinkCheckResults {
  /** The hash of each page's anchors, or an empty string if it is unknown; joined by `joinTexts`. */
  readonly anchors: string;
  /** `ExportSettings.checkName`; undefined if no named check covered the links. */
  readonly checkedAs: string | undefined;
  /**
   * The fingerprint of each page whose references have no problems and need no corrections, or an empty string for each
   * other page; joined by `joinTexts`.
   */
  readonly verified: string;
  /** For each page, the numbers of the pages to whose anchors it links; the lists are concatenated. */
  readonly targets: Uint32Array;
  /** For each page, the end of its list in `targets`. */
  readonly targetEnds: Uint32Array;
}

/** Matches the files in `src/` and `dist/` that are not part of the program. */
const nonProgramFile = /(?:\.test\.ts|\.d\.ts|\.map)$/;

export function openExportCache(cacheDir: string): ExportCache {
  const version = computeRendererVersion();
  const pages = openPageCache(cacheDir, version);
  const searchIndexes = createSearchIndexCache(join(cacheDir, "search"), version);
  return {
    version,
    pages,
    media: createMediaCache(join(cacheDir, "media")),
    sources: createSourceIndexCache(join(cacheDir, "sources"), version),
    links: createKeyCache(join(cacheDir, "links"), version),
    manifests: createManifestCache(cacheDir, version),
    searchIndexes,
    [Symbol.dispose]() {
      searchIndexes[Symbol.dispose]();
      pages[Symbol.dispose]();
    },
  };
}

/**
 * Returns a hash of the renderer's own program, so that cached output of a different version is never used. It covers
 * package.json, which pins the exact versions of the packages that affect the output.
 */
function computeRendererVersion(): string {
  return (rendererVersion ??= hashProgram());
}

/** The hash is computed once, because reading the program takes as long as checking a hundred pages. */
let rendererVersion: string | undefined;

function hashProgram(): string {
  const program = new URL("../../", import.meta.url);
  const files = readdirSync(program, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !nonProgramFile.test(entry.name))
    .map((entry) => `${entry.parentPath}/${entry.name}`);
  const parts = [fileURLToPath(new URL("../package.json", program)), ...files.toSorted()];
  return hashParts([process.version, ...parts.map((file) => readFileSync(file))]);
}

/** Caches the manifest of the last successful export to each folder. An unknown manifest is empty. No method throws. */
interface ManifestCache {
  read(outDir: string): Manifest;
  write(outDir: string, manifest: Manifest): void;
}

/** The folders of a manifest, stored in columns. */
interface StoredFolders {
  readonly folders: string;
  readonly folderStats: Float64Array;
}

/** A manifest as stored in a file. */
interface StoredManifest extends StoredFolders, Pick<ManifestFiles, "stats" | "parts"> {
  /** The ID of the manifest. Separately stored changes refer to it. */
  readonly id: string;
  readonly paths: string;
  readonly fingerprints: string;
}

/** The difference between a stored manifest and a later one with the same paths. */
interface StoredChanges extends StoredFolders, Pick<ManifestFiles, "stats" | "parts"> {
  readonly id: string;
  /** The numbers of the files that differ. The fingerprints and stats belong to these files. */
  readonly numbers: Uint32Array;
  readonly fingerprints: string;
}

interface BaseManifest {
  readonly outDir: string;
  readonly id: string;
  readonly files: ManifestFiles;
}

/**
 * The minimum number of files in the manifest per changed file. If more files change, the whole manifest is rewritten.
 */
const minFilesPerChange = 16;

/**
 * Creates a manifest cache. Most exports change only a few of a folder's many files, so the differences are stored
 * separately from the manifest. `version` is the version of the renderer: other versions may build different files with
 * the same fingerprint.
 */
export function createManifestCache(cacheDir: string, version: string): ManifestCache {
  const manifests = createFolderCache<StoredManifest>(join(cacheDir, "bundles"), version);
  const changes = createFolderCache<StoredChanges>(join(cacheDir, "bundle-changes"), version);
  let base: BaseManifest | undefined;
  return {
    read(outDir) {
      base = undefined;
      const stored = manifests.read(outDir);
      if (!stored) return emptyManifest;
      const files = toFiles(stored);
      base = { outDir, id: stored.id, files };
      const storedChanges = changes.read(outDir);
      if (storedChanges?.id !== stored.id) return { files, folders: toFolders(stored) };
      return { files: applyChanges(files, storedChanges), folders: toFolders(storedChanges) };
    },
    write(outDir, manifest) {
      const numbers = base?.outDir === outDir ? findChanges(base.files, manifest.files) : undefined;
      if (base && numbers) changes.write(outDir, toChanges(base.id, manifest, numbers));
      else manifests.write(outDir, toStoredManifest(manifest));
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

function toStoredFolders(folders: Manifest["folders"]): StoredFolders {
  return {
    folders: joinTexts([...folders.keys()]),
    folderStats: joinStats([...folders.values()]),
  };
}

function toStoredManifest({ files, folders }: Manifest): StoredManifest {
  const { paths, fingerprints, stats, parts } = files;
  return {
    id: randomUUID(),
    paths: joinTexts(paths),
    fingerprints: joinTexts(fingerprints),
    stats,
    parts,
    ...toStoredFolders(folders),
  };
}

/** Returns the numbers of the files that differ, or undefined if the paths differ or too many files do. */
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
    ...toStoredFolders(folders),
  };
}

function applyChanges(files: ManifestFiles, changes: StoredChanges): ManifestFiles {
  const [fingerprints, stats] = [[...files.fingerprints], files.stats.slice()];
  const changedFingerprints = splitTexts(changes.fingerprints);
  for (const [at, number] of changes.numbers.entries()) {
    fingerprints[number] = changedFingerprints[at] ?? "";
    stats.set(getStatAt(changes.stats, at), 4 * number);
  }
  return { paths: files.paths, fingerprints, stats, parts: changes.parts };
}

/**
 * Caches files from other hosts by address, so that the next export shows the same bytes without fetching anything.
 * Entries can be lost at any time; no method throws.
 */
export interface MediaCache {
  get(address: string): Promise<Uint8Array | undefined>;
  put(address: string, bytes: Uint8Array): Promise<void>;
}

/** Creates a media cache in a folder. It stores contents by hash and, for each address, the hash of its content. */
export function createMediaCache(folder: string): MediaCache {
  const getAddressFile = (address: string) => join(folder, "addresses", sha256(address));
  const getContentFile = (hash: string) => join(folder, "contents", hash);
  return {
    async get(address) {
      try {
        const hash = await readFile(getAddressFile(address), "utf8");
        if (!/^[\da-f]{64}$/.test(hash)) return undefined;
        const bytes = await readFile(getContentFile(hash));
        if (sha256(bytes) !== hash) return undefined;
        await markUsed(getAddressFile(address), Date.now());
        await markUsed(getContentFile(hash), Date.now());
        return bytes;
      } catch {
        return undefined;
      }
    },
    async put(address, bytes) {
      const hash = sha256(bytes);
      await write(getContentFile(hash), bytes);
      await write(getAddressFile(address), hash);
    },
  };
}

/** Writes a file atomically. If the disk is full or not writable, no file is written. */
async function write(file: string, content: string | Uint8Array): Promise<void> {
  const partial = `${file}.${randomUUID()}`;
  try {
    makeFolder(dirname(file), 0o700);
    await writeFile(partial, content);
    await rename(partial, file);
  } catch {
    await rm(partial, { force: true }).catch(() => undefined);
  }
}

/**
 * Marks a file of the cache as used, at most once a day, so that most exports need not write to each file's metadata.
 */
async function markUsed(file: string, now: number): Promise<void> {
  const { mtimeMs } = await stat(file);
  if (now - mtimeMs > dayMs) await utimes(file, now / 1_000, now / 1_000);
}
