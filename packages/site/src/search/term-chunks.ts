import { crc32 } from "node:zlib";
import type { BundleFile } from "../core/index.ts";
import type { CachedChunk, CachedIndex } from "./cached-index.ts";
import { createLazyPartFile, formatScriptJson } from "./part-file.ts";
import type { LineList } from "./line-list.ts";

/** Minimum length of a chunk in characters: chunks average 48 K, which a browser loads in about 2 ms. */
const minChunkLength = 32 * 1024;
const meanLengthBeyond = 16 * 1024;
const maxChunkLength = 96 * 1024;

/** Lines from `from` up to, but not including, `to`, which a search loads together. */
export interface TermChunk {
  readonly from: number;
  readonly to: number;
  readonly firstKey: string;
  /** The fingerprint of the chunk's file. */
  readonly fingerprint: string;
}

/**
 * Splits the lines into files, one at a time: each can be written before the next is built. If a file has the same
 * lines as in the cached index, its content is built only when it is read. `add` receives the chunk of each file.
 */
export function* createTermFiles(
  name: string,
  lines: LineList,
  { cached, add }: { cached: CachedIndex | undefined; add: (chunk: TermChunk) => void },
): Generator<BundleFile> {
  for (const [number, { from, to }] of splitLines(lines).entries()) {
    const part = `terms-${number}`;
    const json = () => {
      const texts = Array.from({ length: to - from }, (_, at) => lines.textOf(from + at));
      return formatScriptJson(texts.join("\n"));
    };
    const chunk = cached?.chunks[number];
    const known = chunk && isSame(lines, { from, to }, chunk) ? chunk.fingerprint : undefined;
    const file = createLazyPartFile(name, part, { fingerprint: known, json });
    add({ from, to, firstKey: lines.keyOf(from), fingerprint: file.fingerprint });
    yield file;
    file.forget();
  }
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Splits lines into chunks. A chunk that is long enough ends at a line chosen by its key, not at a fixed length: a line
 * that was added or became longer changes its own chunk, while the chunks after it mostly stay the same, as in
 * content-defined chunking.
 */
function splitLines(lines: LineList): Range[] {
  const ranges: Range[] = [];
  let from = 0;
  let length = 0;
  for (let line = 0; line < lines.count; line += 1) {
    length += lines.lengthOf(line);
    const isEnd = length > minChunkLength && (length > maxChunkLength || endsChunk(lines, line));
    if (!isEnd && line + 1 < lines.count) continue;
    ranges.push({ from, to: line + 1 });
    from = line + 1;
    length = 0;
  }
  return ranges;
}

/**
 * Reports whether a line ends a chunk. This is more likely for longer lines, so that the length of chunks does not
 * depend on the length of lines.
 */
function endsChunk(lines: LineList, line: number): boolean {
  return crc32(lines.keyOf(line)) / 2 ** 32 < lines.lengthOf(line) / meanLengthBeyond;
}

function isSame(
  lines: LineList,
  { from, to }: Range,
  { firstLine, lineCount }: CachedChunk,
): boolean {
  if (to - from !== lineCount) return false;
  for (let line = from; line < to; line += 1) {
    if (lines.cachedLineOf(line) !== firstLine + line - from) return false;
  }
  return true;
}
