import { compareCodeUnits, sha256 } from "@octavo/site/core";
import type { ContainedFolder } from "../contained-folder.ts";
import type { ChangedFile, ContentChange, TextChange } from "./text-changes.ts";

/** The maximum total size of the originals that are kept for undoing changes, in bytes. */
const maxStoredBytes = 128 * 1024 * 1024;

/** A file before its first change. */
interface OriginalFile {
  readonly hash: string;
  /** The original bytes; undefined if too much data would have to be stored. */
  readonly bytes?: Buffer;
}

/** The changes of one tool call, which belong together. */
export interface ChangeBatch {
  readonly changes: readonly ContentChange[];
  /** The files that were written or deleted, by path; undefined if too much data would have to be stored. */
  readonly texts: ReadonlyMap<string, TextChange | undefined>;
}

/**
 * A record of a workspace's files before their first change, and of every change since. Reports how files differ from
 * their originals, and keeps the data for undoing a change. Does not change any file itself.
 */
export class ChangeLog {
  readonly #folder: ContainedFolder;
  /** The original files by path. The value is undefined if the file did not exist. */
  readonly #originals = new Map<string, OriginalFile | undefined>();
  /** The original path of each moved file, by its current path. */
  readonly #moves = new Map<string, string>();
  #batches: ChangeBatch[] = [];
  #storedBytes = 0;

  constructor(folder: ContainedFolder) {
    this.#folder = folder;
  }

  /** Reports whether the file has been changed, even if it was changed back. */
  has(path: string): boolean {
    return this.#originals.has(path);
  }

  /** Returns the files that were changed at any time, even if they are unchanged now. */
  listOriginalPaths(): ReadonlySet<string> {
    return new Set(this.#originals.keys());
  }

  get batches(): readonly ChangeBatch[] {
    return this.#batches;
  }

  /** Returns the number of files that will have been changed after these changes. */
  countFilesWith(changes: readonly ContentChange[]): number {
    return new Set([...this.#originals.keys(), ...changes.flatMap(listPaths)]).size;
  }

  /** Records the content that the changes are about to replace. Must be called before they are made. */
  async recordBatch(changes: readonly ContentChange[]): Promise<void> {
    const texts = new Map<string, TextChange | undefined>();
    for (const change of changes) {
      for (const path of listPaths(change)) await this.#storeOriginal(path);
      if (change.type === "move") continue;
      const bytes = await this.#folder.readBytes(change.path);
      const after = change.type === "write" ? change.text : "";
      const isStored = this.#reserveBytes((bytes?.length ?? 0) + after.length);
      texts.set(change.path, isStored ? { before: bytes?.toString() ?? "", after } : undefined);
    }
    this.#batches.push({ changes, texts });
  }

  /** Records that a file was moved. */
  recordMove(from: string, to: string): void {
    const origin = this.#moves.get(from) ?? from;
    this.#moves.delete(from);
    if (origin !== to) this.#moves.set(to, origin);
  }

  /** Records that a file is at its original path again, or was deleted. */
  forgetMove(path: string): void {
    this.#moves.delete(path);
  }

  /** Removes batches that were undone. */
  removeBatches(batches: ReadonlySet<ChangeBatch>): void {
    this.#batches = this.#batches.filter((batch) => !batches.has(batch));
  }

  /** Returns the original and the current path of a file, given either of them. */
  findPaths(path: string): { readonly origin: string; readonly current: string } {
    const origin = this.#moves.get(path);
    if (origin !== undefined) return { origin, current: path };
    const move = [...this.#moves].find(([, from]) => from === path);
    return { origin: path, current: move?.[0] ?? path };
  }

  /** Returns a file's original bytes, or `too_large` if they were not stored, or undefined if there was no file. */
  getOriginalBytes(path: string): Buffer | "too_large" | undefined {
    const original = this.#originals.get(path);
    return original && (original.bytes ?? "too_large");
  }

  /** Returns the differences between the files and their originals, sorted by path. */
  async listChangedFiles(): Promise<readonly ChangedFile[]> {
    const isMoved = (to: string) => !this.#originals.get(to) && this.#moves.has(to);
    const movedFrom = new Set(
      [...this.#moves].flatMap(([to, from]) => (isMoved(to) ? [from] : [])),
    );
    const changed: ChangedFile[] = [];
    for (const [path, before] of this.#originals) {
      const hash = await this.#folder.hash(path);
      if (hash === before?.hash) continue;
      const origin = this.#moves.get(path) ?? path;
      const from = this.#originals.get(origin) && origin !== path ? origin : undefined;
      if (before === undefined && from !== undefined) changed.push({ path, kind: "moved", from });
      else if (before === undefined) changed.push({ path, kind: "added" });
      else if (hash !== undefined) changed.push({ path, kind: "modified" });
      else if (!movedFrom.has(path)) changed.push({ path, kind: "deleted" });
    }
    return changed.toSorted((a, b) => compareCodeUnits(a.path, b.path));
  }

  async #storeOriginal(path: string): Promise<void> {
    if (this.#originals.has(path)) return;
    const bytes = await this.#folder.readBytes(path);
    if (!bytes) return void this.#originals.set(path, undefined);
    const hash = sha256(bytes);
    this.#originals.set(path, this.#reserveBytes(bytes.length) ? { hash, bytes } : { hash });
  }

  #reserveBytes(length: number): boolean {
    if (this.#storedBytes + length > maxStoredBytes) return false;
    this.#storedBytes += length;
    return true;
  }
}

function listPaths(change: ContentChange): readonly string[] {
  return change.type === "move" ? [change.from, change.to] : [change.path];
}
