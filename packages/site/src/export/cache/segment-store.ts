import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { createSegment, openSegment } from "./segment.ts";
import type { Segment, SegmentWriter } from "./segment.ts";

/**
 * Records by key in a folder of segments, for one export. Safe for several processes at once: segments appear
 * whole and never change, and who has one open can read it after another process removed it. A key that
 * stands in several is found in the newest.
 */
export interface SegmentStore {
  find(key: string): StoredRecord | undefined;
  /** Not found until the store is opened again. */
  append(key: string, head: Uint8Array, parts: readonly Uint8Array[]): void;
  /** Lets others find what was appended. */
  flush(): void;
  /** Joins segments of which there are many, and takes out of old ones what is not used any more. */
  tidy(now: number): void;
  /** No record can be read after this. */
  close(): void;
}

export interface StoredRecord {
  readonly head: Buffer;
  bytesOf(part: number): number;
  /** Throws where its bytes are damaged, and then the next store does not know it. */
  part(part: number): Buffer;
}

export const dayMs = 24 * 60 * 60 * 1_000;
/** What no export has used for so long is removed. */
export const keptMs = 30 * dayMs;
/** A segment gets its name, and the next begins: what is lost when a process is killed, and memory for the heads. */
const fullBytes = 64 * 1024 * 1024;
/** Smaller ones, which exports after a few edits leave, are joined when there are many. */
const smallBytes = 8 * 1024 * 1024;
const mostSmall = 16;
const ending = ".segment";

interface OpenSegment {
  readonly file: string;
  /** Of the oldest record in it. */
  readonly createdMs: number;
  readonly segment: Segment;
  readonly used: Set<number>;
}

/** Throws nothing: where the folder cannot be read there are no records, and where it cannot be written none are kept. */
export function openSegmentStore(folder: string): SegmentStore {
  return new Store(folder);
}

class Store implements SegmentStore {
  readonly #folder: string;
  /** The newest first. */
  readonly #segments: OpenSegment[];
  #writer: SegmentWriter | undefined;
  #isWritable = true;

  constructor(folder: string) {
    this.#folder = folder;
    this.#segments = segmentFiles(folder).flatMap((name) => openIn(folder, name));
  }

  find(key: string): StoredRecord | undefined {
    for (const open of this.#segments) {
      const { segment, used } = open;
      const record = segment.find(key);
      if (record === undefined) continue;
      if (used.size === 0) sayUsed(open);
      used.add(record);
      return {
        head: segment.head(record),
        bytesOf: (part) => segment.lengthOf(record, part),
        part: (part) => partOf(open, record, part),
      };
    }
    return undefined;
  }

  append(key: string, head: Uint8Array, parts: readonly Uint8Array[]): void {
    this.#write(() => {
      this.#writer ??= createSegment(this.#partialFile());
      this.#writer.append(key, head, parts);
      if (this.#writer.bytes >= fullBytes) this.#finish(this.#writer, Date.now());
    });
  }

  flush(): void {
    const writer = this.#writer;
    if (writer) this.#write(() => this.#finish(writer, Date.now()));
  }

  tidy(now: number): void {
    const small = this.#segments.filter(({ segment }) => segment.bytes < smallBytes);
    const joined = new Set(small.length > mostSmall ? small : []);
    for (const open of this.#segments) if (isMostlyUnused(open, now)) joined.add(open);
    // In the order of all: the newest of equal keys is taken.
    const segments = this.#segments.filter((open) => joined.has(open));
    if (segments.length > 0) this.#write(() => this.#join(segments, now));
  }

  close(): void {
    this.flush();
    for (const { segment } of this.#segments) segment.close();
    this.#segments.length = 0;
  }

  /** A full disk, a home that nobody may write to: nothing more is kept, and rendered again next time. */
  #write(work: () => void): void {
    if (!this.#isWritable) return;
    try {
      work();
    } catch {
      this.#isWritable = false;
      discard(this.#writer);
      this.#writer = undefined;
    }
  }

  #partialFile(): string {
    mkdirSync(this.#folder, { recursive: true });
    return join(this.#folder, `${randomUUID()}.part`);
  }

  #finish(writer: SegmentWriter, createdMs: number): void {
    this.#writer = undefined;
    try {
      writer.finish(join(this.#folder, segmentName(createdMs)));
    } catch (error) {
      discard(writer);
      throw error;
    }
  }

  #join(segments: readonly OpenSegment[], now: number): void {
    const writer = (this.#writer = createSegment(this.#partialFile()));
    const taken = new Set<string>();
    for (const { segment, used, createdMs } of segments) {
      const isOld = createdMs < now - keptMs;
      for (const key of segment.keys()) {
        const record = segment.find(key);
        if (record === undefined || taken.has(key) || (isOld && !used.has(record))) continue;
        taken.add(key);
        writer.copy(key, segment.raw(record));
      }
    }
    this.#finish(writer, Math.min(...segments.map(({ createdMs }) => createdMs)));
    for (const { file } of segments) rmSync(file, { force: true });
  }
}

/** Most of what it holds was of pages as they are no more. Where nothing of it was used it may be of another branch. */
function isMostlyUnused({ segment, used, createdMs }: OpenSegment, now: number): boolean {
  if (used.size === 0 || createdMs >= now - keptMs) return false;
  let bytes = 0;
  for (const record of used) bytes += segment.sizeOf(record);
  return bytes < segment.bytes / 2;
}

/** The newest first. */
function segmentFiles(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(ending));
    return names.toSorted((a, b) => createdAt(b) - createdAt(a));
  } catch {
    return [];
  }
}

function segmentName(createdMs: number): string {
  return `${createdMs.toString(36)}-${randomUUID()}${ending}`;
}

function createdAt(name: string): number {
  return Number.parseInt(name, 36) || 0;
}

function openIn(folder: string, name: string): OpenSegment[] {
  const file = join(folder, name);
  try {
    const segment = openSegment(file);
    return [{ file, createdMs: createdAt(name), segment, used: new Set() }];
  } catch {
    return [];
  }
}

function partOf({ file, segment }: OpenSegment, record: number, part: number): Buffer {
  try {
    return segment.part(record, part);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

/** A day's grace saves a write for each export. */
function sayUsed({ file, segment }: OpenSegment): void {
  const now = Date.now();
  if (now - segment.mtimeMs < dayMs) return;
  try {
    utimesSync(file, now / 1_000, now / 1_000);
  } catch {
    // Another process removed it, or it is another user's.
  }
}

function discard(writer: SegmentWriter | undefined): void {
  try {
    writer?.discard();
  } catch {
    // It is gone, or stays until it is pruned.
  }
}
