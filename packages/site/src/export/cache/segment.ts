import { closeSync, fstatSync, openSync, readSync, renameSync, rmSync, writevSync } from "node:fs";
import { crc32 } from "node:zlib";
import { keyLength } from "./key-table.ts";

/**
 * A file of records that never changes once it has its name:
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
const noPart = new Uint8Array();
const noMemory: Buffer = Buffer.alloc(0);

/** Reads records by number. */
interface RecordReader {
  head(record: number): Buffer;
  lengthOf(record: number, part: number): number;
  /**
   * Reads a part, into `memory` if that is large enough. Throws if the file cannot be read or the checksum of the part
   * differs.
   */
  part(record: number, part: number, memory?: Buffer): Buffer;
}

export interface Segment extends RecordReader {
  /** Size of the file in bytes. */
  readonly bytes: number;
  /** The time when it was last marked as used. */
  readonly mtimeMs: number;
  /** The keys of all records, joined. */
  readonly keys: string;
  /** Returns the total size of the head and the parts in bytes. */
  sizeOf(record: number): number;
  /** Returns the whole record, for copying to another segment. */
  raw(record: number): RawRecord;
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
export function openSegment(file: string): Segment {
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
  const [count = 0, headBytes = 0, sum, found] = numbersIn(
    readAt(descriptor, size - trailerBytes, trailerBytes),
  );
  const indexBytes = headBytes + count * (keyLength + rowLength * 4);
  if (found !== magic || indexBytes + trailerBytes > size) throw createDamagedError();
  const index = readAt(descriptor, size - trailerBytes - indexBytes, indexBytes);
  if (crc32(index) !== sum) throw createDamagedError();
  const keys = index.toString("latin1", headBytes, headBytes + count * keyLength);
  const rows = numbersIn(index.subarray(headBytes + count * keyLength));
  const headStarts = new Uint32Array(count + 1);
  for (let record = 0; record < count; record += 1) {
    headStarts[record + 1] = (headStarts[record] ?? 0) + (rows[record * rowLength + 1] ?? 0);
  }
  const numberOf = (record: number, place: number) => rows[record * rowLength + place] ?? 0;
  const partsEnd = getRecordEnd(rows.subarray(-rowLength));
  if (partsEnd !== size - trailerBytes - indexBytes) throw createDamagedError();
  const head = (record: number) => index.subarray(headStarts[record], headStarts[record + 1]);
  const reader = createPartReader(descriptor, numberOf);
  return {
    bytes: size,
    mtimeMs,
    keys,
    head,
    lengthOf: reader.lengthOf,
    part: reader.part,
    sizeOf(record) {
      let sum = numberOf(record, 1);
      for (let part = 0; part < partCount; part += 1) sum += numberOf(record, 2 + 2 * part);
      return sum;
    },
    raw: (record) => ({
      head: head(record),
      parts: Array.from({ length: partCount }, (_, part) => reader.bytesOf(record, part)),
      numbers: rows.subarray(record * rowLength + 2, (record + 1) * rowLength),
    }),
    close: () => closeSync(descriptor),
  };
}

/** Creates a reader of parts from a descriptor; `numberOf` returns the numbers of a record's row. */
function createPartReader(
  descriptor: number,
  numberOf: (record: number, place: number) => number,
): Omit<RecordReader, "head"> & { bytesOf(record: number, part: number): Buffer } {
  const lengthOf = (record: number, part: number) => numberOf(record, 2 + 2 * part);
  function bytesOf(record: number, part: number, memory?: Buffer): Buffer {
    let start = numberOf(record, 0);
    for (let before = 0; before < part; before += 1) start += lengthOf(record, before);
    return readAt(descriptor, start, lengthOf(record, part), memory);
  }
  return {
    lengthOf,
    bytesOf,
    part(record, part, memory) {
      const bytes = bytesOf(record, part, memory);
      if (crc32(bytes) !== numberOf(record, 3 + 2 * part)) throw createDamagedError();
      return bytes;
    },
  };
}

export interface SegmentWriter extends Omit<RecordReader, "head"> {
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
export function createSegment(partial: string): SegmentWriter {
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
    (record, place) => rows[record * rowLength + place] ?? 0,
  );
  return {
    lengthOf: reader.lengthOf,
    part: reader.part,
    get bytes() {
      return bytes;
    },
    append(key, head, parts) {
      const all = Array.from({ length: partCount }, (_, part) => parts[part] ?? noPart);
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

function readAt(descriptor: number, start: number, length: number, memory = noMemory): Buffer {
  if (length < 0 || start < 0) throw createDamagedError();
  // Not from the buffer pool, because the numbers in it must be aligned.
  const bytes =
    length <= memory.length ? memory.subarray(0, length) : Buffer.allocUnsafeSlow(length);
  for (let end = 0; end < length;) {
    const read = readSync(descriptor, bytes, end, length - end, start + end);
    if (read === 0) throw createDamagedError();
    end += read;
  }
  return bytes;
}

/** Returns the end of a record's parts, given its row. */
function getRecordEnd(row: Uint32Array): number {
  let end = row[0] ?? 0;
  for (let place = 2; place < row.length; place += 2) end += row[place] ?? 0;
  return end;
}

function numbersIn(bytes: Buffer): Uint32Array {
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
