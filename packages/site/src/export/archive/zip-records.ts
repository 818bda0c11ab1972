import { entryMode, entryYear } from "./packed-file.ts";

/**
 * The records of a zip: `APPNOTE.TXT` of PKWARE, version 6.3.10, sections 4.3.7 (before each file), 4.3.12 (the
 * directory), 4.3.14 to 4.3.16 (its end) and 4.5.3 (what does not fit into 32 bits).
 */

export interface ZipEntry {
  readonly path: string;
  readonly method: (typeof methods)[keyof typeof methods];
  /** CRC-32 of the uncompressed bytes. */
  readonly crc: number;
  /** Number of uncompressed bytes. */
  readonly bytes: number;
  readonly compressedBytes: number;
}

export const methods = { store: 0, deflate: 8 } as const;

const max16 = 0xffff;
const max32 = 0xffff_ffff;
/** 2.0 knows `deflate`, 4.5 numbers of 64 bits. */
const versions = { plain: 20, large: 45 } as const;
/** Modes are Unix's. */
const unix = 3;
const regularFile = 0o100_000;
/** A flag. */
const namesAreUtf8 = 0x0800;
/** The first of January at midnight, local time: a zip has no other. */
const date = ((entryYear - 1980) << 9) | (1 << 5) | 1;
const time = 0;
/** In an extra field. */
const largeField = 0x0001;

/** What stands before a file's bytes. */
export function fileHeader(entry: ZipEntry): Buffer {
  return Buffer.concat([signature(0x0403_4b50), describe(entry, largeNumbers(sizesOf(entry)))]);
}

/** A file in the directory at the end; `offset` is that of its header. */
export function directoryEntry(entry: ZipEntry, offset: number): Buffer {
  const creator = Buffer.alloc(2);
  creator.writeUInt16LE((unix << 8) | versions.large);
  const large = largeNumbers([...sizesOf(entry), ...(offset >= max32 ? [offset] : [])]);
  const place = Buffer.alloc(14);
  place.writeUInt32LE(((regularFile | entryMode) << 16) >>> 0, 6);
  place.writeUInt32LE(Math.min(offset, max32), 10);
  return Buffer.concat([signature(0x0201_4b50), creator, describe(entry, large, place)]);
}

export interface Directory {
  readonly entries: number;
  readonly bytes: number;
  /** Where it begins. */
  readonly offset: number;
}

/** How a zip ends. */
export function directoryEnd({ entries, bytes, offset }: Directory): Buffer {
  const end = Buffer.alloc(18);
  end.writeUInt16LE(Math.min(entries, max16), 4);
  end.writeUInt16LE(Math.min(entries, max16), 6);
  end.writeUInt32LE(Math.min(bytes, max32), 8);
  end.writeUInt32LE(Math.min(offset, max32), 12);
  const isLarge = entries >= max16 || bytes >= max32 || offset >= max32;
  const large = isLarge ? [largeEnd({ entries, bytes, offset })] : [];
  return Buffer.concat([...large, signature(0x0605_4b50), end]);
}

/** The same in 64 bits, and where that is. */
function largeEnd({ entries, bytes, offset }: Directory): Buffer {
  const end = Buffer.alloc(52);
  end.writeBigUInt64LE(44n);
  end.writeUInt16LE((unix << 8) | versions.large, 8);
  end.writeUInt16LE(versions.large, 10);
  end.writeBigUInt64LE(BigInt(entries), 20);
  end.writeBigUInt64LE(BigInt(entries), 28);
  end.writeBigUInt64LE(BigInt(bytes), 36);
  end.writeBigUInt64LE(BigInt(offset), 44);
  const locator = Buffer.alloc(16);
  locator.writeBigUInt64LE(BigInt(offset + bytes), 4);
  locator.writeUInt32LE(1, 12);
  return Buffer.concat([signature(0x0606_4b50), end, signature(0x0706_4b50), locator]);
}

function signature(number: number): Buffer {
  const record = Buffer.alloc(4);
  record.writeUInt32LE(number);
  return record;
}

/** Sizes that do not fit into 32 bits; one does not go without the other. */
function sizesOf({ bytes, compressedBytes }: ZipEntry): number[] {
  return bytes >= max32 || compressedBytes >= max32 ? [bytes, compressedBytes] : [];
}

function largeNumbers(numbers: readonly number[]): Buffer {
  if (numbers.length === 0) return Buffer.alloc(0);
  const field = Buffer.alloc(4 + 8 * numbers.length);
  field.writeUInt16LE(largeField);
  field.writeUInt16LE(8 * numbers.length, 2);
  numbers.forEach((number, at) => field.writeBigUInt64LE(BigInt(number), 4 + 8 * at));
  return field;
}

/** What header and directory both have, with the directory's own `place` before the name. */
function describe(entry: ZipEntry, large: Buffer, place: Buffer = Buffer.alloc(0)): Buffer {
  const name = Buffer.from(entry.path);
  const areSizesLarge = sizesOf(entry).length > 0;
  const record = Buffer.alloc(26);
  record.writeUInt16LE(large.length > 0 ? versions.large : versions.plain);
  record.writeUInt16LE(namesAreUtf8, 2);
  record.writeUInt16LE(entry.method, 4);
  record.writeUInt16LE(time, 6);
  record.writeUInt16LE(date, 8);
  record.writeUInt32LE(entry.crc, 10);
  record.writeUInt32LE(areSizesLarge ? max32 : entry.compressedBytes, 14);
  record.writeUInt32LE(areSizesLarge ? max32 : entry.bytes, 18);
  record.writeUInt16LE(name.length, 22);
  record.writeUInt16LE(large.length, 24);
  return Buffer.concat([record, place, name, large]);
}
