import { getCodeSpanText, findCodeSpans } from "./code-span.ts";

/** A heading on a line of Markdown, e.g. `## Words {#id} ##`. */
export interface HeadingLine {
  /** The white space and blockquote markers (`>`) before the first `#`. */
  readonly before: string;
  /** The heading's level, from 1 to 6. */
  readonly level: number;
  /** The heading's text, including markup. */
  readonly text: string;
  /** The id that the author set for the heading. `start` and `end` are the offsets of its braces in the line. */
  readonly id?: { readonly name: string; readonly start: number; readonly end: number };
}

const headingStart = /^([ \t>]{0,200})(#{1,6})[ \t]+(?=\S)/;
const idBraces = /\{#([^{}]{1,200})\}$/;

/**
 * Reads a heading that begins with `#`. Returns undefined for any other line. MDX has no indented code, so a heading
 * may be indented by any width. The caller must ensure that the line is not in a code block.
 */
export function readHeadingLine(line: string): HeadingLine | undefined {
  const [whole, before = "", marks = ""] = headingStart.exec(line) ?? [];
  if (whole === undefined) return undefined;
  const content = line.trimEnd();
  const found = content.includes("{#") ? idBraces.exec(content) : null;
  const name = found?.[1]?.trim() ?? "";
  const words = content.slice(whole.length, name === "" ? undefined : found?.index);
  const text = words
    .trimEnd()
    .replace(/(?:^|[ \t])#+$/, "")
    .trimEnd();
  const heading = { before, level: marks.length, text };
  if (!found || name === "") return heading;
  return { ...heading, id: { name, start: found.index, end: content.length } };
}

/** The length to which text is truncated. No real heading or paragraph is this long. */
const maxLength = 5_000;
/**
 * A character that no text contains. It marks the position of an escaped character or a code span; the next character
 * encodes the index of the replaced text.
 */
const placeholderMark = "\uFDD0";
const placeholder = /\uFDD0([\uE000-\uF8FF])/g;
const firstNumber = 0xe000;
const escapedCharacter = /\\([!-/:-@[-`{-~])/g;
const linkPattern = /!?\[([^[\]]*)\](?:\([^()]*\)|\[[^[\]]*\])/g;
const tagPattern = /<[^<>]{0,500}>/g;
/**
 * Matches emphasis with asterisks, which can also emphasize a part of a word. Underscores within a word are part of the
 * word.
 */
const emphasizedPart = /(\*{1,3})(?=\S)([^*]*[^\s*])\1/g;
const emphasis = /(?<![\p{L}\p{N}])[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?![\p{L}\p{N}])|~~|`+/gu;

/**
 * Returns the plain text of inline Markdown, including the text of links, images and code, but without tags. Collapses
 * white space.
 */
export function toPlainText(markdown: string): string {
  const literalTexts: string[] = [];
  const source = markdown.slice(0, maxLength).replaceAll(placeholderMark, "");
  const words = replaceLiterals(source, literalTexts)
    .replaceAll(linkPattern, "$1")
    // Links are replaced again, because replacing an image within a link leaves the link.
    .replaceAll(linkPattern, "$1")
    .replaceAll(tagPattern, "")
    .replaceAll(emphasizedPart, "$2")
    .replaceAll(emphasis, "");
  return words
    .replaceAll(
      placeholder,
      (_, number: string) => literalTexts[number.charCodeAt(0) - firstNumber] ?? "",
    )
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Replaces code and escaped characters with numbered placeholders and adds them to `literalTexts`. */
function replaceLiterals(markdown: string, literalTexts: string[]): string {
  const replace = (text: string) =>
    placeholderMark + String.fromCharCode(firstNumber + literalTexts.push(text) - 1);
  const replaceEscaped = (text: string) =>
    text.replaceAll(escapedCharacter, (_, character: string) => replace(character));
  const parts: string[] = [];
  let copiedEnd = 0;
  for (const span of findCodeSpans(markdown)) {
    parts.push(replaceEscaped(markdown.slice(copiedEnd, span.start)));
    parts.push(replace(getCodeSpanText(markdown, span)));
    copiedEnd = span.end;
  }
  return parts.join("") + replaceEscaped(markdown.slice(copiedEnd));
}
