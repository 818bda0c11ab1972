import { chmodSync, constants, copyFileSync, lstatSync, rmSync, statSync } from "node:fs";
import type { Stats } from "node:fs";
import { access } from "node:fs/promises";
import { dirname, join } from "node:path";
import { realPathInside, realPathInsideSync } from "../core/index.ts";
import type { PackedFile } from "./archive/packed-file.ts";
import type { BundleFile } from "../core/index.ts";
import { findLeftovers } from "./bundle-leftovers.ts";
import { addParents, createBundleFolders, folderStat, parentOf } from "./bundle-paths.ts";
import type { BundleFolders } from "./bundle-paths.ts";
import { createFileWriter } from "./file-writer.ts";
import type { FileWriter } from "./file-writer.ts";
import { hasFileStat, fileStat, isSameStat, isSettled } from "../core/index.ts";
import type { FileStat } from "../core/index.ts";
import { emptyManifest } from "./manifest.ts";
import type { Manifest, ManifestEntry } from "./manifest.ts";
import { hasSameParts, writeParts } from "./part-writer.ts";
import { openStagingFolder } from "./staging-folder.ts";
import type { StagingFolder } from "./staging-folder.ts";

/** The next export could not replace a copy that is read-only. */
const writable = 0o644;

/**
 * A folder that becomes a bundle. Nothing in it changes before `finish`, which puts everything in place and removes
 * what an earlier export left there; `.git` and the like stay. Without `finish` nothing that was written remains.
 *
 * A `fingerprint` is a hash of what a file is made of: two files of one fingerprint have the same bytes.
 */
export interface BundleFolder extends Disposable {
  write(file: BundleFile, fingerprint?: string): void;
  /**
   * The same for a file whose content can be read until the end of the export: if an earlier export wrote the file
   * with this fingerprint and it has not been touched since, it stays, and its content is not read.
   */
  place(file: BundleFile, fingerprint?: string): void;
  /** Changes the text of a file that was written. */
  rewrite(path: string, change: (text: string) => string, fingerprint?: string): void;
  /** Copies a file of the site to its own path. Throws if it leads out of the site or is gone. */
  copyAsset(siteRoot: string, path: string): Promise<void>;
  /** Whether there is a file at this path, or where it would need a folder. */
  isTaken(path: string): boolean;
  /** Makes the folder the bundle. */
  finish(): FinishedBundle;
}

export interface FinishedBundle {
  /** Size of all files in the folder, including the publisher's. */
  readonly bytes: number;
  /** The files that the next export into the folder can leave as they are. */
  readonly manifest: Manifest;
  /** If the bundle becomes an archive: all its files. */
  readonly files?: readonly PackedFile[];
}

/**
 * Writes without promises, which make a small file cost half as much again. `earlier` is what the last export wrote
 * there. Throws as `openStagingFolder` does.
 */
export function openBundleFolder(root: string, earlier: Manifest = emptyManifest): BundleFolder {
  return new Folder(root, earlier);
}

class Folder implements BundleFolder {
  readonly #root: string;
  readonly #earlier: Manifest;
  readonly #staging: StagingFolder;
  readonly #staged: FileWriter;
  /** The files of the bundle: those that stay from the earlier export, and those that are written. */
  readonly #unchanged = new Map<string, ManifestEntry>();
  readonly #written = new Map<string, Omit<ManifestEntry, "stat">>();
  /** As they are before anything is put in place. */
  readonly #folders: BundleFolders;
  readonly #startedMs: number;

  constructor(root: string, earlier: Manifest) {
    this.#root = root;
    this.#earlier = earlier;
    this.#folders = createBundleFolders(root);
    this.#startedMs = Date.now();
    this.#staging = openStagingFolder(root);
    this.#staged = createFileWriter(this.#staging.files);
  }

