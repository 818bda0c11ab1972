import { findBodyStart, readFenceLine } from "@octavo/site/text";
import type { OpenFence } from "@octavo/site/text";

/** A range of lines in a page's source, `[start, end)`. */
interface TextBlock {
  readonly kind: "frontmatter" | "text" | "code" | "markup";
  readonly start: number;
  readonly end: number;
}

const moduleLine = /^(?:import|export)\b[ \t{*]/;

/**
 * Splits a page into frontmatter, fenced code, math, imports and exports, and text. Reads each line once, in linear
 * time. The content of a fence is `code`, and its delimiters are `markup`. Adjacent blocks of the same kind are joined,
 * so that paragraphs stay whole.
 */
export function splitPageBlocks(text: string): TextBlock[] {
  const blocks: TextBlock[] = [];
  let at = findBodyStart(text);
  if (at > 0) blocks.push({ kind: "frontmatter", start: 0, end: at });
  let fence: OpenFence | undefined;
  let isAfterBlank = true;
  while (at < text.length) {
    const line = text.slice(at, lineEnd(text, at));
    const { open, isCode } = readFenceLine(line, fence);
    const isWithin = fence !== undefined && open === fence;
    const block = isCode
      ? ({ kind: isWithin ? "code" : "markup", start: at, end: at + line.length } as const)
      : proseBlock(text, line, { start: at, isAfterBlank });
    append(blocks, block);
    isAfterBlank = line.trim() === "";
    fence = open;
    at = block.end;
  }
  return blocks;
}

function proseBlock(
  text: string,
  line: string,
  { start, isAfterBlank }: { readonly start: number; readonly isAfterBlank: boolean },
): TextBlock {
  const end = start + line.length;
  if (line.trim() === "$$") return { kind: "markup", start, end: endOfMathematics(text, end) };
  if (isAfterBlank && moduleLine.test(line)) {
    return { kind: "markup", start, end: endOfParagraph(text, end) };
  }
  return { kind: "text", start, end };
}

function append(blocks: TextBlock[], block: TextBlock): void {
  const last = blocks.at(-1);
  if (last?.kind === block.kind) blocks[blocks.length - 1] = { ...last, end: block.end };
  else blocks.push(block);
}

function endOfMathematics(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const next = lineEnd(text, at);
    if (text.slice(at, next).trim() === "$$") return next;
    at = next;
  }
  return text.length;
}

function endOfParagraph(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const next = lineEnd(text, at);
    if (text.slice(at, next).trim() === "") return at;
    at = next;
  }
  return text.length;
}

/** Returns the offset after the line break. */
function lineEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at === -1 ? text.length : at + 1;
}
