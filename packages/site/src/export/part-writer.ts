import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import type { FilePart } from "../core/index.ts";
import { fileStat } from "./source/file-stat.ts";
import { openOutput } from "./open-output.ts";
import type { ManifestEntry, ManifestPart } from "./manifest.ts";

/** Bytes that are moved or written at once. */
const blockBytes = 1024 * 1024;

/** Writes a file of parts. Of what `earlier` has of them, what does not have to move is left where it stands. */
export function writeParts(
  file: string,
  parts: readonly FilePart[],
  earlier: readonly ManifestPart[] = [],
): ManifestEntry {
  const descriptor = earlier.length === 0 ? openOutput(file) : openSync(file, "r+");
  try {
    const isSame =
      parts.length === earlier.length && parts.every((part, at) => isPart(part, earlier[at]));
    const written = isSame ? earlier : placeParts(descriptor, parts, earlier);
    return { parts: written, stat: fileStat(fstatSync(descriptor)) };
  } finally {
    closeSync(descriptor);
  }
}

function placeParts(
  descriptor: number,
  parts: readonly FilePart[],
  earlier: readonly ManifestPart[],
): ManifestPart[] {
  const shorter = Math.min(parts.length, earlier.length);
  let before = 0;
  while (before < shorter && isPart(parts[before], earlier[before])) before += 1;
  let after = 0;
  while (after < shorter - before && isPart(parts.at(-1 - after), earlier.at(-1 - after)))
    after += 1;
  const head = earlier.slice(0, before);
  const tail = earlier.slice(earlier.length - after);
  const contents = parts.slice(before, parts.length - after).map((part) => part.bytes());
  const middle = contents.map(({ length }, index): ManifestPart => [
    parts[before + index]?.fingerprint ?? "",
    length,
  ]);
  const start = bytesOf(head);
  const end = start + bytesOf(middle);
  moveBytes(descriptor, { from: bytesOf(earlier) - bytesOf(tail), to: end, length: bytesOf(tail) });
  writeAt(descriptor, contents, start);
  ftruncateSync(descriptor, end + bytesOf(tail));
  return [...head, ...middle, ...tail];
}

function isPart(part: FilePart | undefined, written: ManifestPart | undefined): boolean {
  return part?.fingerprint !== undefined && part.fingerprint === written?.[0];
}

function bytesOf(parts: readonly ManifestPart[]): number {
  return parts.reduce((sum, [, bytes]) => sum + bytes, 0);
}

/** Block by block, from the end that is not written over. */
function moveBytes(
  descriptor: number,
  { from, to, length }: { readonly from: number; readonly to: number; readonly length: number },
): void {
  if (from === to) return;
  const block = Buffer.allocUnsafe(Math.min(blockBytes, length));
  for (let done = 0; done < length; done += block.length) {
    const size = Math.min(block.length, length - done);
    const at = to > from ? length - done - size : done;
    if (readSync(descriptor, block, 0, size, from + at) !== size) throw cut();
    writeAll(descriptor, block.subarray(0, size), to + at);
  }
}

/** Small parts are gathered: a call for each costs more than copying it. */
function writeAt(descriptor: number, contents: readonly Uint8Array[], start: number): void {
  let at = start;
  let waiting: Uint8Array[] = [];
  let size = 0;
  function flush(): void {
    writeAll(descriptor, Buffer.concat(waiting), at);
    at += size;
    waiting = [];
    size = 0;
  }
  for (const content of contents) {
    waiting.push(content);
    size += content.length;
    if (size >= blockBytes) flush();
  }
  flush();
}

function writeAll(descriptor: number, bytes: Uint8Array, start: number): void {
  for (let done = 0; done < bytes.length;) {
    done += writeSync(descriptor, bytes, done, bytes.length - done, start + done);
  }
}

function cut(): Error {
  return new Error("A file of the bundle was cut while it was written.");
}
