import type { BundleFile } from "../bundle.ts";
import type { KeptChunk, KeptIndex } from "./kept-index.ts";
import { lazyPartFile, partFile } from "./part-file.ts";
import { scriptJson } from "./script-json.ts";
import type { Line } from "./term-lines.ts";

/** Characters of a chunk of terms: about 2 ms of a browser's time to load. */
const termChunkLength = 48 * 1024;

/** Lines that a search loads together, and their file. */
export interface TermChunk {
  readonly lines: readonly Line[];
  readonly file: BundleFile;
}

/** Cuts the lines into files. Those that have the same lines as in the kept index are not written out again. */
export function chunkTerms(
  name: string,
  lines: readonly Line[],
  kept: KeptIndex | undefined,
): TermChunk[] {
  const chunks: Line[][] = [];
  let length = Infinity;
  for (const line of lines) {
    if (length > termChunkLength) {
      chunks.push([]);
      length = 0;
    }
    chunks.at(-1)?.push(line);
    length += line.length;
  }
  return chunks.map((lines, number) => {
    const part = `terms-${number}`;
    const json = () => scriptJson(lines.map((line) => line.text()).join("\n"));
    const known = kept?.chunks[number];
    if (!known || !isSame(lines, known)) return { lines, file: partFile(name, part, json()) };
    return { lines, file: lazyPartFile(name, part, { identity: known.identity, json }) };
  });
}

function isSame(lines: readonly Line[], { firstLine, lineCount }: KeptChunk): boolean {
  return lines.length === lineCount && lines.every(({ kept }, at) => kept === firstLine + at);
}
