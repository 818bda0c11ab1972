import { readFile, stat } from "node:fs/promises";
import { toFileStat } from "../../core/index.ts";
import {
  cacheBlock,
  createCacheLocation,
  findBlock,
  groupByName,
  type ArchiveBlock,
  type BlockCache,
  type CacheLocation,
} from "./blocks.ts";
import { openContent, openFile, openParts, reopenContent } from "./long-file.ts";
import type { LongFile } from "./long-file.ts";
import { maxWholeBytes } from "./packed-file.ts";
import type { PackedFile } from "./packed-file.ts";

/** Packs files that are in memory into one block of an archive format. */
export interface BlockFormat {
  /** Distinguishes this format's cached blocks from those of other formats. */
  readonly name: string;
  pack(files: readonly LoadedFile[]): Promise<ArchiveBlock>;
}

export interface LoadedFile {
  readonly path: string;
  readonly content: Uint8Array;
}

type ArchiveItem = PackedBlock | LongFile;

export interface PackedBlock {
  readonly files: readonly PackedFile[];
  readonly block: ArchiveBlock;
}

/** A file with more parts than this is packed in pieces, of which most stay in the cache when one page changes. */
const maxPartsTogether = 1_024;
/** The maximum total size of the files in memory at the same time. Groups of pages are about a third as large. */
const maxRunBytes = 8 * 1024 * 1024;

/**
 * Yields the blocks and long files of an archive, in the order of `files`. A block is valid until the next one is
 * requested. Only paths and contents determine how files are grouped; the state of the cache and the location of a file
 * do not.
 */
export async function* packItems(
  files: readonly PackedFile[],
  format: BlockFormat,
  cache: BlockCache | undefined,
): AsyncGenerator<ArchiveItem> {
  const groups = groupByName(files, { nameOf: ({ path }) => path, isAlone: hasManyParts });
  for (const group of groups) {
    const [file] = group;
    if (file?.parts && hasManyParts(file)) {
      yield openParts(file.path, file.parts, cache);
      continue;
    }
    const block = findBlock(findCacheLocation(group, format, cache));
    if (block) yield { files: group, block };
    else yield* packGroup(group, format, cache);
  }
}

function hasManyParts({ parts = [] }: PackedFile): boolean {
  return parts.length > maxPartsTogether;
}

/** Packs a group of files. The group is split at long files and whenever it reaches `maxRunBytes`. */
async function* packGroup(
  group: readonly PackedFile[],
  format: BlockFormat,
  cache: BlockCache | undefined,
): AsyncGenerator<ArchiveItem> {
  let run: ShortFile[] = [];
  let bytes = 0;
  for (const file of group) {
    const measured = await measure(file, cache);
    const isLong = "pieces" in measured;
    if (run.length > 0 && (isLong || bytes + measured.bytes > maxRunBytes)) {
      yield await packRun(run, format, cache);
      [run, bytes] = [[], 0];
    }
    if (isLong) {
      yield measured;
      continue;
    }
    run.push(measured);
    bytes += measured.bytes;
  }
  if (run.length > 0) yield await packRun(run, format, cache);
}

interface ShortFile {
  readonly file: PackedFile;
  readonly bytes: number;
  readonly load: () => Uint8Array | Promise<Uint8Array>;
}

async function measure(
  file: PackedFile,
  cache: BlockCache | undefined,
): Promise<ShortFile | LongFile> {
  const { source } = file;
  if (typeof source !== "string") {
    const reopened = reopenContent(file, source, cache);
    if (reopened) return reopened;
    const content = source();
    const bytes = content.length;
    return bytes > maxWholeBytes
      ? openContent(file, content, cache)
      : { file, bytes, load: () => content };
  }
  const stats = await stat(source);
  return stats.size > maxWholeBytes
    ? openFile(file, { source, stat: toFileStat(stats) }, cache)
    : { file, bytes: stats.size, load: () => readFile(source) };
}

async function packRun(
  run: readonly ShortFile[],
  format: BlockFormat,
  cache: BlockCache | undefined,
): Promise<PackedBlock> {
  const files = run.map(({ file }) => file);
  const place = findCacheLocation(files, format, cache);
  const cached = findBlock(place);
  if (cached) return { files, block: cached };
  const loaded: LoadedFile[] = [];
  for (const { file, load } of run) loaded.push({ path: file.path, content: await load() });
  const block = await format.pack(loaded);
  cacheBlock(place, block);
  return { files, block };
}

function findCacheLocation(
  files: readonly PackedFile[],
  { name }: BlockFormat,
  cache: BlockCache | undefined,
): CacheLocation | undefined {
  if (!cache) return undefined;
  const names = files.map(({ path }) => path);
  const fingerprints = files.map(({ fingerprint }) => fingerprint);
  return createCacheLocation(cache, name, { names, fingerprints });
}
