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
import { isSame, writeParts } from "./part-writer.ts";
import { isRealFolder } from "./real-folder.ts";
import { openStagingFolder } from "./staging-folder.ts";
import type { StagingFolder } from "./staging-folder.ts";

/** A copy of a read-only file would stand in the way of the next export. */
const writable = 0o644;

/**
 * A folder that becomes a bundle. Nothing in it changes before `finish`, which puts everything in place and removes
 * what an earlier export left there; `.git` and the like stay. Without `finish` nothing remains of what was written.
 *
 * A `fingerprint` is a hash of what a file is made of: two files of one fingerprint have the same bytes.
 */
export interface BundleFolder extends Disposable {
  write(file: BundleFile, fingerprint?: string): void;
  /**
   * The same of a file whose content can be asked for until the end of the export: where an earlier one wrote the
   * file of this fingerprint and nobody touched it since, it stays, and nobody asks.
   */
  place(file: BundleFile, fingerprint?: string): void;
  /** Changes the text of a file that was written. */
  rewrite(path: string, change: (text: string) => string, fingerprint?: string): void;
  /** Copies a file of the site to its own path. Throws where it leads out of the site or is gone. */
  copyAsset(siteRoot: string, path: string): Promise<void>;
  /** Whether a file stands at this path, or one stands where it would need a folder. */
  isTaken(path: string): boolean;
  /** Makes the folder the bundle. */
  finish(): FinishedBundle;
}

export interface FinishedBundle {
  /** Of all files in the folder, also of those that stay there from others. */
  readonly bytes: number;
  /** What the next export into the folder can leave as it is. */
  readonly manifest: Manifest;
  /** Of a bundle that becomes an archive: all its files. */
  readonly files?: readonly PackedFile[];
}

/**
 * Writes without promises, which add half of what a small file costs. `earlier` is what the last export wrote there.
 * Errors as of `openStagingFolder`.
 */
export function openBundleFolder(root: string, earlier: Manifest = emptyManifest): BundleFolder {
  return new Folder(root, earlier);
}

class Folder implements BundleFolder {
  readonly #root: string;
  readonly #earlier: Manifest;
  readonly #staging: StagingFolder;
  readonly #staged: FileWriter;
  /** What is in the bundle: files that stay from the earlier export, and those that are written. */
  readonly #unchanged = new Map<string, ManifestEntry>();
  readonly #written = new Map<string, Omit<ManifestEntry, "stat">>();
  /** Folders in the bundle's that are no links. */
  readonly #realFolders: Set<string>;

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
    if (known?.parts && isSame(parts, known.parts)) {
      this.#unchanged.set(path, known);
      return;
    }
    const earlier = known?.parts && { file: join(this.#root, path), parts: known.parts };
    const written = writeParts(this.#staged.prepare(path), parts, earlier);
    this.#written.set(path, { parts: written });
  }

  place(file: BundleFile, fingerprint?: string): void {
    if (!this.#keeps(file.path, fingerprint)) this.write(file, fingerprint);
  }

  /** Whether an earlier export wrote the file of this fingerprint here and nobody touched it since; then it is part of this bundle too. */
  #keeps(path: string, fingerprint: string | undefined): boolean {
    if (fingerprint === undefined || this.#earlier.get(path)?.fingerprint !== fingerprint)
      return false;
    const known = this.#untouched(path);
    if (known) this.#unchanged.set(path, known);
    return known !== undefined;
  }

  /** What is known of a file that is as an earlier export left it. */
  #untouched(path: string): ManifestEntry | undefined {
    const known = this.#earlier.get(path);
    const file = join(this.#root, path);
    if (!known || !isRealFolder(dirname(file), this.#realFolders)) return undefined;
    const stats = lstatSync(file, { throwIfNoEntry: false });
    return stats?.isFile() && hasFileStat(stats, known.stat) ? known : undefined;
  }

  rewrite(path: string, change: (text: string) => string, fingerprint?: string): void {
    this.#staged.rewrite(path, change);
    this.#written.set(path, { fingerprint });
  }

  async copyAsset(siteRoot: string, path: string): Promise<void> {
    const source = realPathInsideSync(siteRoot, path);
    const fingerprint = copyFingerprint(source, statSync(source));
    if (this.#keeps(path, fingerprint)) return;
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
    const { bytesOfOthers, ...removals } = findLeftovers(this.#root, { unchanged, written });
    this.#staging.putInPlace(removals);
    const manifest = new Map(unchanged);
    // Moving a file changes a time of it.
    for (const [path, file] of written) {
      manifest.set(path, { ...file, stat: fileStat(lstatSync(join(this.#root, path))) });
    }
    let bytes = bytesOfOthers;
    for (const { stat } of manifest.values()) bytes += stat[0];
    return { bytes, manifest };
  }

  [Symbol.dispose](): void {
    this.#staged[Symbol.dispose]();
    this.#staging[Symbol.dispose]();
  }
}

/** Of a copy, which is the same while its source looks the same. */
export function copyFingerprint(source: string, stats: Stats): string | undefined {
  const stat = fileStat(stats);
  return isSettled(stat, Date.now()) ? [source, ...stat].join(" ") : undefined;
}

/** The bundle of a check: it claims paths like a folder and finds unreadable files, but writes nothing. */
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
