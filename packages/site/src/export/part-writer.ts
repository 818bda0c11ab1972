import { closeSync, openSync, readSync, writeFileSync } from "node:fs";
import type { FilePart } from "../core/index.ts";
import type { ManifestPart } from "./manifest.ts";

/** Number of bytes to copy or write at a time. */
const blockBytes = 1024 * 1024;

/** A file of parts as an earlier export wrote it. */
export interface PreviousParts {
  readonly file: string;
  readonly parts: readonly ManifestPart[];
}

/** Reports whether a file with these parts has the same bytes. */
export function hasSameParts(
  parts: readonly FilePart[],
  earlier: readonly ManifestPart[],
): boolean {
  return parts.length === earlier.length && parts.every((part, at) => isPart(part, earlier[at]));
}

/** Writes a file of parts. Unchanged parts at the beginning and the end of `earlier` are copied from its file. */
export function writeParts(
  file: string,
  parts: readonly FilePart[],
  earlier?: PreviousParts,
): readonly ManifestPart[] {
  const written = earlier?.parts ?? [];
  const { head, middle, tail } = compare(parts, written);
  const target = openSync(file, "w");
  try {
    copyBytes(target, earlier?.file, { from: 0, length: sumBytes(head) });
    const made = writeNew(target, middle);
    const from = sumBytes(written) - sumBytes(tail);
    copyBytes(target, earlier?.file, { from, length: sumBytes(tail) });
    return [...head, ...made, ...tail];
  } finally {
    closeSync(target);
  }
}

interface Comparison {
  readonly head: readonly ManifestPart[];
  readonly middle: readonly FilePart[];
  readonly tail: readonly ManifestPart[];
}

function compare(parts: readonly FilePart[], earlier: readonly ManifestPart[]): Comparison {
  const shorter = Math.min(parts.length, earlier.length);
  let before = 0;
  while (before < shorter && isPart(parts[before], earlier[before])) before += 1;
  let after = 0;
  while (after < shorter - before && isPart(parts.at(-1 - after), earlier.at(-1 - after)))
    after += 1;
  return {
    head: earlier.slice(0, before),
    middle: parts.slice(before, parts.length - after),
    tail: earlier.slice(earlier.length - after),
  };
}

function isPart(part: FilePart | undefined, written: ManifestPart | undefined): boolean {
  return part?.fingerprint !== undefined && part.fingerprint === written?.[0];
}

function sumBytes(parts: readonly ManifestPart[]): number {
  return parts.reduce((sum, [, bytes]) => sum + bytes, 0);
}

/** Copies bytes block by block to the current position of the target. */
function copyBytes(
  target: number,
  file: string | undefined,
  { from, length }: { readonly from: number; readonly length: number },
): void {
  if (file === undefined || length === 0) return;
  const source = openSync(file, "r");
  try {
    const block = Buffer.allocUnsafe(Math.min(blockBytes, length));
    for (let done = 0; done < length; done += block.length) {
      const size = Math.min(block.length, length - done);
      if (readSync(source, block, 0, size, from + done) !== size)
        throw new Error("A file of the bundle was truncated while it was being written.");
      writeFileSync(target, block.subarray(0, size));
    }
  } finally {
    closeSync(source);
  }
}

/** Writes new parts in batches: a call for each small part costs more than copying it. */
function writeNew(target: number, parts: readonly FilePart[]): ManifestPart[] {
  let waiting: Uint8Array[] = [];
  let size = 0;
  function flush(): void {
    writeFileSync(target, Buffer.concat(waiting));
    waiting = [];
    size = 0;
  }
  const written = parts.map((part): ManifestPart => {
    const content = part.bytes();
    waiting.push(content);
    size += content.length;
    if (size >= blockBytes) flush();
    return [part.fingerprint ?? "", content.length];
  });
  flush();
  return written;
}
