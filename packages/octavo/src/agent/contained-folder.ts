import { constants } from "node:fs";
import type { Dirent, Stats } from "node:fs";
import { lstat, mkdir, open, readdir, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { OctavoError, resolveInside, sha256 } from "@octavo/site/core";
import { foldName, parentFolder } from "./content.ts";
import { bounds } from "./limits.ts";

/** `O_NONBLOCK`: a named pipe would keep a thread waiting for a writer that never comes. */
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const writeFlags =
  constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

export interface FileStart {
  readonly bytes: Buffer;
  /** Of the whole file, in bytes. */
  readonly length: number;
}

/**
 * Files below one folder of a checkout, by paths that were checked for their letters. No symbolic link
 * is followed at any part of a path, and no submodule is entered. Knows nothing of what is content.
 */
export class ContainedFolder {
  readonly #root: string;
  /** Folders that were found to belong to another repository. */
  readonly #submodules = new Set<string>();
  readonly #own = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  /** What lies in a folder; nothing where there is no such folder or it is a submodule. */
  async entries(folder: string): Promise<readonly Dirent[]> {
    const path = join(this.#root, folder);
    const entries = await readdir(path, { withFileTypes: true }).catch(ignoreAbsent);
    if (!entries || folder === "") return entries ?? [];
    // Git makes no empty folder but for a submodule that was not fetched.
    const isSubmodule =
      entries.length === 0 || entries.some((entry) => foldName(entry.name) === ".git");
    (isSubmodule ? this.#submodules : this.#own).add(folder);
    return isSubmodule ? [] : entries;
  }

  /** The file at `path`; undefined where there is none. Throws `invalid_input` for links and folders. */
  async look(path: string): Promise<Stats | undefined> {
    const parts = path.split("/");
    for (let count = 1; count <= parts.length; count++) {
      const part = parts.slice(0, count).join("/");
      const stats = await lstat(resolveInside(this.#root, part)).catch(ignoreAbsent);
      if (!stats) return undefined;
      if (stats.isSymbolicLink()) throw refused(`${part} is a symbolic link; it is not followed.`);
      if (count === parts.length) {
        if (!stats.isFile()) throw refused(`${part} is not a file.`);
        return stats;
      }
      if (!stats.isDirectory()) throw refused(`${part} is not a folder.`);
      await this.#refuseSubmodule(part);
    }
    return undefined;
  }

  /** Throws `too_large`, and `invalid_input` for what is not UTF-8. */
  async readText(path: string): Promise<string> {
    await using file = await open(resolveInside(this.#root, path), readFlags);
    const { size } = await file.stat();
    if (size > bounds.textBytes) {
      throw new OctavoError("too_large", `${path} is larger than ${bounds.textBytes} bytes.`);
    }
    try {
      // A byte order mark stays: what is not edited is written back as it was.
      const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
      return decoder.decode(await file.readFile());
    } catch (cause) {
      throw new OctavoError("invalid_input", `${path} is not text in UTF-8.`, { cause });
    }
  }

  /** At most `maxBytes` of a file, from its beginning. Throws where there is none. */
  async readStart(path: string, maxBytes: number): Promise<FileStart> {
    await using file = await open(resolveInside(this.#root, path), readFlags);
    const { size: length } = await file.stat();
    const buffer = Buffer.alloc(Math.min(length, maxBytes));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    return { bytes: buffer.subarray(0, bytesRead), length };
  }

  /** A file's bytes; undefined where there is none. */
  async readBytes(path: string): Promise<Buffer | undefined> {
    const file = await open(resolveInside(this.#root, path), readFlags).catch(ignoreAbsent);
    if (!file) return undefined;
    await using handle = file;
    return await handle.readFile();
  }

  /** SHA-256 of a file's bytes; undefined where there is none. */
  async hash(path: string): Promise<string | undefined> {
    const bytes = await this.readBytes(path);
    return bytes && sha256(bytes);
  }

  async write(path: string, content: string | Buffer): Promise<void> {
    await mkdir(join(this.#root, parentFolder(path)), { recursive: true });
    await using file = await open(resolveInside(this.#root, path), writeFlags, 0o644);
    await file.writeFile(content);
  }

  async remove(path: string): Promise<void> {
    await rm(resolveInside(this.#root, path));
    await this.#removeEmptyFolders(parentFolder(path));
  }

  async move(from: string, to: string): Promise<void> {
    await mkdir(join(this.#root, parentFolder(to)), { recursive: true });
    await rename(resolveInside(this.#root, from), resolveInside(this.#root, to));
    await this.#removeEmptyFolders(parentFolder(from));
  }

  async #refuseSubmodule(folder: string): Promise<void> {
    if (this.#own.has(folder)) return;
    await this.entries(folder);
    if (!this.#submodules.has(folder)) return;
    throw refused(`${folder} is a submodule; its files belong to another repository.`);
  }

  /** Git keeps no empty folder, and none is left to be taken for a submodule. */
  async #removeEmptyFolders(folder: string): Promise<void> {
    for (let path = folder; path !== ""; path = parentFolder(path)) {
      const rest = await readdir(join(this.#root, path));
      if (rest.length > 0) return;
      await rmdir(join(this.#root, path));
      this.#own.delete(path);
    }
  }
}

function refused(message: string): OctavoError {
  return new OctavoError("invalid_input", message);
}

function ignoreAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
  throw error;
}
