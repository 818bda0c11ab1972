import { crc32 } from "node:zlib";
import type { BundleFile } from "../core/index.ts";
import type { CachedChunk, CachedIndex } from "./cached-index.ts";
import { lazyPartFile, scriptJson } from "./part-file.ts";
import type { LineList } from "./line-list.ts";

/** Characters of a chunk: it is 48 K long on average, which a browser loads in about 2 ms. */
const minChunkLength = 32 * 1024;
const meanLengthBeyond = 16 * 1024;
const maxChunkLength = 96 * 1024;

/** Lines `from` up to `to`, which a search loads together. */
export interface TermChunk {
  readonly from: number;
  readonly to: number;
  readonly firstKey: string;
  /** Of its file. */
  readonly fingerprint: string;
}

/**
 * Splits the lines into files, one after the other: each can be written before the next is made. A file with the same
 * lines as in the cached index is made only where its content is read. `add` is told the chunk of each file.
 */
export function* termFiles(
  name: string,
  lines: LineList,
  { cached, add }: { cached: CachedIndex | undefined; add: (chunk: TermChunk) => void },
): Generator<BundleFile> {
  for (const [number, { from, to }] of splitLines(lines).entries()) {
    const part = `terms-${number}`;
    const json = () => {
      const texts = Array.from({ length: to - from }, (_, at) => lines.textOf(from + at));
      return scriptJson(texts.join("\n"));
    };
    const chunk = cached?.chunks[number];
    const known = chunk && isSame(lines, { from, to }, chunk) ? chunk.fingerprint : undefined;
    const file = lazyPartFile(name, part, { fingerprint: known, json });
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
 * A chunk that is long enough ends where the key of its last line says so, not at a certain length: a line that was added
 * or became longer changes its own chunk, while those after it mostly stay the same, as in content-defined chunking.
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

/** Longer lines are more likely to, so that chunks are as long whether lines are long or short. */
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
