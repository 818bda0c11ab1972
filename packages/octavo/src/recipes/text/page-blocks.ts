import { frontmatterEnd } from "@octavo/site/text";

/** A run of lines of a page's source, `[start, end)`. */
export interface Block {
  readonly kind: "frontmatter" | "text" | "code" | "markup";
  readonly start: number;
  readonly end: number;
}

const fence = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}(?=[^`]*$)|~{3,})/;
const moduleLine = /^(?:import|export)\b[ \t{*]/;

/**
 * Cuts a page into frontmatter, fenced code, mathematics, imports and exports, and text. Linear; each
 * line is looked at once. Fences are `code` without their own lines, which are `markup`.
 */
export function pageBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  let at = frontmatterEnd(text);
  if (at > 0) blocks.push({ kind: "frontmatter", start: 0, end: at });
  let isAfterBlank = true;
  while (at < text.length) {
    const end = lineEnd(text, at);
    const line = text.slice(at, end);
    const block = openBlock(text, line, { start: at, end, isAfterBlank });
    isAfterBlank = line.trim() === "";
    const taken = block ?? [{ kind: "text", start: at, end }];
    for (const part of taken) append(blocks, part);
    at = taken.at(-1)?.end ?? end;
  }
  return blocks;
}

interface Line {
  readonly start: number;
  readonly end: number;
  readonly isAfterBlank: boolean;
}

function openBlock(
  text: string,
  line: string,
  { start, end, isAfterBlank }: Line,
): Block[] | undefined {
  const marker = fence.exec(line)?.[1];
  if (marker !== undefined) return fencedBlock(text, marker, start, end);
  if (line.trim() === "$$") return [{ kind: "markup", start, end: endOfMathematics(text, end) }];
  if (isAfterBlank && moduleLine.test(line)) {
    return [{ kind: "markup", start, end: endOfParagraph(text, end) }];
  }
  return undefined;
}

/** Neighbours of one kind are one block, so that paragraphs stay whole. */
function append(blocks: Block[], block: Block): void {
  const last = blocks.at(-1);
  if (block.kind === "text" && last?.kind === "text") {
    blocks[blocks.length - 1] = { ...last, end: block.end };
  } else if (block.end > block.start) {
    blocks.push(block);
  }
}

function fencedBlock(text: string, marker: string, start: number, end: number): Block[] {
  const close = new RegExp(`^[ \\t>]*${marker[0]}{${marker.length},}[ \\t]*$`);
  let at = end;
  while (at < text.length) {
    const next = lineEnd(text, at);
    if (close.test(text.slice(at, next).trimEnd())) {
      return [
        { kind: "markup", start, end },
        { kind: "code", start: end, end: at },
        { kind: "markup", start: at, end: next },
      ];
    }
    at = next;
  }
  return [
    { kind: "markup", start, end },
    { kind: "code", start: end, end: text.length },
  ];
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

/** Behind the line end. */
function lineEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at === -1 ? text.length : at + 1;
}
