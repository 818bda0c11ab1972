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
  /**
   * Returns the record as it can be read until the store is closed; undefined if it cannot be written. `find` finds it
   * only after the store is opened again.
   */
  append(key: string, head: Uint8Array, parts: readonly Uint8Array[]): StoredParts | undefined;
  /** Makes what was appended visible to other stores. */
  flush(): void;
  /** Merges small segments where there are many, and drops unused records from old ones. */
  compact(now: number): void;
  /** No record can be read after this. */
  close(): void;
}

export interface StoredParts {
  bytesOf(part: number): number;
  /** Throws if its bytes are damaged, and removes the segment, so that the next store does not have it. */
  part(part: number, memory?: Buffer): Buffer;
}

export interface StoredRecord extends StoredParts {
  readonly head: Buffer;
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
  #places: ReadonlyMap<string, RecordPlace> | undefined;
  #writer: SegmentWriter | undefined;
  /** Nothing is added to them any more, but their records are read. */
  readonly #finished: SegmentWriter[] = [];
  #isWritable = true;

  constructor(folder: string) {
    this.#folder = folder;
    this.#segments = segmentFiles(folder).flatMap((name) => openIn(folder, name));
  }

  find(key: string): StoredRecord | undefined {
    const place = (this.#places ??= placesOf(this.#segments)).get(key);
    if (!place) return undefined;
    const { open, record } = place;
    const { segment, used } = open;
    if (used.size === 0) markSegmentUsed(open);
    used.add(record);
    return {
      head: segment.head(record),
      bytesOf: (part) => segment.lengthOf(record, part),
      part: (part, memory) => partOf(open, record, { part, memory }),
    };
  }

  append(key: string, head: Uint8Array, parts: readonly Uint8Array[]): StoredParts | undefined {
    let stored: StoredParts | undefined;
    this.#write(() => {
      const writer = (this.#writer ??= createSegment(this.#partialFile()));
      const record = writer.append(key, head, parts);
      if (writer.bytes >= maxSegmentBytes) this.#finish(writer, Date.now());
      stored = storedParts(writer, record);
    });
    return stored;
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
    for (const writer of this.#finished) writer.close();
    this.#segments.length = 0;
    this.#places = undefined;
    this.#finished.length = 0;
  }

  /** After a failure, such as a full disk, nothing more is written: the next export renders those pages again. */
  #write(work: () => void): void {
    if (!this.#isWritable) return;
    try {
      work();
    } catch {
      this.#isWritable = false;
      if (this.#writer) this.#abandon(this.#writer);
      this.#writer = undefined;
    }
  }

  /** Removes the file; its records can be read until the store is closed. */
  #abandon(writer: SegmentWriter): void {
    this.#finished.push(writer);
    discard(writer);
  }

  #partialFile(): string {
    makeFolder(this.#folder);
    return join(this.#folder, `${randomUUID()}.part`);
  }

  #finish(writer: SegmentWriter, createdMs: number): void {
    this.#writer = undefined;
    try {
      writer.finish(join(this.#folder, segmentName(createdMs)));
      this.#finished.push(writer);
    } catch (error) {
      this.#abandon(writer);
      throw error;
    }
  }

  #merge(segments: readonly OpenSegment[], now: number): void {
    const writer = (this.#writer = createSegment(this.#partialFile()));
    const taken = new Set<string>();
    for (const { segment, used, createdMs } of segments) {
      const isOld = createdMs < now - maxUnusedMs;
      for (const [record, key] of segment.keys.entries()) {
        if (taken.has(key) || (isOld && !used.has(record))) continue;
        taken.add(key);
        writer.copy(key, segment.raw(record));
      }
    }
    this.#finish(writer, Math.min(...segments.map(({ createdMs }) => createdMs)));
    for (const { file } of segments) rmSync(file, { force: true });
  }
}

interface RecordPlace {
  readonly open: OpenSegment;
  readonly record: number;
}

/** Of equal keys that of the newest segment. */
function placesOf(segments: readonly OpenSegment[]): ReadonlyMap<string, RecordPlace> {
  const places = new Map<string, RecordPlace>();
  for (const open of segments.toReversed()) {
    for (const [record, key] of open.segment.keys.entries()) places.set(key, { open, record });
  }
  return places;
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

/** A function of its own: closures of the caller would hold what was written. */
function storedParts(writer: SegmentWriter, record: number): StoredParts {
  return {
    bytesOf: (part) => writer.lengthOf(record, part),
    part: (part, memory) => writer.part(record, part, memory),
  };
}

function partOf(
  { file, segment }: OpenSegment,
  record: number,
  { part, memory }: { readonly part: number; readonly memory: Buffer | undefined },
): Buffer {
  try {
    return segment.part(record, part, memory);
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

function discard(writer: SegmentWriter): void {
  try {
    writer.discard();
  } catch {
    // It is gone, or stays until the cache is pruned.
  }
}
