import { randomUUID } from "node:crypto";
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { deserialize, serialize } from "node:v8";
import { crc32 } from "node:zlib";

const sumBytes = 4;

interface Kept {
  /** Of the program that wrote it. */
  readonly version: string;
  readonly note: unknown;
}

/** A value that was written to a file; undefined where it is not there, damaged or of another version. */
export function readNote(file: string, version: string): unknown {
  try {
    const bytes = readFileSync(file);
    const content = bytes.subarray(sumBytes);
    if (bytes.readUInt32LE() !== crc32(content)) return undefined;
    const kept = deserialize(content) as Kept;
    return kept.version === version ? kept.note : undefined;
  } catch {
    return undefined;
  }
}

/** The file appears whole, or not at all where the disk is full or nobody may write. */
export function writeNote(file: string, version: string, note: unknown): void {
  const partial = `${file}.${randomUUID()}.part`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    const kept: Kept = { version, note };
    const content = serialize(kept);
    const sum = Buffer.alloc(sumBytes);
    sum.writeUInt32LE(crc32(content));
    writeParts(partial, [sum, content]);
    renameSync(partial, file);
  } catch {
    discard(partial);
  }
}

/** Without a copy of them all. */
function writeParts(file: string, parts: readonly Uint8Array[]): void {
  const descriptor = openSync(file, "wx");
  try {
    for (const part of parts) writeFileSync(descriptor, part);
  } finally {
    closeSync(descriptor);
  }
}

function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Its folder is no folder.
  }
}
