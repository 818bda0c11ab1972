import { byCodeUnit, sha256 } from "@octavo/site/core";
import type { ContainedFolder } from "../contained-folder.ts";
import type { ChangedFile, FileChange } from "./file-change.ts";
import type { TextChange } from "./text-changes.ts";

/** What is remembered of all files together, so that it can be brought back. */
const maxStoredBytes = 128 * 1024 * 1024;

/** A file before its first change. */
interface OriginalFile {
  readonly hash: string;
  /** Absent where too much would have to be stored. */
  readonly bytes?: Buffer;
}

/** The changes of one tool call, which belong together. */
export interface ChangeBatch {
  readonly changes: readonly FileChange[];
  /** Of the files that it wrote or deleted, by path; undefined where too much would have to be stored. */
  readonly texts: ReadonlyMap<string, TextChange | undefined>;
}

/**
 * What a workspace's files were before their first change, and what was changed since: how files differ from
 * what they were, and what is needed to take a change back. Changes no file itself.
 */
export class ChangeLog {
  readonly #folder: ContainedFolder;
  /** Undefined where there was no file. */
  readonly #originals = new Map<string, OriginalFile | undefined>();
  /** Where moved files were at first, by their present path. */
  readonly #moves = new Map<string, string>();
  #batches: ChangeBatch[] = [];
  #storedBytes = 0;

  constructor(folder: ContainedFolder) {
    this.#folder = folder;
  }

  /** Whether the file has been changed, even if it was changed back. */
  has(path: string): boolean {
    return this.#originals.has(path);
  }

  /** How many files have been changed at some time, whether they differ now or not. */
  get size(): number {
    return this.#originals.size;
  }

  get batches(): readonly ChangeBatch[] {
    return this.#batches;
  }

  /** How many files would have been changed with these. */
  sizeWith(changes: readonly FileChange[]): number {
    return new Set([...this.#originals.keys(), ...changes.flatMap(pathsOf)]).size;
  }

  /** Remembers what the changes are about to replace. Call it before they are made. */
  async begin(changes: readonly FileChange[]): Promise<void> {
    const texts = new Map<string, TextChange | undefined>();
    for (const change of changes) {
      for (const path of pathsOf(change)) await this.#storeOriginal(path);
      if (change.type === "move") continue;
      const bytes = await this.#folder.readBytes(change.path);
      const after = change.type === "write" ? change.text : "";
      const isStored = this.#store((bytes?.length ?? 0) + after.length);
      texts.set(change.path, isStored ? { before: bytes?.toString() ?? "", after } : undefined);
    }
    this.#batches.push({ changes, texts });
  }

  /** Tells that a file was moved. */
  move(from: string, to: string): void {
    const origin = this.#moves.get(from) ?? from;
    this.#moves.delete(from);
    if (origin !== to) this.#moves.set(to, origin);
  }

  /** Tells that a file is where it was at first, or is no more. */
  settle(path: string): void {
    this.#moves.delete(path);
  }

  /** Forgets batches that were taken back. */
  forget(batches: ReadonlySet<ChangeBatch>): void {
    this.#batches = this.#batches.filter((batch) => !batches.has(batch));
  }

  /** Where a file was at first and where it is now, by either path. */
  placesOf(path: string): { readonly origin: string; readonly current: string } {
    const origin = this.#moves.get(path);
    if (origin !== undefined) return { origin, current: path };
    const moved = [...this.#moves].find(([, from]) => from === path);
    return { origin: path, current: moved?.[0] ?? path };
  }

  /** `too_large` where the file was not stored; undefined where there was none. */
  originalBytes(path: string): Buffer | "too_large" | undefined {
    const original = this.#originals.get(path);
    return original && (original.bytes ?? "too_large");
  }

  /** How the files differ from what they were at first, sorted by path. */
  async changedFiles(): Promise<readonly ChangedFile[]> {
    const isMoved = (to: string) => !this.#originals.get(to) && this.#moves.has(to);
    const movedFrom = new Set(
      [...this.#moves].flatMap(([to, from]) => (isMoved(to) ? [from] : [])),
    );
    const changed: ChangedFile[] = [];
    for (const [path, before] of this.#originals) {
      const now = await this.#folder.hash(path);
      if (now === before?.hash) continue;
      const origin = this.#moves.get(path) ?? path;
      const from = this.#originals.get(origin) && origin !== path ? origin : undefined;
      if (before === undefined && from !== undefined) changed.push({ path, kind: "moved", from });
      else if (before === undefined) changed.push({ path, kind: "added" });
      else if (now !== undefined) changed.push({ path, kind: "modified" });
      else if (!movedFrom.has(path)) changed.push({ path, kind: "deleted" });
    }
    return changed.toSorted((a, b) => byCodeUnit(a.path, b.path));
  }

  async #storeOriginal(path: string): Promise<void> {
    if (this.#originals.has(path)) return;
    const bytes = await this.#folder.readBytes(path);
    if (!bytes) return void this.#originals.set(path, undefined);
    const hash = sha256(bytes);
    this.#originals.set(path, this.#store(bytes.length) ? { hash, bytes } : { hash });
  }

  #store(length: number): boolean {
    if (this.#storedBytes + length > maxStoredBytes) return false;
    this.#storedBytes += length;
    return true;
  }
}

function pathsOf(change: FileChange): readonly string[] {
  return change.type === "move" ? [change.from, change.to] : [change.path];
}
