import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createInflateRaw } from "node:zlib";
import { OctavoError } from "@octavo/site/core";
import type { Storage } from "../../storage/index.ts";
import type { ArchivedFile } from "./archive-files.ts";

/**
 * A reader of the zip archives that exports are packed into: entries that are stored or deflated, no
 * comment at the end, no encryption. Sizes and names are those of the directory, which stands last.
 */

const endBytes = 22;
const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const entryBytes = 46;
const localBytes = 30;
/** In these fields it means that the number stands elsewhere, since it needs 64 bits. */
const elsewhere = 0xffff_ffff;
/** A directory of 65,534 entries with long names. */
const largestDirectory = 64 * 1024 * 1024;
const methods = { stored: 0, deflated: 8 } as const;

interface Entry {
  readonly path: string;
  readonly method: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly offset: number;
}

/** Reads each file by itself, when it is opened. Throws `unavailable` for an archive that is not as above. */
export async function* readZip(
  storage: Storage,
  key: string,
  archiveBytes: number,
): AsyncGenerator<ArchivedFile> {
  for (const entry of await readDirectory(storage, key, archiveBytes)) {
    yield { path: entry.path, bytes: entry.bytes, open: () => openEntry(storage, key, entry) };
  }
}

async function readDirectory(
  storage: Storage,
  key: string,
  archiveBytes: number,
): Promise<Entry[]> {
  if (archiveBytes < endBytes) throw unreadable();
  const end = await readPart(storage, key, { start: archiveBytes - endBytes, bytes: endBytes });
  const bytes = end.readUInt32LE(12);
  const start = end.readUInt32LE(16);
  const isReadable =
    end.readUInt32LE(0) === endSignature &&
    start !== elsewhere &&
    bytes <= largestDirectory &&
    start + bytes <= archiveBytes - endBytes;
  if (!isReadable) throw unreadable();
  return bytes === 0 ? [] : parseDirectory(await readPart(storage, key, { start, bytes }));
}

function parseDirectory(directory: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at + entryBytes <= directory.length;) {
    if (directory.readUInt32LE(at) !== entrySignature) throw unreadable();
    const nameBytes = directory.readUInt16LE(at + 28);
    const nameAt = at + entryBytes;
    entries.push({
      path: directory.toString("utf8", nameAt, nameAt + nameBytes),
      method: directory.readUInt16LE(at + 10),
      packedBytes: directory.readUInt32LE(at + 20),
      bytes: directory.readUInt32LE(at + 24),
      offset: directory.readUInt32LE(at + 42),
    });
    const restBytes = directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
    at = nameAt + nameBytes + restBytes;
  }
  return entries;
}

async function openEntry(storage: Storage, key: string, entry: Entry): Promise<Readable> {
  const { offset, packedBytes, method } = entry;
  const local = await readPart(storage, key, { start: offset, bytes: localBytes });
  const start = offset + localBytes + local.readUInt16LE(26) + local.readUInt16LE(28);
  if (packedBytes === 0) return Readable.from([]);
  const packed = await storage.read(key, { start, end: start + packedBytes - 1 });
  if (method === methods.stored) return packed;
  if (method !== methods.deflated) throw unreadable();
  const inflated = createInflateRaw();
  packed.once("error", (error) => inflated.destroy(error));
  inflated.once("close", () => packed.destroy());
  return packed.pipe(inflated);
}

async function readPart(
  storage: Storage,
  key: string,
  { start, bytes }: { readonly start: number; readonly bytes: number },
): Promise<Buffer> {
  const part = await buffer(await storage.read(key, { start, end: start + bytes - 1 }));
  if (part.length === bytes) return part;
  throw unreadable();
}

function unreadable(): OctavoError {
  return new OctavoError("unavailable", "The bundle's archive cannot be read here; download it.");
}
