/** A heading on a line of Markdown: `## Words {#id} ##`. */
export interface HeadingLine {
  /** What stands before its signs: blanks and `>`. */
  readonly before: string;
  /** 1 to 6. */
  readonly level: number;
  /** Its words with their markup. */
  readonly text: string;
  /** The id that its author gave it, by its braces' place in the line. */
  readonly id?: { readonly name: string; readonly start: number; readonly end: number };
}

const signs = /^([ \t>]{0,200})(#{1,6})[ \t]+(?=\S)/;
const braces = /\{#([^{}]{1,200})\}$/;

/**
 * Reads a line that is a heading by its signs; undefined for every other. MDX has no code by indentation, so
 * that a heading may stand at any depth; whether the line stands in code is the caller's to know.
 */
export function readHeadingLine(line: string): HeadingLine | undefined {
  const [whole, before = "", marks = ""] = signs.exec(line) ?? [];
  if (whole === undefined) return undefined;
  const content = line.trimEnd();
  const found = content.includes("{#") ? braces.exec(content) : null;
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

/** What is behind that is left out: nobody's heading or paragraph is as long. */
const maxLength = 5_000;
/** Stands, with a character for its number, for what markup has no power over: escaped signs and code. No text holds it. */
const literal = "\uFDD0";
const numbered = /\uFDD0([\uE000-\uF8FF])/g;
const firstNumber = 0xe000;
const literals = /\\([!-/:-@[-`{-~])|(`+)(?!`)([^]{0,500}?[^`])\2(?!`)/g;
const link = /!?\[([^[\]]*)\](?:\([^()]*\)|\[[^[\]]*\])/g;
const tag = /<[^<>]{0,500}>/g;
/** Stars also mark a part of a word; underscores there are the word's own. */
const starred = /(\*{1,3})(?=\S)([^*]*[^\s*])\1/g;
const emphasis = /(?<![\p{L}\p{N}])[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?![\p{L}\p{N}])|~~|`+/gu;

/** What a run of inline Markdown says: words of links, pictures, code and emphasis, without tags, blanks folded. */
export function inlineText(markdown: string): string {
  const kept: string[] = [];
  const text = markdown
    .slice(0, maxLength)
    .replaceAll(literal, "")
    .replaceAll(literals, (_, sign?: string, _marks?: string, code?: string) => {
      kept.push(sign ?? code ?? "");
      return literal + String.fromCharCode(firstNumber + kept.length - 1);
    });
  const words = text
    .replaceAll(link, "$1")
    // A picture within a link leaves the link.
    .replaceAll(link, "$1")
    .replaceAll(tag, "")
    .replaceAll(starred, "$2")
    .replaceAll(emphasis, "");
  return words
    .replaceAll(numbered, (_, number: string) => kept[number.charCodeAt(0) - firstNumber] ?? "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
