import { findCodeRanges, createCodeSpanIndex, type CodeSpanIndex } from "./code-span.ts";
import { isInCode } from "./fence.ts";
import type { TextRange } from "./text-edit.ts";

/** The parts of an authored address: the path of a page or file, and the query and fragment after it. */
interface AddressParts {
  readonly path: string;
  readonly suffix: string;
}

export function splitAddress(target: string): AddressParts {
  const end = target.search(/[?#]/);
  return end === -1
    ? { path: target, suffix: "" }
    : { path: target.slice(0, end), suffix: target.slice(end) };
}

/** Returns a path relative to a folder. For example, `b/c` relative to `a/d` is `../../b/c`. */
export function getRelativePath(folder: string, path: string): string {
  const base = folder === "" ? [] : folder.split("/");
  const parts = path.split("/");
  let shared = 0;
  while (shared < base.length && shared < parts.length - 1 && base[shared] === parts[shared]) {
    shared++;
  }
  return "../".repeat(base.length - shared) + parts.slice(shared).join("/");
}

/** A link reference definition. Its range includes whole lines. */
export interface LinkDefinition extends TextRange {
  /** The normalized label. */
  readonly name: string;
  /** The offset at which the definition's address begins. */
  readonly address: number;
}

/** The position of a link's markup. */
export type LinkMarkup =
  /** `[label](address "title")`. */
  | {
      readonly form: "inline";
      readonly start: number;
      readonly label: TextRange;
      readonly address: number;
    }
  /** `[text][label]`, `[label][]` or `[label]`. The address is in the label's definition. */
  | ({
      readonly form: "reference";
      readonly label: TextRange;
      readonly definition: LinkDefinition;
      readonly address: number;
    } & TextRange)
  /** The opening tag of an element, or the first part of a tag that is longer than `maxTagLength`. */
  | ({ readonly form: "tag"; readonly name: string } & TextRange);

/**
 * The maximum length of a tag or label. Components can have many lines of attributes, and link texts can be whole
 * sentences.
 */
const maxTagLength = 20_000;
const maxLabelLength = 4_000;

/** Finds the links in a page's text. */
export interface LinkIndex {
  /** Returns the link whose markup (`[`, `![` or `<`) begins at an offset, or undefined if there is none. */
  findAt(offset: number): LinkMarkup | undefined;
}

export function createLinkIndex(text: string): LinkIndex {
  const code = createCodeSpanIndex(text);
  let definitions: ReadonlyMap<string, LinkDefinition> | undefined;

  function readReference(start: number, close: number): LinkMarkup | undefined {
    const label = { start: start + 1, end: close };
    const end = text[close + 1] === "[" ? findLabelEnd(text, close + 1, code) : close;
    if (end === undefined) return undefined;
    const definitionLabel = text.slice(close + 2, end) || text.slice(label.start, label.end);
    definitions ??= collectDefinitions(text);
    const definition = definitions.get(foldLabel(definitionLabel));
    if (definition === undefined) return undefined;
    const { address } = definition;
    return { form: "reference", start, end: end + 1, label, definition, address };
  }

  return {
    findAt(offset) {
      const start = text.startsWith("![", offset) ? offset + 1 : offset;
      if (text[start] === "<") return readTag(text, start);
      const close = text[start] === "[" ? findLabelEnd(text, start, code) : undefined;
      if (close === undefined) return undefined;
      if (text[close + 1] !== "(") return readReference(start, close);
      const blank = /^\s{0,20}<?/.exec(text.slice(close + 2, close + 23))?.[0] ?? "";
      const label = { start: start + 1, end: close };
      return { form: "inline", start, label, address: close + 2 + blank.length };
    },
  };
}

/** Normalizes a label. Labels that differ only in case and white space are equal. */
export function foldLabel(label: string): string {
  return label.toLowerCase().replaceAll(/\s+/g, " ").trim();
}

/** Finds the `]` that matches the `[` at `start`. Skips escapes and code. */
function findLabelEnd(text: string, start: number, code: CodeSpanIndex): number | undefined {
  const limit = Math.min(text.length, start + maxLabelLength);
  const marks = /[\\[\]]|`+/g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(text); mark !== null && mark.index < limit; mark = marks.exec(text)) {
    if (mark[0] === "\\") marks.lastIndex += 1;
    else if (mark[0] === "[") depth += 1;
    else if (mark[0] === "]") depth -= 1;
    else marks.lastIndex = code.findAt(mark.index)?.end ?? marks.lastIndex;
    if (depth === 0) return mark.index;
  }
  return undefined;
}

/**
 * Returns a page's definitions, except those in code, keyed by name. If several definitions have the same name, the
 * first one applies.
 */
function collectDefinitions(text: string): ReadonlyMap<string, LinkDefinition> {
  const code = findCodeRanges(text);
  const definitions = new Map<string, LinkDefinition>();
  for (const match of text.matchAll(/^[ \t>]{0,12}\[([^\]\n]{1,999})\]:[ \t]*<?/gm)) {
    const start = match.index;
    const name = foldLabel(match[1] ?? "");
    if (definitions.has(name) || isInCode(code, start)) continue;
    const end = text.indexOf("\n", start) + 1 || text.length;
    definitions.set(name, { name, start, end, address: start + match[0].length });
  }
  return definitions;
}

function readTag(text: string, start: number): LinkMarkup | undefined {
  const name = /^<([A-Za-z][\w.:-]*)/.exec(text.slice(start, start + 200))?.[1];
  if (name === undefined) return undefined;
  return { form: "tag", start, end: findTagEnd(text, start), name };
}

/** Returns the offset after the `>` of a tag. Skips quoted values and braces. */
function findTagEnd(text: string, start: number): number {
  const limit = Math.min(text.length, start + maxTagLength);
  const marks = /[{}>"'`]/g;
  marks.lastIndex = start + 1;
  let depth = 0;
  for (let mark = marks.exec(text); mark !== null && mark.index < limit; mark = marks.exec(text)) {
    if (mark[0] === "{") depth += 1;
    else if (mark[0] === "}") depth -= 1;
    else if (mark[0] !== ">") {
      const close = text.indexOf(mark[0], mark.index + 1);
      if (close !== -1 && close < limit) marks.lastIndex = close + 1;
    } else if (depth <= 0) return mark.index + 1;
  }
  return limit;
}
