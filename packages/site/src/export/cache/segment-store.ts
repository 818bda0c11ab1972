import { randomUUID } from "node:crypto";
import { readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../core/index.ts";
import { createKeyFinder, keyLength } from "./key-table.ts";
import { createSegment, openSegment } from "./segment.ts";
import type { Segment, SegmentWriter } from "./segment.ts";
import { dayMs, maxUnusedMs } from "./mark-used.ts";

/**
 * Stores records by key in a folder of segments, for one export. Several processes may use the folder at the same time:
 * segments appear whole and never change, and an open segment can still be read after another process has removed it.
 * Equal keys have equal records: the store finds the one in the newest segment, or one near the last record found
 * (`key-table.ts`).
 */
export interface SegmentStore {
  find(key: string): StoredRecord | undefined;
  /**
   * Appends a record and returns its parts, which can be read until the store is closed. Returns undefined if the
   * record cannot be written. `find` does not find it until the store is opened again.
   */
  append(key: string, head: Uint8Array, parts: readonly Uint8Array[]): StoredParts | undefined;
  /** Makes the appended records visible to other stores. */
  flush(): void;
  /** Merges small segments if there are many, and drops unused records from old ones. */
  compact(now: number): void;
  /** Closes the store. Its records cannot be read after this. */
  close(): void;
}

export interface StoredParts {
  bytesOf(part: number): number;
  /**
   * Reads a part. If its bytes are damaged, removes the segment, so that the next store does not use it, and throws.
   */
  part(part: number, memory?: Buffer): Buffer;
}

interface StoredRecord extends StoredParts {
  readonly head: Buffer;
}

/**
 * When a segment reaches this size, it is finished and a new one begins. This limits the loss if the process is killed,
 * and the memory that heads take.
 */
const maxSegmentBytes = 64 * 1024 * 1024;
/** Segments smaller than this, which an export leaves after a few edits, are merged if there are many. */
const smallBytes = 8 * 1024 * 1024;
const maxSmallSegments = 16;
const extension = ".segment";

interface OpenSegment {
  readonly file: string;
  /** The creation time of the oldest record in the segment. */
  readonly createdMs: number;
  readonly segment: Segment;
  /** 1 for each record that this export has used. */
  readonly used: Uint8Array;
  usedCount: number;
}

/**
 * Opens a store. Never throws: if the folder cannot be read, the store has no records; if it cannot be written, no
 * records are added.
 */
export function openSegmentStore(folder: string): SegmentStore {
  return new Store(folder);
}

class Store implements SegmentStore {
  readonly #folder: string;
  /** The segments, newest first. */
  readonly #segments: OpenSegment[];
  #records: RecordFinder | undefined;
  #writer: SegmentWriter | undefined;
  /** Finished segments whose records are still being read. */
  readonly #finished: SegmentWriter[] = [];
  #isWritable = true;

  constructor(folder: string) {
    this.#folder = folder;
    this.#segments = listSegmentFiles(folder).flatMap((name) => openIn(folder, name));
  }

  find(key: string): StoredRecord | undefined {
    const place = (this.#records ??= createRecordFinder(this.#segments))(key);
    if (!place) return undefined;
    const { open, record } = place;
    if (open.usedCount === 0) markSegmentUsed(open);
    if (open.used[record] === 0) open.usedCount += 1;
    open.used[record] = 1;
    return new SegmentRecord(open, record);
  }

  append(key: string, head: Uint8Array, parts: readonly Uint8Array[]): StoredParts | undefined {
    let stored: StoredParts | undefined;
    this.#write(() => {
      const writer = (this.#writer ??= createSegment(this.#partialFile()));
      const record = writer.append(key, head, parts);
      if (writer.bytes >= maxSegmentBytes) this.#finish(writer, Date.now());
      stored = createStoredParts(writer, record);
    });
    return stored;
  }

  flush(): void {
    const writer = this.#writer;
    if (writer) this.#write(() => this.#finish(writer, Date.now()));
  }

  compact(now: number): void {
    this.flush();
    const small = this.#segments.filter(({ segment }) => segment.bytes < smallBytes);
    const chosen = new Set(small.length > maxSmallSegments ? small : []);
    for (const open of this.#segments) if (isMostlyUnused(open, now)) chosen.add(open);
    // Newest first, like all segments, so that among equal keys the newest record is copied.
    const segments = this.#segments.filter((open) => chosen.has(open));
    if (segments.length > 0) this.#write(() => this.#merge(segments, now));
  }

  close(): void {
    this.flush();
    for (const { segment } of this.#segments) segment.close();
    for (const writer of this.#finished) writer.close();
    this.#segments.length = 0;
    this.#records = undefined;
    this.#finished.length = 0;
  }

  /**
   * Writes unless an earlier write failed, for example because the disk was full. The next export renders the lost
   * pages again.
   */
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
    makeFolder(this.#folder, 0o700);
    return join(this.#folder, `${randomUUID()}.part`);
  }

  #finish(writer: SegmentWriter, createdMs: number): void {
    this.#writer = undefined;
    try {
      const name = `${createdMs.toString(36)}-${randomUUID()}${extension}`;
      writer.finish(join(this.#folder, name));
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
      for (const [record, isUsed] of used.entries()) {
        const key = segment.keys.slice(record * keyLength, (record + 1) * keyLength);
        if (taken.has(key) || (isOld && isUsed === 0)) continue;
        taken.add(key);
        writer.copy(key, segment.raw(record));
      }
    }
    this.#finish(writer, Math.min(...segments.map(({ createdMs }) => createdMs)));
    for (const { file } of segments) rmSync(file, { force: true });
  }
}

/** This is a class because a closure per page of a large site would take more memory than the data that it reads. */
class SegmentRecord implements StoredRecord {
  readonly #open: OpenSegment;
  readonly #record: number;

  constructor(open: OpenSegment, record: number) {
    this.#open = open;
    this.#record = record;
  }

  get head(): Buffer {
    return this.#open.segment.head(this.#record);
  }

  bytesOf(part: number): number {
    return this.#open.segment.lengthOf(this.#record, part);
  }

  part(part: number, memory?: Buffer): Buffer {
    const { file, segment } = this.#open;
    try {
      return segment.part(this.#record, part, memory);
    } catch (error) {
      rmSync(file, { force: true });
      throw error;
    }
  }
}

type RecordFinder = (
  key: string,
) => { readonly open: OpenSegment; readonly record: number } | undefined;

function createRecordFinder(segments: readonly OpenSegment[]): RecordFinder {
  const finder = createKeyFinder(segments.map(({ segment }) => segment.keys));
  return (key) => {
    const place = finder.find(key);
    const open = place && segments[place.text];
    return open && { open, record: place.number };
  };
}

/**
 * Reports whether most of the segment's records belong to outdated pages. If none were used, they may belong to a
 * different branch and are kept.
 */
function isMostlyUnused(
  { segment, used, usedCount, createdMs }: OpenSegment,
  now: number,
): boolean {
  if (usedCount === 0 || createdMs >= now - maxUnusedMs) return false;
  let bytes = 0;
  for (const [record, isUsed] of used.entries()) if (isUsed === 1) bytes += segment.sizeOf(record);
  return bytes < segment.bytes / 2;
}

/** Lists the segment files, newest first. */
function listSegmentFiles(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(extension));
    return names.toSorted((a, b) => createdAt(b) - createdAt(a));
  } catch {
    return [];
  }
}

function createdAt(name: string): number {
  return Number.parseInt(name, 36) || 0;
}

function openIn(folder: string, name: string): OpenSegment[] {
  const file = join(folder, name);
  try {
    const segment = openSegment(file);
    const used = new Uint8Array(segment.keys.length / keyLength);
    return [{ file, createdMs: createdAt(name), segment, used, usedCount: 0 }];
  } catch {
    return [];
  }
}

/** This is a separate function because closures in the caller would retain the written data. */
function createStoredParts(writer: SegmentWriter, record: number): StoredParts {
  return {
    bytesOf: (part) => writer.lengthOf(record, part),
    part: (part, memory) => writer.part(record, part, memory),
  };
}

/** Marks a segment as used, at most once a day, which saves most exports a write. */
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
    // It has been removed already, or stays until the cache is pruned.
  }
}
