import { closeSync, fstatSync, openSync, readSync, renameSync, rmSync, writevSync } from "node:fs";
import { crc32 } from "node:zlib";

/**
 * A file of records that never changes once it has its name:
 *
 * - the parts of each record, in the order in which they were appended;
 * - the index: the heads of all records, their keys (`keyLength` ASCII characters each), and a row of numbers for each;
 * - a trailer with the index's sizes and checksum.
 *
 * A reader gets everything but the parts in two reads, and notices a truncated file.
 */

/** A key is a SHA-256 in hexadecimal digits. */
const keyLength = 64;
/** Every record has this many parts; those not given are empty. */
const partCount = 5;
/** Numbers of a row: where the parts begin, length of the head, then length and checksum of each part. */
const rowLength = 2 + 2 * partCount;
/** Identifies the format, its version and the byte order of its numbers. */
const magic = 0x0c7a_7001;
const trailerBytes = 16;
const noPart = new Uint8Array();

export interface Segment {
  /** Size of the file. */
  readonly bytes: number;
  /** When it was last marked as used. */
  readonly mtimeMs: number;
  /** Number of the record with this key; undefined if there is none. */
  find(key: string): number | undefined;
  keys(): Iterable<string>;
  head(record: number): Buffer;
  lengthOf(record: number, part: number): number;
  /** Throws if the file cannot be read, or the part's checksum differs. */
  part(record: number, part: number): Buffer;
  /** Bytes of the head and the parts together. */
  sizeOf(record: number): number;
  /** The whole record, to be copied to another segment. */
  raw(record: number): RawRecord;
  close(): void;
}

interface RawRecord {
  readonly head: Uint8Array;
  readonly parts: readonly Uint8Array[];
  /** Length and checksum of each part. */
  readonly numbers: Uint32Array;
}

/** Throws if the file is gone, truncated or not a segment. It can be read until it is closed, even after the file was removed. */
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
  if (found !== magic || indexBytes + trailerBytes > size) throw damagedError();
  const index = readAt(descriptor, size - trailerBytes - indexBytes, indexBytes);
  if (crc32(index) !== sum) throw damagedError();
  const keys = index.toString("latin1", headBytes, headBytes + count * keyLength);
  const rows = numbersIn(index.subarray(headBytes + count * keyLength));
  const places = new Map<string, number>();
  const headStarts = new Uint32Array(count + 1);
  for (let record = 0; record < count; record += 1) {
    places.set(keys.slice(record * keyLength, (record + 1) * keyLength), record);
    headStarts[record + 1] = (headStarts[record] ?? 0) + (rows[record * rowLength + 1] ?? 0);
  }
  const numberOf = (record: number, place: number) => rows[record * rowLength + place] ?? 0;
  const partsEnd = endOf(rows.subarray(-rowLength));
  if (partsEnd !== size - trailerBytes - indexBytes) throw damagedError();
  const head = (record: number) => index.subarray(headStarts[record], headStarts[record + 1]);
  function bytesOf(record: number, part: number): Buffer {
    let start = numberOf(record, 0);
    for (let before = 0; before < part; before += 1) start += numberOf(record, 2 + 2 * before);
    return readAt(descriptor, start, numberOf(record, 2 + 2 * part));
  }
  return {
    bytes: size,
    mtimeMs,
    find: (key) => places.get(key),
    keys: () => places.keys(),
    head,
    lengthOf: (record, part) => numberOf(record, 2 + 2 * part),
    part(record, part) {
      const bytes = bytesOf(record, part);
      if (crc32(bytes) !== numberOf(record, 3 + 2 * part)) throw damagedError();
      return bytes;
    },
    sizeOf(record) {
      let sum = numberOf(record, 1);
      for (let part = 0; part < partCount; part += 1) sum += numberOf(record, 2 + 2 * part);
      return sum;
    },
    raw: (record) => ({
      head: head(record),
      parts: Array.from({ length: partCount }, (_, part) => bytesOf(record, part)),
      numbers: rows.subarray(record * rowLength + 2, (record + 1) * rowLength),
    }),
    close: () => closeSync(descriptor),
  };
}

export interface SegmentWriter {
  readonly bytes: number;
  append(key: string, head: Uint8Array, parts: readonly Uint8Array[]): void;
  copy(key: string, record: RawRecord): void;
  /** Gives the file its name. Nothing can be appended after this. */
  finish(file: string): void;
  /** Removes the file, also after `finish` threw. */
  discard(): void;
}

/** Writes to `partial`, which must not exist, until it is finished. Every method throws if the disk refuses. */
export function createSegment(partial: string): SegmentWriter {
  const descriptor = openSync(partial, "wx", 0o644);
  const heads: Uint8Array[] = [];
  const keys: string[] = [];
  const rows: number[] = [];
  let bytes = 0;
  let isOpen = true;

  function close(): void {
    if (isOpen) closeSync(descriptor);
    isOpen = false;
  }
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
    rows.push(start, head.length, ...numbers);
  }
  return {
    get bytes() {
      return bytes;
    },
    append(key, head, parts) {
      const all = Array.from({ length: partCount }, (_, part) => parts[part] ?? noPart);
      add(key, { head, parts, numbers: all.flatMap((part) => [part.length, crc32(part)]) });
    },
    copy: add,
    finish(file) {
      const index = Buffer.concat([
        ...heads,
        Buffer.from(keys.join(""), "latin1"),
        bytesOf(Uint32Array.from(rows)),
      ]);
      const headBytes = heads.reduce((sum, head) => sum + head.length, 0);
      const trailer = Uint32Array.of(keys.length, headBytes, crc32(index), magic);
      write([index, bytesOf(trailer)]);
      close();
      renameSync(partial, file);
    },
    discard() {
      close();
      rmSync(partial, { force: true });
    },
  };
}

function readAt(descriptor: number, start: number, length: number): Buffer {
  if (length < 0 || start < 0) throw damagedError();
  // Not from the pool: the numbers in it must be aligned.
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let end = 0; end < length;) {
    const read = readSync(descriptor, bytes, end, length - end, start + end);
    if (read === 0) throw damagedError();
    end += read;
  }
  return bytes;
}

/** Where the parts of a record end, by its row. */
function endOf(row: Uint32Array): number {
  let end = row[0] ?? 0;
  for (let place = 2; place < row.length; place += 2) end += row[place] ?? 0;
  return end;
}

function numbersIn(bytes: Buffer): Uint32Array {
  // Heads have any length, so the rows after them may be unaligned.
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : Buffer.copyBytesFrom(bytes);
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length >> 2);
}

function bytesOf(numbers: Uint32Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

function damagedError(): Error {
  return new Error("A segment of the page cache is damaged.");
}
