import { chmodSync, constants, copyFileSync, lstatSync, rmSync, statSync } from "node:fs";
import type { Stats } from "node:fs";
import { access } from "node:fs/promises";
import { dirname, join } from "node:path";
import { realPathInside, realPathInsideSync } from "../core/index.ts";
import type { PackedFile } from "./archive/packed-file.ts";
import type { BundleFile } from "../core/index.ts";
import { findLeftovers } from "./bundle-leftovers.ts";
import { createFileWriter } from "./file-writer.ts";
import type { FileWriter } from "./file-writer.ts";
import { isSettled, hasFileStat, fileStat } from "./source/file-stat.ts";
import { emptyManifest } from "./manifest.ts";
import type { Manifest, ManifestEntry } from "./manifest.ts";
import { hasSameParts, writeParts } from "./part-writer.ts";
import { isRealFolder } from "./real-folder.ts";
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
  /** Folders of the bundle that are known not to be links. */
  readonly #realFolders: Set<string>;
  /** The same by their path in the bundle, for each that was looked at. */
  readonly #isRealFolder = new Map<string, boolean>();

  constructor(root: string, earlier: Manifest) {
    this.#root = root;
    this.#earlier = earlier;
    this.#realFolders = new Set([root]);
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
    if (fingerprint === undefined || this.#earlier.get(path)?.fingerprint !== fingerprint)
      return false;
    const known = this.#untouched(path);
    if (known) this.#unchanged.set(path, known);
    return known !== undefined;
  }

  /** The earlier manifest's entry of a file that has not been touched since. */
  #untouched(path: string): ManifestEntry | undefined {
    const known = this.#earlier.get(path);
    if (!known || !this.#isInRealFolder(path)) return undefined;
    const stats = lstatSync(`${this.#root}/${path}`, { throwIfNoEntry: false });
    return stats?.isFile() && hasFileStat(stats, known.stat) ? known : undefined;
  }

  #isInRealFolder(path: string): boolean {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    let isReal = this.#isRealFolder.get(folder);
    if (isReal === undefined) {
      isReal = isRealFolder(join(this.#root, folder), this.#realFolders);
      this.#isRealFolder.set(folder, isReal);
    }
    return isReal;
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
    const { publisherBytes, ...removals } = findLeftovers(this.#root, { unchanged, written });
    this.#staging.putInPlace(removals);
    const manifest = new Map(unchanged);
    // Moving a file changes a time of it.
    for (const [path, file] of written) {
      manifest.set(path, { ...file, stat: fileStat(lstatSync(join(this.#root, path))) });
    }
    let bytes = publisherBytes;
    for (const { stat } of manifest.values()) bytes += stat[0];
    return { bytes, manifest };
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
