import { randomUUID } from "node:crypto";
import {
  readdirSync,
  rmSync,
  utimesSync,
  closeSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  writevSync,
} from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { makeFolder } from "../../core/index.ts";
import { createKeyFinder, keyLength } from "./key-table.ts";

export const dayMs = 24 * 60 * 60 * 1_000;
/** Entries that no export has used for this long are removed. */
export const maxUnusedMs = 30 * dayMs;

/**
 * Stores records by key in a folder of segments, for one export. Several processes may use the folder at the same time:
 * a segment becomes visible only when it is complete, and it never changes afterwards, and an open segment can still be
 * read after another process has removed it. Equal keys have equal records: the store finds the record in the newest
 * segment, or a record near the last record found (`key-table.ts`).
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
  /** Merges small segments if there are many, and drops unused records from old segments. */
  compact(now: number): void;
  /** Closes the store. Its records cannot be read after this. */
  close(): void;
}

export interface StoredParts {
  bytesOf(part: number): number;
  /**
   * Reads a part. If its bytes are corrupt, removes the segment, so that the next store does not use it, and throws.
   */
  readPart(part: number, memory?: Buffer): Buffer;
}

interface StoredRecord extends StoredParts {
  readonly head: Buffer;
}

/**
 * When a segment reaches this size, it is finished and a new segment begins. This limits the loss if the process is
 * killed, and the amount of memory that heads take.
 */
