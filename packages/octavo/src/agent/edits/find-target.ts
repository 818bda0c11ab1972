/**
 * Finds where the address of a link stands in a text, from the place at which the renderer says that
 * the link begins: the `[` of a Markdown link, the `<` of an element.
 */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Longer elements are not searched to their end; the largest of real ones are lists of cards. */
const elementLength = 20_000;
const labelLength = 4_000;

/** Every range that holds `path`, the part of the address before its query and fragment. Linear. */
export function findTarget(text: string, offset: number, path: string): readonly TextRange[] {
  const start = text.startsWith("![", offset) ? offset + 1 : offset;
  if (text[start] === "[") return findInLink(text, start, path);
  const end = text[start] === "<" ? endOfTag(text, start) : endOfParagraph(text, start);
  return occurrences(text, { start, end }, path);
}

function findInLink(text: string, start: number, path: string): readonly TextRange[] {
  const close = endOfLabel(text, start);
  if (close === undefined) return [];
  if (text[close + 1] !== "(") return findDefinition(text, { start, close }, path);
  let at = close + 2;
  while (isBlank(text[at])) at++;
  if (text[at] === "<") at++;
  return isTargetAt(text, at, path) ? [{ start: at, end: at + path.length }] : [];
}

/** The `]` that belongs to the `[` at `start`: escapes and code within are passed over. */
function endOfLabel(text: string, start: number): number | undefined {
  const limit = Math.min(text.length, start + labelLength);
  let depth = 0;
  for (let at = start; at < limit; at++) {
    const character = text[at];
    if (character === "\\") at++;
    else if (character === "`") at = endOfCode(text, at, limit);
    else if (character === "[") depth++;
    else if (character === "]" && --depth === 0) return at;
  }
  return undefined;
}

function endOfCode(text: string, start: number, limit: number): number {
  let end = start;
  while (text[end] === "`") end++;
  const mark = text.slice(start, end);
  const close = text.slice(end, limit).indexOf(mark);
  return close === -1 ? end - 1 : end + close + mark.length - 1;
}

/** `[text][label]`, `[label][]` and `[label]`: the address stands in the label's definition. */
function findDefinition(
  text: string,
  at: { readonly start: number; readonly close: number },
  path: string,
): readonly TextRange[] {
  const own = text.slice(at.start + 1, at.close);
  const end = text[at.close + 1] === "[" ? endOfLabel(text, at.close + 1) : undefined;
  const label = foldLabel((end === undefined ? "" : text.slice(at.close + 2, end)) || own);
  for (const match of text.matchAll(/^[ >]{0,12}\[([^\]\n]{1,999})\]:[ \t]*<?/gm)) {
    const target = match.index + match[0].length;
    if (foldLabel(match[1] ?? "") !== label) continue;
    return isTargetAt(text, target, path) ? [{ start: target, end: target + path.length }] : [];
  }
  return [];
}

function foldLabel(label: string): string {
  return label.toLowerCase().replaceAll(/\s+/g, " ").trim();
}

/** Offset after the `>` of a tag; what stands in quotes and braces is passed over. */
function endOfTag(text: string, start: number): number {
  const limit = Math.min(text.length, start + elementLength);
  let depth = 0;
  for (let at = start + 1; at < limit; at++) {
    const character = text[at] ?? "";
    if (character === "{") depth++;
    else if (character === "}") depth--;
    else if (character === ">" && depth <= 0) return at + 1;
    else if (/["'`]/.test(character)) {
      const close = text.indexOf(character, at + 1);
      if (close !== -1 && close < limit) at = close;
    }
  }
  return limit;
}

function endOfParagraph(text: string, start: number): number {
  const end = text.indexOf("\n\n", start);
  return Math.min(end === -1 ? text.length : end, start + elementLength);
}

/** Where `path` stands as an address: after a quote or a bracket, before one or a query or fragment. */
function occurrences(text: string, { start, end }: TextRange, path: string): TextRange[] {
  const found: TextRange[] = [];
  for (let at = text.indexOf(path, start); at !== -1 && at < end; at = text.indexOf(path, at + 1)) {
    if (at > 0 && /["'`(<=\s]/.test(text[at - 1] ?? "") && isTargetAt(text, at, path)) {
      found.push({ start: at, end: at + path.length });
    }
  }
  return found;
}

function isTargetAt(text: string, at: number, path: string): boolean {
  const after = text[at + path.length];
  return text.startsWith(path, at) && (after === undefined || /[\s"'`)>?#]/.test(after));
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t" || character === "\n" || character === "\r";
}
