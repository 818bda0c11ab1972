import { escapeHtml } from "../../markup/index.ts";

/** A diagram that Mermaid accepts, in the form that the drawing library reads. */
export interface KnownDiagram {
  readonly lines: readonly string[];
  /** Whether the library draws every statement as Mermaid does. Defaults to true. */
  readonly isDrawn?: boolean;
  /** All labels, as returned by `readLabel`. The drawing must contain all of them. */
  readonly labels: readonly string[];
  /** The title that a statement of the diagram sets. It is shown below the drawing. */
  readonly title?: string;
}

/**
 * A regular expression for a kind of statement, and the function that reads its capture groups. The function returns
 * whether the statement is supported.
 */
export type StatementRule = readonly [form: RegExp, read: (...parts: string[]) => boolean];

/** Reads a statement with the first rule whose form matches. Groups that did not match are passed as empty strings. */
export function readStatement(line: string, rules: readonly StatementRule[]): boolean {
  for (const [form, read] of rules) {
    const match = form.exec(line);
    if (match !== null) return read(...match.slice(1).map((part) => part ?? ""));
  }
  return false;
}

/*
 * The parser of the drawing library truncates labels at brackets, reads Markdown in them and decodes entities.
 * Characters that it would interpret are therefore replaced with characters of a private range, and restored in the
 * drawing.
 */

/** The label of an added message that is not in the diagram and is removed from the drawing. */
export const leadSign = "\ue0ff";

const privateStart = 0xe000;
const privateSigns = /[\ue000-\ue0ff]/g;

/** Matches markup in labels that the library draws differently from Mermaid: Markdown, formulas, icons and wrapping. */
const otherMarkup = /^\s*`|\$\$|\bfa[a-z]?:fa-|^\s*(?:no)?wrap:/;
const lineBreak = /<br\s*\/?>|\\n/gi;
const emphasisTag = /<\/?(?:b|strong|i|em)>/g;
const anyTag = /<[a-z/!?]/i;
const entity = /[#&](#?\w+);/g;
const namedEntities: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  gt: ">",
  lt: "<",
  nbsp: "\u00a0",
  quot: '"',
};
const specialSigns = /[<>"*~\\`]|&(?=[#\w])/g;

/** Reports whether text contains characters of the private range that is used to protect characters in labels. */
export function hasPrivateSigns(text: string): boolean {
  return text.search(privateSigns) !== -1;
}

/**
 * Reads a label that an author wrote. In the result, line breaks are `<br>`, and bold and italic text has tags. The
 * result contains no other characters that the library would interpret, except those that end the label. Returns
 * undefined for markup that the library cannot draw.
 */
export function readLabel(source: string): string | undefined {
  if (otherMarkup.test(source)) return undefined;
  const lines = source.split(lineBreak).map((line) => {
    const tags = line.match(emphasisTag) ?? [];
    const texts = line.split(emphasisTag).map(readPlainText);
    if (texts.includes(undefined) || !isBalanced(tags)) return undefined;
    return texts.map((text, at) => (text ?? "") + (tags[at] ?? "")).join("");
  });
  return lines.includes(undefined) ? undefined : lines.join("<br>").trim();
}

function isBalanced(tags: readonly string[]): boolean {
  const openTags: string[] = [];
  for (const name of tags) {
    if (!name.startsWith("</")) openTags.push(name.slice(1));
    else if (openTags.pop() !== name.slice(2)) return false;
  }
  return openTags.length === 0;
}

function readPlainText(source: string): string | undefined {
  if (anyTag.test(source)) return undefined;
  let isKnown = true;
  const text = source.replaceAll(entity, (_, name: string) => {
    const code = /^#?(\d{1,6})$/.exec(name)?.[1];
    const decoded = code === undefined ? namedEntities[name] : toCharacter(Number(code));
    isKnown &&= decoded !== undefined;
    return decoded ?? "";
  });
  return isKnown ? protect(text, specialSigns) : undefined;
}

function toCharacter(code: number): string | undefined {
  return code > 31 && code < 0xd800 ? String.fromCodePoint(code) : undefined;
}

/** Makes a label safe within the library's delimiters. `closing` matches the characters that would end the label. */
export function protectLabel(label: string, closing: RegExp): string {
  return protect(label, closing);
}

/** Converts any text to a single word in the library's grammar. */
export function protectWord(text: string): string {
  return protect(text, /[^\p{L}\p{N}_\ue000-\ue0ff]/gu);
}

function protect(text: string, signs: RegExp): string {
  return text.replaceAll(signs, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    return code < 256 ? String.fromCodePoint(privateStart + code) : sign;
  });
}

/** Restores the replaced characters in a drawing. */
export function restoreSigns(svg: string): string {
  return svg.replaceAll(privateSigns, (sign) =>
    escapeHtml(String.fromCodePoint(sign.charCodeAt(0) - privateStart)),
  );
}

/**
 * Returns the text of a label or a drawing without tags and white space, so that labels can be compared with drawings.
 */
export function getComparableText(text: string): string {
  const plain = text.replaceAll(/<[^>]*>/g, "");
  return restoreSigns(plain).replaceAll(/\s+/g, "");
}
