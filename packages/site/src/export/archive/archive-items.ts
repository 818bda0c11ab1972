import { readFile, stat } from "node:fs/promises";
import type { ArchiveBlock, BlockCache } from "./block-cache.ts";
import { blockKey, cacheBlock, findBlock } from "./cached-block.ts";
import { groupByName } from "./groups.ts";
import { openParts, openSlices } from "./long-file.ts";
import type { LongFile } from "./long-file.ts";
import type { PackedFile } from "./packed-file.ts";

/** How a format packs files that are in memory. */
export interface BlockFormat {
  /** Distinguishes its cached blocks from those of others. */
  readonly name: string;
  pack(files: readonly LoadedFile[]): Promise<ArchiveBlock>;
}

export interface LoadedFile {
  readonly path: string;
  readonly content: Uint8Array;
}

export type ArchiveItem = PackedBlock | LongFile;

export interface PackedBlock {
  readonly files: readonly PackedFile[];
  readonly block: ArchiveBlock;
}

/** Files up to this size are read whole: one read and no stream for each of thousands of pages. */
const maxWholeBytes = 1024 * 1024;
/** A file of more parts is packed piece by piece. */
const maxPartsTogether = 4_096;

/** What an archive consists of, in the order of `files`. A block is valid until the next one is asked for. */
export async function* archiveItems(
  files: readonly PackedFile[],
  format: BlockFormat,
  cache: BlockCache | undefined,
): AsyncGenerator<ArchiveItem> {
  const groups = groupByName(files, { nameOf: ({ path }) => path, isAlone: hasManyParts });
  for (const group of groups) {
    const [file] = group;
    const block = findBlock(keyOf(group, format), cache);
    if (file?.parts && hasManyParts(file)) yield openParts(file.path, file.parts, cache);
    else if (block) yield { files: group, block };
    else yield* packGroup(group, format, cache);
  }
}

function hasManyParts({ parts = [] }: PackedFile): boolean {
  return parts.length > maxPartsTogether;
}

/** Long files divide a group. */
async function* packGroup(
  group: readonly PackedFile[],
  format: BlockFormat,
  cache: BlockCache | undefined,
): AsyncGenerator<ArchiveItem> {
  let short: PackedFile[] = [];
  for (const file of group) {
    const long = await openIfLong(file);
    if (!long) {
      short.push(file);
      continue;
    }
    if (short.length > 0) yield await packShort(short, format, cache);
    short = [];
    yield long;
  }
  if (short.length > 0) yield await packShort(short, format, cache);
}

async function openIfLong({
  path,
  source,
  fingerprint,
}: PackedFile): Promise<LongFile | undefined> {
  if (typeof source !== "string") return undefined;
  const { size: bytes } = await stat(source);
  return bytes > maxWholeBytes ? openSlices(path, { source, bytes, fingerprint }) : undefined;
}

async function packShort(
  files: readonly PackedFile[],
  format: BlockFormat,
  cache: BlockCache | undefined,
): Promise<PackedBlock> {
  const key = keyOf(files, format);
  const cached = findBlock(key, cache);
  if (cached) return { files, block: cached };
  const loaded: LoadedFile[] = [];
  for (const { path, source } of files) {
    loaded.push({ path, content: typeof source === "string" ? await readFile(source) : source() });
  }
  const block = await format.pack(loaded);
  cacheBlock(key, block, cache);
  return { files, block };
}

/** Undefined if one of the files has no fingerprint. */
function keyOf(files: readonly PackedFile[], { name }: BlockFormat): string | undefined {
  const about = files.flatMap(({ path, fingerprint }) =>
    fingerprint === undefined ? [] : [path, fingerprint],
  );
  return about.length < files.length * 2 ? undefined : blockKey(name, about);
}
