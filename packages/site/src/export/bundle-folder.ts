import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import type { Stats } from "node:fs";
import { access } from "node:fs/promises";
import { dirname, join } from "node:path";
import { realPathInside, realPathInsideSync, resolveInside } from "../core/index.ts";
import type { PackedFile } from "./archive/packed-file.ts";
import type { BundleFile } from "../core/index.ts";
import { isSettled, hasFileStat, fileStat } from "./source/file-stat.ts";
import { emptyManifest } from "./manifest.ts";
import type { Manifest, ManifestEntry } from "./manifest.ts";
import { openOutput } from "./open-output.ts";
import { writeParts } from "./part-writer.ts";

/** A copy of a read-only file would stand in the way of the next export. */
const writable = 0o644;

/**
 * A folder that becomes a bundle. What an earlier export left in it and this one did not write is removed at the
 * end; `.git` and the like stay.
 *
 * A `fingerprint` is a hash of what a file is made of: two files of one fingerprint have the same bytes.
 */
export interface BundleFolder {
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
  /** Removes what is left of earlier exports. */
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
 * Exports write no other names of this kind: `.git` and `.nojekyll` are of whoever publishes the folder,
 * and may hold what is nowhere else.
 */
const ofPublisher = /^\.(?!well-known\/)/;

/** Writes without promises, which add half of what a small file costs. `earlier` is what the last export wrote there. */
export function openBundleFolder(root: string, earlier: Manifest = emptyManifest): BundleFolder {
  return new Folder(root, earlier);
}

class Folder implements BundleFolder {
  readonly #root: string;
  readonly #earlier: Manifest;
  readonly #written = new Map<string, ManifestEntry>();
  readonly #folders = new Set<string>();

  constructor(root: string, earlier: Manifest) {
    this.#root = root;
    this.#earlier = earlier;
  }

  isTaken(path: string): boolean {
    return isTaken(this.#written, path);
  }

  write(made: BundleFile, fingerprint?: string): void {
    const { path, parts } = made;
    const file = resolveInside(this.#root, path);
    this.#ensureFolder(dirname(file));
    if (!parts) return this.#put(path, made.content, fingerprint);
    this.#written.set(path, unknownFile);
    const known = this.#untouched(path, file);
    this.#written.set(path, writeParts(file, parts, known?.parts));
  }

  place(file: BundleFile, fingerprint?: string): void {
    if (fingerprint === undefined || !this.#keeps(file.path, fingerprint))
      this.write(file, fingerprint);
  }

  /** Whether an earlier export wrote the file of this fingerprint here and nobody touched it since; then it is part of this bundle too. */
  #keeps(path: string, fingerprint: string): boolean {
    if (this.#earlier.get(path)?.fingerprint !== fingerprint) return false;
    const file = join(this.#root, path);
    const known = this.#untouched(path, file);
    if (!known) return false;
    this.#folders.add(dirname(file));
    this.#written.set(path, known);
    return true;
  }

  /** What is known of a file that is as an earlier export left it. */
  #untouched(path: string, file: string): ManifestEntry | undefined {
    const known = this.#earlier.get(path);
    if (!known) return undefined;
    const stats = lstatSync(file, { throwIfNoEntry: false });
    return stats?.isFile() && hasFileStat(stats, known.stat) ? known : undefined;
  }

  rewrite(path: string, change: (text: string) => string, fingerprint?: string): void {
    this.#put(path, change(readFileSync(resolveInside(this.#root, path), "utf8")), fingerprint);
  }

  async copyAsset(siteRoot: string, path: string): Promise<void> {
    const source = realPathInsideSync(siteRoot, path);
    const fingerprint = copyFingerprint(source, statSync(source));
    if (fingerprint !== undefined && this.#keeps(path, fingerprint)) return;
    const copy = resolveInside(this.#root, path);
    this.#ensureFolder(dirname(copy));
    this.#written.set(path, unknownFile);
    rmSync(copy, { force: true });
    copyFileSync(source, copy, constants.COPYFILE_FICLONE);
    chmodSync(copy, writable);
    this.#written.set(path, { fingerprint, stat: fileStat(lstatSync(copy)) });
  }

  finish(): FinishedBundle {
    let bytes = this.#sweep("");
    for (const { stat } of this.#written.values()) bytes += stat[0];
    return { bytes, manifest: this.#written };
  }

  #put(path: string, content: BundleFile["content"], fingerprint: string | undefined): void {
    // Claimed before it is there: what is only half written is not to be trusted.
    this.#written.set(path, unknownFile);
    const descriptor = openOutput(resolveInside(this.#root, path));
    try {
      writeFileSync(descriptor, content);
      this.#written.set(path, { fingerprint, stat: fileStat(fstatSync(descriptor)) });
    } finally {
      closeSync(descriptor);
    }
  }

  #ensureFolder(folder: string): void {
    if (this.#folders.has(folder)) return;
    mkdirSync(folder, { recursive: true });
    this.#folders.add(folder);
  }

  /** Removes below a folder what this export did not write, and folders that are empty then; counts the bytes of what stays from others. */
  #sweep(below: string): number {
    let bytes = 0;
    for (const name of readdirSync(join(this.#root, below))) {
      const path = below + name;
      if (this.#written.has(path)) continue;
      const file = join(this.#root, path);
      // Of most names it is known what they are: asking costs as much as listing them.
      const stats = this.#folders.has(file) ? undefined : lstatSync(file);
      if (stats === undefined) bytes += this.#sweep(`${path}/`);
      else if (stats.isDirectory()) {
        bytes += this.#sweep(`${path}/`);
        removeEmpty(file);
      } else if (!ofPublisher.test(path)) rmSync(file);
      else if (stats.isFile()) bytes += stats.size;
    }
    return bytes;
  }
}

const unknownFile: ManifestEntry = { stat: [0, 0, 0, 0] };

/** Of a copy, which is the same while its source looks the same. */
export function copyFingerprint(source: string, stats: Stats): string | undefined {
  const stat = fileStat(stats);
  return isSettled(stat, Date.now()) ? [source, ...stat].join(" ") : undefined;
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something of the publisher's stands in it.
  }
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
  };
}

export function isTaken(paths: { has(path: string): boolean }, path: string): boolean {
  for (let at = path; at !== "."; at = dirname(at)) if (paths.has(at)) return true;
  return false;
}
