import type { LinkIndex, TextRange } from "@octavo/site/text";

/** Longer paragraphs are not searched to their end. */
const maxLength = 20_000;

/**
 * Finds where the address of a link stands in a text, from the place at which the renderer says that
 * the link begins: the `[` of a Markdown link, the `<` of an element; or from the sign right before the address.
 * Gives every range that holds `path`, the part of the address before its query and fragment. Linear.
 */
export function findTarget(
  text: string,
  links: LinkIndex,
  { offset, path }: { readonly offset: number; readonly path: string },
): readonly TextRange[] {
  const link = links.at(offset);
  if (link?.form === "tag") return occurrences(text, link, path);
  if (link) {
    const { address: start } = link;
    return isTargetAt(text, start, path) ? [{ start, end: start + path.length }] : [];
  }
  if (/^!?\[/.test(text.slice(offset, offset + 2))) return [];
  const next = offset + 1;
  if (isAddressAt(text, next, path)) return [{ start: next, end: next + path.length }];
  return occurrences(text, { start: offset, end: endOfParagraph(text, offset) }, path);
}

function endOfParagraph(text: string, start: number): number {
  const end = text.indexOf("\n\n", start);
  return Math.min(end === -1 ? text.length : end, start + maxLength);
}

/** Where `path` stands as an address: after a quote or a bracket, before one or a query or fragment. */
function occurrences(text: string, { start, end }: TextRange, path: string): TextRange[] {
  const found: TextRange[] = [];
  for (let at = text.indexOf(path, start); at !== -1 && at < end; at = text.indexOf(path, at + 1)) {
    if (isAddressAt(text, at, path)) found.push({ start: at, end: at + path.length });
  }
  return found;
}

function isAddressAt(text: string, at: number, path: string): boolean {
  return at > 0 && /["'`(<=\s]/.test(text[at - 1] ?? "") && isTargetAt(text, at, path);
}

function isTargetAt(text: string, at: number, path: string): boolean {
  const after = text[at + path.length];
  return text.startsWith(path, at) && (after === undefined || /[\s"'`)>?#]/.test(after));
}
