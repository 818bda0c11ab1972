import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  lstatSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import {
  createSortedLookup,
  hasStatAt,
  isSameStat,
  isSettled,
  resolveRealPathSync,
  toFileStat,
  type BundleFile,
  type FilePart,
  type FileStat,
  getParentFolder,
} from "../core/index.ts";
import type { PackedFile } from "./archive/packed-file.ts";
import { createFileWriter, type FileWriter } from "./file-writer.ts";
import {
  emptyManifest,
  joinManifestFiles,
  type Manifest,
  type ManifestPart,
  type WrittenFile,
} from "./manifest.ts";
import {
  openStagingFolder,
  type StagingFolder,
  findLeftovers,
  addParents,
  createBundleFolders,
  createParentFinder,
  readFolderStat,
} from "./staging-folder.ts";
import type { BundleFolders } from "./staging-folder.ts";

/** The mode of a copied file. A read-only copy could not be replaced by the next export. */
const copyMode = 0o644;

/**
 * A folder that becomes a bundle. Nothing in it changes before `finish`, which moves everything into place and removes
 * the files that an earlier export left there, but not the publisher's own files, such as `.git`. If `finish` is not
 * called, nothing that was written remains.
 *
 * A `fingerprint` is a hash of the input from which a file is built: files with the same fingerprint have the same
 * bytes.
 */
export interface BundleFolder extends Disposable {
  write(file: BundleFile, fingerprint?: string): void;
  /**
   * Keeps the file that an earlier export wrote at this path if the file has this fingerprint and has not been modified
   * since. Returns whether it was kept. If not, the caller must call `place`.
   */
  keep(path: string, fingerprint: string | undefined): boolean;
  /** Writes a file unless it can be kept. The file's content must be readable until the end of the export. */
  place(file: BundleFile, fingerprint?: string): void;
  /** Changes the text of a file that was already written. */
  rewrite(path: string, change: (text: string) => string, fingerprint?: string): void;
  /**
   * Copies a file of the site to the same path in the bundle. Throws if the path leads out of the site or the file is
   * missing.
   */
  copyAsset(siteRoot: string, path: string): Promise<void>;
  /** Reports whether the bundle has a file at this path, or at the path of one of its parent folders. */
  isTaken(path: string): boolean;
  /** Turns the folder into the bundle. */
  finish(): FinishedBundle;
}

interface FinishedBundle {
  /** The size of all files in the folder in bytes, including the publisher's files. */
  readonly bytes: number;
  /** The files that the next export into the folder can leave unchanged. */
  readonly manifest: Manifest;
  /** All files of the bundle if it becomes an archive. */
  readonly files?: readonly PackedFile[];
}

/**
 * Opens a bundle folder. It writes synchronously, because writing small files with promises would take 50 % more time.
 * `earlier` describes the files that the last export wrote there. Throws the same errors as `openStagingFolder`.
 */
export function openBundleFolder(root: string, earlier: Manifest = emptyManifest): BundleFolder {
  return new Folder(root, earlier);
}

class Folder implements BundleFolder {
  readonly #root: string;
  readonly #earlier: Manifest;
  readonly #staging: StagingFolder;
  readonly #staged: FileWriter;
  /** Returns the number of an earlier export's file, given its path. */
  readonly #numberOf: (path: string) => number | undefined;
  /**
   * A flag for each file of the earlier export, by its number: 1 if the file is kept. The kept and written files form
   * the bundle.
   */
  readonly #keptFlags: Uint8Array;
  readonly #written = new Map<string, WrittenFile>();
  /**
   * The folders that were found to be free: neither their path nor the path of a parent is a file of the bundle. They
   * are remembered because most files are in a few folders.
   */
  readonly #freeFolders = new Set<string>();
  readonly #folderOf = createParentFinder();
  /**
   * The last path that was found to be a folder. It is remembered because most files are in the same folder as the
   * previous file.
   */
  #lastRealFolder = "";
  /** The folders in their state before any file is moved into place. */
  readonly #folders: BundleFolders;
  readonly #startedMs: number;

  constructor(root: string, earlier: Manifest) {
    const { paths } = earlier.files;
    this.#root = root;
    this.#earlier = earlier;
    this.#numberOf = createSortedLookup(paths);
    this.#keptFlags = new Uint8Array(paths.length);
    this.#folders = createBundleFolders(root);
    this.#startedMs = Date.now();
    this.#staging = openStagingFolder(root);
    this.#staged = createFileWriter(this.#staging.files);
  }