  isTaken(path: string): boolean {
    return isTaken(this.#written, path) || isTaken(this.#unchanged, path);
  }

  write(made: BundleFile, fingerprint?: string): void {
    const { path, parts } = made;
    if (parts) return this.#writeParts(path, parts);
    this.#staged.write(path, made.content);
    this.#written.set(path, { fingerprint });
  }

  #writeParts(path: string, parts: NonNullable<BundleFile["parts"]>): void {
    const known = this.#untouched(path);
    if (known?.parts && hasSameParts(parts, known.parts)) {
      this.#unchanged.set(path, known);
      return;
    }
    const earlier = known?.parts && { file: join(this.#root, path), parts: known.parts };
    const written = writeParts(this.#staged.prepare(path), parts, earlier);
    this.#written.set(path, { parts: written });
  }

  place(file: BundleFile, fingerprint?: string): void {
    if (!this.#reuse(file.path, fingerprint)) this.write(file, fingerprint);
  }

  /** Makes an earlier export's file part of this bundle, if it has this fingerprint and has not been touched since. Returns whether it did. */
  #reuse(path: string, fingerprint: string | undefined): boolean {
    if (fingerprint === undefined || this.#earlier.files.get(path)?.fingerprint !== fingerprint)
      return false;
    const known = this.#untouched(path);
    if (known) this.#unchanged.set(path, known);
    return known !== undefined;
  }

  /** The earlier manifest's entry of a file that has not been touched since. */
  #untouched(path: string): ManifestEntry | undefined {
    const known = this.#earlier.files.get(path);
    if (!known || !this.#isInRealFolder(path)) return undefined;
    const stats = lstatSync(`${this.#root}/${path}`, { throwIfNoEntry: false });
    return stats?.isFile() && hasFileStat(stats, known.stat) ? known : undefined;
  }

  #isInRealFolder(path: string): boolean {
    const folder = parentOf(path);
    return folder === "" || this.#folders.statOf(folder) !== undefined;
  }

  rewrite(path: string, change: (text: string) => string, fingerprint?: string): void {
    this.#staged.rewrite(path, change);
    this.#written.set(path, { fingerprint });
  }

  async copyAsset(siteRoot: string, path: string): Promise<void> {
    const source = realPathInsideSync(siteRoot, path);
    const fingerprint = copyFingerprint(source, statSync(source));
    if (this.#reuse(path, fingerprint)) return;
    const copy = this.#staged.prepare(path);
    try {
      copyFileSync(source, copy, constants.COPYFILE_FICLONE);
      chmodSync(copy, writable);
    } catch (error) {
      rmSync(copy, { force: true });
      throw error;
    }
    this.#written.set(path, { fingerprint });
  }

  finish(): FinishedBundle {
    const [unchanged, written] = [this.#unchanged, this.#written];
    const clean = this.#cleanFolders();
    const { publisherBytes, ...removals } = findLeftovers(
      this.#root,
      { unchanged, written },
      { folders: this.#folders, isClean: (folder) => clean.has(folder) },
    );
    this.#staging.putInPlace(removals);
    const files = new Map(unchanged);
    // Moving a file changes a time of it.
    for (const [path, file] of written) {
      files.set(path, { ...file, stat: fileStat(lstatSync(join(this.#root, path))) });
    }
    let bytes = publisherBytes;
    for (const { stat } of files.values()) bytes += stat[0];
    return { bytes, manifest: { files, folders: this.#settledFolders(files) } };
  }

  /** Folders that nobody has touched since the earlier export, and whose files are all still in the bundle. */
  #cleanFolders(): ReadonlySet<string> {
    const left = new Set<string>();
    for (const path of this.#earlier.files.keys()) {
      if (!this.#unchanged.has(path) && !this.#written.has(path)) addParents(path, left);
    }
    const clean = new Set<string>();
    for (const [folder, stat] of this.#earlier.folders) {
      const now = left.has(folder) ? undefined : this.#folders.statOf(folder);
      if (now && isSameStat(now, stat)) clean.add(folder);
    }
    return clean;
  }

  /**
   * The stats by which the next export sees that folders are clean. They are those of before the folders were read: one
   * that was changed since, by this export or by anybody else, is read again. A new folder was moved here as a whole.
   */
  #settledFolders(files: ReadonlyMap<string, ManifestEntry>): ReadonlyMap<string, FileStat> {
    const folders = new Set<string>();
    const unknown = new Set<string>();
    for (const [path, { fingerprint, parts }] of files) {
      addParents(path, folders);
      // The next export does not know of such a file.
      if ((fingerprint ?? parts) === undefined) addParents(path, unknown);
    }
    const settled = new Map<string, FileStat>();
    for (const folder of folders) {
      const before = this.#folders.statOf(folder);
      const now = before ? this.#startedMs : Date.now();
      const stat = before ?? folderStat(`${this.#root}/${folder}`);
      if (stat && isSettled(stat, now) && !unknown.has(folder)) settled.set(folder, stat);
    }
    return settled;
  }

  [Symbol.dispose](): void {
    this.#staged[Symbol.dispose]();
    this.#staging[Symbol.dispose]();
  }
}

/** The fingerprint of a copy: it stays the same while the stat of its source does. */
export function copyFingerprint(source: string, stats: Stats): string | undefined {
  const stat = fileStat(stats);
  return isSettled(stat, Date.now()) ? [source, ...stat].join(" ") : undefined;
}

/** The bundle of a check: it claims paths as a folder does and finds unreadable files, but writes nothing. */
export function createDryRunBundle(): BundleFolder {
  const claimed = new Set<string>();
  return {
    isTaken: (path) => isTaken(claimed, path),
    write({ path }) {
      claimed.add(path);
    },
    place({ path }) {
      claimed.add(path);
    },
    rewrite() {},
    async copyAsset(siteRoot, path) {
      claimed.add(path);
      await access(await realPathInside(siteRoot, path), constants.R_OK);
    },
    finish: () => ({ bytes: 0, manifest: emptyManifest }),
    [Symbol.dispose]() {},
  };
}

export function isTaken(paths: { has(path: string): boolean }, path: string): boolean {
  for (let at = path; at !== "."; at = dirname(at)) if (paths.has(at)) return true;
  return false;
}
