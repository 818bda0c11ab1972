import { randomUUID } from "node:crypto";
import { readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../core/index.ts";
import { createSegment, openSegment } from "./segment.ts";
import type { Segment, SegmentWriter } from "./segment.ts";
import { dayMs, maxUnusedMs } from "./mark-used.ts";

/**
 * Records by key in a folder of segments, for one export. Several processes may use it at once: segments appear
 * whole and never change, and an open one can be read after another process removed it. A key that is in several
 * segments is found in the newest.
 */
export interface SegmentStore {
  find(key: string): StoredRecord | undefined;
  /** `find` finds the record only after the store is opened again. */
  append(key: string, head: Uint8Array, parts: readonly Uint8Array[]): void;
  /** Makes what was appended visible to other stores. */
  flush(): void;
  /** Merges small segments where there are many, and drops unused records from old ones. */
  compact(now: number): void;
  /** No record can be read after this. */
  close(): void;
}

export interface StoredRecord {
  readonly head: Buffer;
  bytesOf(part: number): number;
  /** Throws if its bytes are damaged, and removes the segment, so that the next store does not have it. */
  part(part: number): Buffer;
}

/** A larger segment is finished and a new one begun. Bounds what a killed process loses, and the memory for heads. */
const maxSegmentBytes = 64 * 1024 * 1024;
/** Exports after a few edits leave segments smaller than this; they are merged when there are many. */
const smallBytes = 8 * 1024 * 1024;
const maxSmallSegments = 16;
const extension = ".segment";

interface OpenSegment {
  readonly file: string;
  /** Of the oldest record in it. */
  readonly createdMs: number;
  readonly segment: Segment;
  readonly used: Set<number>;
}

/** Never throws: if the folder cannot be read there are no records; if it cannot be written none are added. */
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
      if (used.size === 0) markSegmentUsed(open);
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
      if (this.#writer.bytes >= maxSegmentBytes) this.#finish(this.#writer, Date.now());
    });
  }

  flush(): void {
    const writer = this.#writer;
    if (writer) this.#write(() => this.#finish(writer, Date.now()));
  }

  compact(now: number): void {
    const small = this.#segments.filter(({ segment }) => segment.bytes < smallBytes);
    const chosen = new Set(small.length > maxSmallSegments ? small : []);
    for (const open of this.#segments) if (isMostlyUnused(open, now)) chosen.add(open);
    // Newest first, like all segments: of equal keys the newest is copied.
    const segments = this.#segments.filter((open) => chosen.has(open));
    if (segments.length > 0) this.#write(() => this.#merge(segments, now));
  }

  close(): void {
    this.flush();
    for (const { segment } of this.#segments) segment.close();
    this.#segments.length = 0;
  }

  /** After a failure, such as a full disk, nothing more is written: the next export renders those pages again. */
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
    makeFolder(this.#folder);
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

  #merge(segments: readonly OpenSegment[], now: number): void {
    const writer = (this.#writer = createSegment(this.#partialFile()));
    const taken = new Set<string>();
    for (const { segment, used, createdMs } of segments) {
      const isOld = createdMs < now - maxUnusedMs;
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

/** Whether most of its records are of outdated pages. If none were used they may belong to another branch, and stay. */
function isMostlyUnused({ segment, used, createdMs }: OpenSegment, now: number): boolean {
  if (used.size === 0 || createdMs >= now - maxUnusedMs) return false;
  let bytes = 0;
  for (const record of used) bytes += segment.sizeOf(record);
  return bytes < segment.bytes / 2;
}

/** The newest first. */
function segmentFiles(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(extension));
    return names.toSorted((a, b) => createdAt(b) - createdAt(a));
  } catch {
    return [];
  }
}

function segmentName(createdMs: number): string {
  return `${createdMs.toString(36)}-${randomUUID()}${extension}`;
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

/** At most once a day, which saves a write for each export. */
function markSegmentUsed({ file, segment }: OpenSegment): void {
  const now = Date.now();
  if (now - segment.mtimeMs < dayMs) return;
  try {
    utimesSync(file, now / 1_000, now / 1_000);
  } catch {
    // Another process removed it, or it belongs to another user.
  }
}

function discard(writer: SegmentWriter | undefined): void {
  try {
    writer?.discard();
  } catch {
    // It is gone, or stays until the cache is pruned.
  }
}
