import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import type { Dirent, Stats } from "node:fs";
import { mkdir, open, readdir, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import {
  OctavoError,
  resolveInside,
  sha256,
  getParentFolder,
  createInputError,
} from "@octavo/site/core";
import { foldName } from "./content.ts";
import { fixedLimits } from "./limits.ts";

/** Without `O_NONBLOCK`, opening a named pipe would block a thread until a writer appears. */
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const writeFlags =
  constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

export interface FileStart {
  readonly bytes: Buffer;
  /** The size of the whole file. */
  readonly totalBytes: number;
}

/**
 * The files in one folder of a checkout, by paths whose characters have already been checked. Does not follow symbolic
 * links in any part of a path, enter submodules, or decide which files are content. Stats and reads files
 * synchronously, because a search does so for every file, and waiting for a thread takes ten times as long.
 */
export class ContainedFolder {
  readonly #root: string;
  /** Folders that are known to belong to a different repository. */
  readonly #submodules = new Set<string>();
  readonly #ownFolders = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Returns the entries of a folder. The result is empty if the folder does not exist or is a submodule. */
  async listEntries(folder: string): Promise<readonly Dirent[]> {
    const path = join(this.#root, folder);
    const entries = await readdir(path, { withFileTypes: true }).catch(ignoreAbsent);
    if (!entries || folder === "") return entries ?? [];
    // Git creates empty folders only for submodules that were not fetched.
    const isSubmodule =
      entries.length === 0 || entries.some((entry) => foldName(entry.name) === ".git");
    (isSubmodule ? this.#submodules : this.#ownFolders).add(folder);
    return isSubmodule ? [] : entries;
  }

  /**
   * Returns the stats of the file at `path`, or undefined if it does not exist. Throws `invalid_input` for symbolic
   * links and folders.
   */
  async statFile(path: string): Promise<Stats | undefined> {
    const parts = path.split("/");
    for (let count = 1; count <= parts.length; count++) {
      const prefix = parts.slice(0, count).join("/");
      const stats = lstatSync(resolveInside(this.#root, prefix), { throwIfNoEntry: false });
      if (!stats) return undefined;
      if (stats.isSymbolicLink())
        throw createInputError(`${prefix} is a symbolic link, which is not followed.`);
      if (count === parts.length) {
        if (!stats.isFile()) throw createInputError(`${prefix} is not a file.`);
        return stats;
      }
      if (!stats.isDirectory()) throw createInputError(`${prefix} is not a folder.`);
      await this.#refuseSubmodule(prefix);
    }
    return undefined;
  }

  /** Reads a file's text. Throws `too_large`, or `invalid_input` if the file is not UTF-8. */
  async readText(path: string): Promise<string> {
    const file = openSync(resolveInside(this.#root, path), readFlags);
    try {
      if (fstatSync(file).size > fixedLimits.maxTextBytes) {
        throw new OctavoError(
          "too_large",
          `${path} is larger than ${fixedLimits.maxTextBytes} bytes.`,
        );
      }
      return decodeText(path, readFileSync(file));
    } finally {
      closeSync(file);
    }
  }

  /** Reads at most `maxBytes` from the beginning of a file. Throws if the file does not exist. */
  async readStart(path: string, maxBytes: number): Promise<FileStart> {
    await using file = await open(resolveInside(this.#root, path), readFlags);
    const { size: length } = await file.stat();
    const buffer = Buffer.alloc(Math.min(length, maxBytes));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    return { bytes: buffer.subarray(0, bytesRead), totalBytes: length };
  }

  /** Reads a file's bytes. Returns undefined if the file does not exist. */
  async readBytes(path: string): Promise<Buffer | undefined> {
    const file = await open(resolveInside(this.#root, path), readFlags).catch(ignoreAbsent);
    if (!file) return undefined;
    await using handle = file;
    return await handle.readFile();
  }

  /** Returns the SHA-256 of a file's bytes, or undefined if the file does not exist. */
  async hash(path: string): Promise<string | undefined> {
    const bytes = await this.readBytes(path);
    return bytes && sha256(bytes);
  }

  async write(path: string, content: string | Buffer): Promise<void> {
    await mkdir(join(this.#root, getParentFolder(path)), { recursive: true });
    await using file = await open(resolveInside(this.#root, path), writeFlags, 0o644);
    await file.writeFile(content);
  }

  async remove(path: string): Promise<void> {
    await rm(resolveInside(this.#root, path));
    await this.#removeEmptyFolders(getParentFolder(path));
  }

  async move(from: string, to: string): Promise<void> {
    await mkdir(join(this.#root, getParentFolder(to)), { recursive: true });
    await rename(resolveInside(this.#root, from), resolveInside(this.#root, to));
    await this.#removeEmptyFolders(getParentFolder(from));
  }

  async #refuseSubmodule(folder: string): Promise<void> {
    if (this.#ownFolders.has(folder)) return;
    await this.listEntries(folder);
    if (!this.#submodules.has(folder)) return;
    throw createInputError(
      `${folder} is a submodule, whose files belong to a different repository.`,
    );
  }

  /** Removes empty folders. Git does not store them, and an empty folder could be mistaken for a submodule. */
  async #removeEmptyFolders(folder: string): Promise<void> {
    for (let path = folder; path !== ""; path = getParentFolder(path)) {
      const remainingNames = await readdir(join(this.#root, path));
      if (remainingNames.length > 0) return;
      await rmdir(join(this.#root, path));
      this.#ownFolders.delete(path);
    }
  }
}

function decodeText(path: string, bytes: Buffer): string {
  try {
    // Keeps a byte order mark, so that text that is not edited is written back unchanged.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new OctavoError("invalid_input", `${path} is not UTF-8 text.`, { cause });
  }
}

function ignoreAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
  throw error;
}