const maxSegmentBytes = 64 * 1024 * 1024;
/** Segments smaller than this, which an export leaves after a few edits, are merged if there are many. */
const smallSegmentBytes = 8 * 1024 * 1024;
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
  readonly #finishedWriters: SegmentWriter[] = [];
  #isWritable = true;

  constructor(folder: string) {
    this.#folder = folder;
    this.#segments = listSegmentFiles(folder).flatMap((name) => tryOpenSegment(folder, name));
  }

  find(key: string): StoredRecord | undefined {
    const position = (this.#records ??= createRecordFinder(this.#segments))(key);
    if (!position) return undefined;
    const { open, record } = position;
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
    const small = this.#segments.filter(({ segment }) => segment.bytes < smallSegmentBytes);
    const chosenSegments = new Set(small.length > maxSmallSegments ? small : []);
    for (const open of this.#segments) if (isMostlyUnused(open, now)) chosenSegments.add(open);
    // `filter` preserves the order, newest first, so that among equal keys the newest record is copied.
    const segments = this.#segments.filter((open) => chosenSegments.has(open));
    if (segments.length > 0) this.#write(() => this.#merge(segments, now));
  }

  close(): void {
    this.flush();
    for (const { segment } of this.#segments) segment.close();
    for (const writer of this.#finishedWriters) writer.close();
    this.#segments.length = 0;
    this.#records = undefined;
    this.#finishedWriters.length = 0;
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
    this.#finishedWriters.push(writer);
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
      this.#finishedWriters.push(writer);
    } catch (error) {
      this.#abandon(writer);
      throw error;
    }
  }

  #merge(segments: readonly OpenSegment[], now: number): void {
    const writer = (this.#writer = createSegment(this.#partialFile()));
    const takenKeys = new Set<string>();
    for (const { segment, used, createdMs } of segments) {
      const isOld = createdMs < now - maxUnusedMs;
      for (const [record, isUsed] of used.entries()) {
        const key = segment.keys.slice(record * keyLength, (record + 1) * keyLength);
        if (takenKeys.has(key) || (isOld && isUsed === 0)) continue;
        takenKeys.add(key);
        writer.copy(key, segment.readRaw(record));
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
    return this.#open.segment.getHead(this.#record);
  }

  bytesOf(part: number): number {
    return this.#open.segment.lengthOf(this.#record, part);
  }

  readPart(part: number, memory?: Buffer): Buffer {
    const { file, segment } = this.#open;
    try {
      return segment.readPart(this.#record, part, memory);
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
    const position = finder.find(key);
    const open = position && segments[position.text];
    return open && { open, record: position.number };
  };
}

/**
 * Reports whether most of the segment's records belong to outdated pages. If no record was used, the segment may belong
 * to a different branch, and the result is false.
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
    return names.toSorted((a, b) => parseCreationTime(b) - parseCreationTime(a));
  } catch {
    return [];
  }
}

function parseCreationTime(name: string): number {
  return Number.parseInt(name, 36) || 0;
}

function tryOpenSegment(folder: string, name: string): OpenSegment[] {
  const file = join(folder, name);
  try {
    const segment = openSegment(file);
    const used = new Uint8Array(segment.keys.length / keyLength);
    return [{ file, createdMs: parseCreationTime(name), segment, used, usedCount: 0 }];
  } catch {
    return [];
  }
}

/** This is a separate function because closures in the caller would retain the written data. */
function createStoredParts(writer: SegmentWriter, record: number): StoredParts {
  return {
    bytesOf: (part) => writer.lengthOf(record, part),
    readPart: (part, memory) => writer.readPart(record, part, memory),
  };
}

/** Marks a segment as used, at most once a day, so that most exports need no write. */
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
    // The file has been removed already, or it remains until the cache is pruned.
  }
}

/**
 * A file of records, which never changes after it has its final name. It contains:
 *
 * - the parts of each record, in the order in which they were appended;
 * - the index: the heads of all records, their keys (`keyLength` ASCII characters each), and a row of numbers for each;
 * - a trailer with the index's sizes and checksum.
 *
 * Opening a segment takes two reads, which yield everything except the parts, and detects a truncated file.
 */

/** Every record has this many parts; missing parts are empty. */
const partCount = 8;
/** Length of a row: the start of the parts, the length of the head, then the length and checksum of each part. */
const rowLength = 2 + 2 * partCount;
/** Identifies the format, its version and the byte order of its numbers. */
const magic = 0x0c7a_7003;
const trailerBytes = 16;
const emptyPart = new Uint8Array();
const emptyBuffer: Buffer = Buffer.alloc(0);

/** Reads records by number. */
interface RecordReader {
  getHead(record: number): Buffer;
  lengthOf(record: number, part: number): number;
  /**
   * Reads a part, into `memory` if it is large enough. Throws if the file cannot be read or the part's checksum does
   * not match.
   */
  readPart(record: number, part: number, memory?: Buffer): Buffer;
}

interface Segment extends RecordReader {
  /** Size of the file in bytes. */
  readonly bytes: number;
  /** The time when the segment was last marked as used. */
  readonly mtimeMs: number;
  /** The keys of all records, joined. */
  readonly keys: string;
  /** Returns the total size of the head and the parts in bytes. */
  sizeOf(record: number): number;
  /** Returns the whole record, for copying to another segment. */
  readRaw(record: number): RawRecord;
  close(): void;
}

interface RawRecord {
  readonly head: Uint8Array;
  readonly parts: readonly Uint8Array[];
  /** The length and checksum of each part. */
  readonly numbers: Uint32Array;
}

/**
 * Opens a segment, which can be read until it is closed, even if the file is removed. Throws if the file is missing,
 * truncated or not a segment.
 */
function openSegment(file: string): Segment {
  const descriptor = openSync(file, "r");
  try {
    return readSegment(descriptor);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function readSegment(descriptor: number): Segment {
  const { size, mtimeMs } = fstatSync(descriptor);
  const [count = 0, headBytes = 0, sum, found] = toNumbers(
    readAt(descriptor, size - trailerBytes, trailerBytes),
  );
  const indexBytes = headBytes + count * (keyLength + rowLength * 4);
  if (found !== magic || indexBytes + trailerBytes > size) throw createDamagedError();
  const index = readAt(descriptor, size - trailerBytes - indexBytes, indexBytes);
  if (crc32(index) !== sum) throw createDamagedError();
  const keys = index.toString("latin1", headBytes, headBytes + count * keyLength);
  const rows = toNumbers(index.subarray(headBytes + count * keyLength));
  const headStarts = new Uint32Array(count + 1);
  for (let record = 0; record < count; record += 1) {
    headStarts[record + 1] = (headStarts[record] ?? 0) + (rows[record * rowLength + 1] ?? 0);
  }
  const numberOf = (record: number, position: number) => rows[record * rowLength + position] ?? 0;
  const partsEnd = getRecordEnd(rows.subarray(-rowLength));
  if (partsEnd !== size - trailerBytes - indexBytes) throw createDamagedError();
  const getHead = (record: number) => index.subarray(headStarts[record], headStarts[record + 1]);
  const reader = createPartReader(descriptor, numberOf);
  return {
    bytes: size,
    mtimeMs,
    keys,
    getHead,
    lengthOf: reader.lengthOf,
    readPart: reader.readPart,
    sizeOf(record) {
      let sum = numberOf(record, 1);
      for (let part = 0; part < partCount; part += 1) sum += numberOf(record, 2 + 2 * part);
      return sum;
    },
    readRaw: (record) => ({
      head: getHead(record),
      parts: Array.from({ length: partCount }, (_, part) => reader.bytesOf(record, part)),
      numbers: rows.subarray(record * rowLength + 2, (record + 1) * rowLength),
    }),
    close: () => closeSync(descriptor),
  };
}

/** Creates a reader of parts from a descriptor; `numberOf` returns the numbers of a record's row. */
function createPartReader(
  descriptor: number,
  numberOf: (record: number, position: number) => number,
): Omit<RecordReader, "getHead"> & { bytesOf(record: number, part: number): Buffer } {
  const lengthOf = (record: number, part: number) => numberOf(record, 2 + 2 * part);
  function bytesOf(record: number, part: number, memory?: Buffer): Buffer {
    let start = numberOf(record, 0);
    for (let before = 0; before < part; before += 1) start += lengthOf(record, before);
    return readAt(descriptor, start, lengthOf(record, part), memory);
  }
  return {
    lengthOf,
    bytesOf,
    readPart(record, part, memory) {
      const bytes = bytesOf(record, part, memory);
      if (crc32(bytes) !== numberOf(record, 3 + 2 * part)) throw createDamagedError();
      return bytes;
    },
  };
}

interface SegmentWriter extends Omit<RecordReader, "getHead"> {
  readonly bytes: number;
  /** Appends a record and returns its number. */
  append(key: string, head: Uint8Array, parts: readonly Uint8Array[]): number;
  copy(key: string, record: RawRecord): void;
  /** Gives the file its final name. Records can be read until the segment is closed, but no more can be appended. */
  finish(file: string): void;
  /** Removes the file, even after `finish` has thrown. */
  discard(): void;
  close(): void;
}

/**
 * Creates a segment. Until it is finished, it writes to `partial`, which must not exist. Every method throws if a write
 * fails.
 */
function createSegment(partial: string): SegmentWriter {
  const descriptor = openSync(partial, "wx+", 0o644);
  let heads: Uint8Array[] = [];
  let keys: string[] = [];
  const rows: number[] = [];
  let bytes = 0;

  function write(content: readonly Uint8Array[]): void {
    const length = content.reduce((sum, part) => sum + part.length, 0);
    if (length > 0 && writevSync(descriptor, content) !== length)
      throw new Error("The disk is full.");
    bytes += length;
  }
  function add(
    key: string,
    { head, parts, numbers }: Omit<RawRecord, "numbers"> & { numbers: Iterable<number> },
  ) {
    const start = bytes;
    write(parts.filter((part) => part.length > 0));
    heads.push(head);
    keys.push(key);
    return rows.push(start, head.length, ...numbers) / rowLength - 1;
  }
  const reader = createPartReader(
    descriptor,
    (record, position) => rows[record * rowLength + position] ?? 0,
  );
  return {
    lengthOf: reader.lengthOf,
    readPart: reader.readPart,
    get bytes() {
      return bytes;
    },
    append(key, head, parts) {
      const all = Array.from({ length: partCount }, (_, part) => parts[part] ?? emptyPart);
      return add(key, { head, parts, numbers: all.flatMap((part) => [part.length, crc32(part)]) });
    },
    copy: add,
    finish(file) {
      const index = Buffer.concat([
        ...heads,
        Buffer.from(keys.join(""), "latin1"),
        toBytes(Uint32Array.from(rows)),
      ]);
      const headBytes = heads.reduce((sum, head) => sum + head.length, 0);
      const trailer = Uint32Array.of(keys.length, headBytes, crc32(index), magic);
      write([index, toBytes(trailer)]);
      [heads, keys] = [[], []];
      renameSync(partial, file);
    },
    discard: () => rmSync(partial, { force: true }),
    close: () => closeSync(descriptor),
  };
}

function readAt(descriptor: number, start: number, length: number, memory = emptyBuffer): Buffer {
  if (length < 0 || start < 0) throw createDamagedError();
  // The buffer does not come from the pool, because its numbers must be aligned.
  const bytes =
    length <= memory.length ? memory.subarray(0, length) : Buffer.allocUnsafeSlow(length);
  for (let end = 0; end < length;) {
    const bytesRead = readSync(descriptor, bytes, end, length - end, start + end);
    if (bytesRead === 0) throw createDamagedError();
    end += bytesRead;
  }
  return bytes;
}

/** Returns the end of a record's parts, given its row. */
function getRecordEnd(row: Uint32Array): number {
  let end = row[0] ?? 0;
  for (let position = 2; position < row.length; position += 2) end += row[position] ?? 0;
  return end;
}

function toNumbers(bytes: Buffer): Uint32Array {
  // Heads can have any length, so the rows after them may be unaligned.
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : Buffer.copyBytesFrom(bytes);
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length >> 2);
}

function toBytes(numbers: Uint32Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

function createDamagedError(): Error {
  return new Error("A segment of the page cache is damaged.");
}