  isTaken(path: string): boolean {
    const isFile = (file: string) => this.#written.has(file) || this.#keeps(file);
    if (isFile(path)) return true;
    const folder = this.#folderOf(path);
    if (this.#freeFolders.has(folder)) return false;
    if (isPathTaken({ has: isFile }, folder)) return true;
    addParents(path, this.#freeFolders);
    return false;
  }

  /** Records that a file becomes part of the bundle. Must be called for each such file. */
  #noteFile(path: string): void {
    // Check the size first, because even a lookup in an empty set hashes the path.
    if (this.#freeFolders.size > 0 && this.#freeFolders.has(path)) this.#freeFolders.clear();
  }

  /** Reports whether the file of the earlier export at this path is kept. */
  #keeps(path: string): boolean {
    const number = this.#numberOf(path);
    return number !== undefined && this.#keptFlags[number] === 1;
  }

  write(file: BundleFile, fingerprint?: string): void {
    const { path, parts } = file;
    if (parts) return this.#writeParts(path, parts);
    this.#staged.write(path, file.content);
    this.#addWritten(path, { fingerprint });
  }

  #writeParts(path: string, parts: NonNullable<BundleFile["parts"]>): void {
    const number = this.#findUntouched(path);
    const earlierParts = number === undefined ? undefined : this.#earlier.files.parts.get(number);
    if (number !== undefined && earlierParts && hasSameParts(parts, earlierParts)) {
      this.#keptFlags[number] = 1;
      this.#noteFile(path);
      return;
    }
    const earlier = earlierParts && { file: join(this.#root, path), parts: earlierParts };
    const writtenParts = writeParts(this.#staged.prepare(path), parts, earlier);
    this.#addWritten(path, { parts: writtenParts });
  }

  #addWritten(path: string, file: WrittenFile): void {
    const number = this.#numberOf(path);
    if (number !== undefined) this.#keptFlags[number] = 0;
    this.#written.set(path, file);
    this.#noteFile(path);
  }

  place(file: BundleFile, fingerprint?: string): void {
    if (!this.keep(file.path, fingerprint)) this.write(file, fingerprint);
  }

  keep(path: string, fingerprint: string | undefined): boolean {
    const number = fingerprint === undefined ? undefined : this.#findUntouched(path, fingerprint);
    if (number === undefined) return false;
    this.#keptFlags[number] = 1;
    this.#noteFile(path);
    return true;
  }

  /**
   * Returns the number of the earlier export's file at this path, if the file has not been modified since and, unless
   * `fingerprint` is omitted, has this fingerprint.
   */
  #findUntouched(path: string, fingerprint?: string): number | undefined {
    const { fingerprints, stats } = this.#earlier.files;
    const number = this.#numberOf(path);
    if (number === undefined) return undefined;
    if (fingerprint !== undefined && fingerprints[number] !== fingerprint) return undefined;
    if (!this.#isInRealFolder(path)) return undefined;
    const found = lstatSync(`${this.#root}/${path}`, { throwIfNoEntry: false });
    return found?.isFile() && hasStatAt(stats, number, found) ? number : undefined;
  }

  #isInRealFolder(path: string): boolean {
    const folder = this.#folderOf(path);
    if (folder === this.#lastRealFolder) return true;
    if (this.#folders.statOf(folder) === undefined) return false;
    this.#lastRealFolder = folder;
    return true;
  }

  rewrite(path: string, change: (text: string) => string, fingerprint?: string): void {
    this.#staged.rewrite(path, change);
    this.#addWritten(path, { fingerprint });
  }

  async copyAsset(siteRoot: string, path: string): Promise<void> {
    const source = resolveRealPathSync(siteRoot, path);
    const fingerprint = computeCopyFingerprint(source, statSync(source));
    if (this.keep(path, fingerprint)) return;
    const copy = this.#staged.prepare(path);
    try {
      copyFileSync(source, copy, constants.COPYFILE_FICLONE);
      chmodSync(copy, copyMode);
    } catch (error) {
      rmSync(copy, { force: true });
      throw error;
    }
    this.#addWritten(path, { fingerprint });
  }

  finish(): FinishedBundle {
    const folders = this.#listFolders();
    const clean = this.#findCleanFolders();
    const { publisherBytes, ...removals } = findLeftovers(
      this.#root,
      {
        folders,
        isUnchanged: (path) => this.#keeps(path),
        isWritten: (path) => this.#written.has(path),
      },
      { folders: this.#folders, isClean: (folder) => clean.has(folder) },
    );
    this.#staging.putInPlace(removals);
    // Read the stats again, because moving a file changes one of its times.
    const written = new Map(
      Array.from(this.#written, ([path, file]) => {
        const stat = toFileStat(lstatSync(join(this.#root, path)));
        return [path, { ...file, stat }];
      }),
    );
    let bytes = publisherBytes;
    for (const { stat } of written.values()) bytes += stat[0];
    const { files } = this.#earlier;
    for (let number = 0; number < this.#keptFlags.length; number += 1) {
      if (this.#keptFlags[number] === 1) bytes += files.stats[4 * number] ?? 0;
    }
    const manifest = {
      files: joinManifestFiles(files, this.#keptFlags, written),
      folders: this.#collectSettledStats(folders),
    };
    return { bytes, manifest };
  }

  /** Returns the folders that contain the bundle's files. */
  #listFolders(): ReadonlySet<string> {
    const { paths } = this.#earlier.files;
    const folders = new Set<string>();
    const last = { folder: "" };
    for (let number = 0; number < paths.length; number += 1) {
      if (this.#keptFlags[number] === 1) addParents(paths[number] ?? "", folders, last);
    }
    for (const path of this.#written.keys()) addParents(path, folders);
    return folders;
  }

  /** Returns the folders that have not changed since the earlier export and whose files are all still in the bundle. */
  #findCleanFolders(): ReadonlySet<string> {
    const { paths } = this.#earlier.files;
    const foldersWithRemovals = new Set<string>();
    for (let number = 0; number < paths.length; number += 1) {
      const path = paths[number] ?? "";
      if (this.#keptFlags[number] !== 1 && !this.#written.has(path))
        addParents(path, foldersWithRemovals);
    }
    const clean = new Set<string>();
    for (const [folder, stat] of this.#earlier.folders) {
      const current = foldersWithRemovals.has(folder) ? undefined : this.#folders.statOf(folder);
      if (current && isSameStat(current, stat)) clean.add(folder);
    }
    return clean;
  }

  /**
   * Returns the stats by which the next export recognizes unchanged folders. They were taken before the folders were
   * read, so the next export rereads any folder that has changed since. A new folder's stat is taken now, because it
   * was moved here as a whole.
   */
  #collectSettledStats(folders: ReadonlySet<string>): ReadonlyMap<string, FileStat> {
    const foldersWithUnlistedFiles = new Set<string>();
    for (const [path, { fingerprint, parts }] of this.#written) {
      // The manifest does not list a file that has neither a fingerprint nor parts.
      if ((fingerprint ?? parts) === undefined) addParents(path, foldersWithUnlistedFiles);
    }
    const settledStats = new Map<string, FileStat>();
    for (const folder of folders) {
      const statBefore = this.#folders.statOf(folder);
      const takenMs = statBefore ? this.#startedMs : Date.now();
      const stat = statBefore ?? readFolderStat(`${this.#root}/${folder}`);
      if (stat && isSettled(stat, takenMs) && !foldersWithUnlistedFiles.has(folder))
        settledStats.set(folder, stat);
    }
    return settledStats;
  }

  [Symbol.dispose](): void {
    this.#staged[Symbol.dispose]();
    this.#staging[Symbol.dispose]();
  }
}

/**
 * Returns the fingerprint of a copy, which stays the same as long as the stat of its source does. Returns undefined if
 * the source changed too recently.
 */
export function computeCopyFingerprint(source: string, stats: Stats): string | undefined {
  const stat = toFileStat(stats);
  return isSettled(stat, Date.now()) ? [source, ...stat].join(" ") : undefined;
}

/**
 * Creates the bundle for a check. It reserves paths like a bundle folder and reports unreadable files, but does not
 * write anything.
 */
export function createDryRunBundle(): BundleFolder {
  const claimedPaths = new Set<string>();
  return {
    isTaken: (path) => isPathTaken(claimedPaths, path),
    write({ path }) {
      claimedPaths.add(path);
    },
    keep: () => false,
    place({ path }) {
      claimedPaths.add(path);
    },
    rewrite() {},
    async copyAsset(siteRoot, path) {
      claimedPaths.add(path);
      accessSync(resolveRealPathSync(siteRoot, path), constants.R_OK);
    },
    finish: () => ({ bytes: 0, manifest: emptyManifest }),
    [Symbol.dispose]() {},
  };
}

export function isPathTaken(paths: { has(path: string): boolean }, path: string): boolean {
  for (let ancestor = path; ancestor !== ""; ancestor = getParentFolder(ancestor))
    if (paths.has(ancestor)) return true;
  return false;
}

/** The maximum number of bytes to copy or write at a time. */
const blockBytes = 1024 * 1024;

/** A file that consists of parts and was written by an earlier export. */
export interface PreviousParts {
  readonly file: string;
  readonly parts: readonly ManifestPart[];
}

/** Reports whether the parts of a new file have the same bytes as the parts of the earlier file. */
function hasSameParts(parts: readonly FilePart[], earlier: readonly ManifestPart[]): boolean {
  return (
    parts.length === earlier.length && parts.every((part, at) => isSamePart(part, earlier[at]))
  );
}

/** Writes a file that consists of parts. Unchanged parts at its start and end are copied from `earlier.file`. */
export function writeParts(
  file: string,
  parts: readonly FilePart[],
  earlier?: PreviousParts,
): readonly ManifestPart[] {
  const earlierParts = earlier?.parts ?? [];
  const { head, middle, tail } = compareParts(parts, earlierParts);
  const target = openSync(file, "w");
  try {
    copyBytes(target, earlier?.file, { from: 0, length: sumBytes(head) });
    const added = writeNewParts(target, middle);
    const from = sumBytes(earlierParts) - sumBytes(tail);
    copyBytes(target, earlier?.file, { from, length: sumBytes(tail) });
    return [...head, ...added, ...tail];
  } finally {
    closeSync(target);
  }
}

interface Comparison {
  readonly head: readonly ManifestPart[];
  readonly middle: readonly FilePart[];
  readonly tail: readonly ManifestPart[];
}

function compareParts(parts: readonly FilePart[], earlier: readonly ManifestPart[]): Comparison {
  const minLength = Math.min(parts.length, earlier.length);
  let headLength = 0;
  while (headLength < minLength && isSamePart(parts[headLength], earlier[headLength]))
    headLength += 1;
  let tailLength = 0;
  while (
    tailLength < minLength - headLength &&
    isSamePart(parts.at(-1 - tailLength), earlier.at(-1 - tailLength))
  )
    tailLength += 1;
  return {
    head: earlier.slice(0, headLength),
    middle: parts.slice(headLength, parts.length - tailLength),
    tail: earlier.slice(earlier.length - tailLength),
  };
}

function isSamePart(part: FilePart | undefined, written: ManifestPart | undefined): boolean {
  return part?.fingerprint !== undefined && part.fingerprint === written?.[0];
}

function sumBytes(parts: readonly ManifestPart[]): number {
  return parts.reduce((sum, [, bytes]) => sum + bytes, 0);
}

/** Copies bytes block by block to the current position of the target. */
function copyBytes(
  target: number,
  file: string | undefined,
  { from, length }: { readonly from: number; readonly length: number },
): void {
  if (file === undefined || length === 0) return;
  const source = openSync(file, "r");
  try {
    const block = Buffer.allocUnsafe(Math.min(blockBytes, length));
    for (let done = 0; done < length; done += block.length) {
      const size = Math.min(block.length, length - done);
      if (readSync(source, block, 0, size, from + done) !== size)
        throw new Error("A file of the bundle was truncated while it was being written.");
      writeFileSync(target, block.subarray(0, size));
    }
  } finally {
    closeSync(source);
  }
}

/** Writes new parts in batches, because a call per small part costs more than copying the part. */
function writeNewParts(target: number, parts: readonly FilePart[]): ManifestPart[] {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  function flush(): void {
    writeFileSync(target, Buffer.concat(pending));
    pending = [];
    pendingBytes = 0;
  }
  const written = parts.map((part): ManifestPart => {
    const content = part.bytes();
    pending.push(content);
    pendingBytes += content.length;
    if (pendingBytes >= blockBytes) flush();
    return [part.fingerprint ?? "", content.length];
  });
  flush();
  return written;
}
