import { escapeHtml } from "../../markup/index.ts";

/** A diagram that Mermaid accepts, written as the drawing library reads it. */
export interface KnownDiagram {
  readonly lines: readonly string[];
  /** Whether the library draws every statement as Mermaid does; true unless it is false. */
  readonly isDrawn?: boolean;
  /** All labels, as `readLabel` returns them: each must be in the drawing. */
  readonly labels: readonly string[];
  /** The title that a statement of the diagram gives it; it is shown below the drawing. */
  readonly title?: string;
}

/** A form of statement, and its reader, which gets the parts of the form and returns whether it understood them. */
export type StatementRule = readonly [form: RegExp, read: (...parts: string[]) => boolean];

/** Reads a statement by the first rule whose form it has. Parts that it lacks are empty. */
export function readStatement(line: string, rules: readonly StatementRule[]): boolean {
  for (const [form, read] of rules) {
    const match = form.exec(line);
    if (match !== null) return read(...match.slice(1).map((part) => part ?? ""));
  }
  return false;
}

/*
 * Texts of a diagram on their way through the drawing library, whose parser cuts labels at brackets, reads Markdown in
 * them and decodes entities. Signs that it would not leave alone travel as characters of a private range and are
 * restored in the drawing.
 */

/** The label of a message that is not in the diagram and is removed from the drawing. */
export const leadSign = "\ue0ff";

const privateStart = 0xe000;
const privateSigns = /[\ue000-\ue0ff]/g;

/** Markup in labels that the library does not draw as Mermaid does: Markdown, formulas, icons, lists of classes. */
const otherMarkup = /^\s*`|\$\$|\bfa[a-z]?:fa-|^\s*(?:no)?wrap:/;
const lineBreak = /<br\s*\/?>|\\n/gi;
const tag = /<\/?(?:b|strong|i|em)>/g;
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
const always = /[<>"*~\\`]|&(?=[#\w])/g;

/** Reports whether a text has characters of the range that labels use on their way. */
export function hasPrivateSigns(text: string): boolean {
  return text.search(privateSigns) !== -1;
}

/**
 * Reads a label as an author wrote it. The result has line breaks as `<br>`, tags for bold and italic, and no other
 * sign that the library would interpret, except those that end its own label. Undefined for markup that is not drawn
 * here.
 */
export function readLabel(source: string): string | undefined {
  if (otherMarkup.test(source)) return undefined;
  const lines = source.split(lineBreak).map((line) => {
    const tags = line.match(tag) ?? [];
    const texts = line.split(tag).map(readPlainText);
    if (texts.includes(undefined) || !isBalanced(tags)) return undefined;
    return texts.map((text, at) => (text ?? "") + (tags[at] ?? "")).join("");
  });
  return lines.includes(undefined) ? undefined : lines.join("<br>").trim();
}

function isBalanced(tags: readonly string[]): boolean {
  const open: string[] = [];
  for (const name of tags) {
    if (!name.startsWith("</")) open.push(name.slice(1));
    else if (open.pop() !== name.slice(2)) return false;
  }
  return open.length === 0;
}

function readPlainText(source: string): string | undefined {
  if (anyTag.test(source)) return undefined;
  let isKnown = true;
  const text = source.replaceAll(entity, (_, name: string) => {
    const code = /^#?(\d{1,6})$/.exec(name)?.[1];
    const decoded = code === undefined ? namedEntities[name] : characterOf(Number(code));
    isKnown &&= decoded !== undefined;
    return decoded ?? "";
  });
  return isKnown ? protect(text, always) : undefined;
}

function characterOf(code: number): string | undefined {
  return code > 31 && code < 0xd800 ? String.fromCodePoint(code) : undefined;
}

/** Makes a label safe within the library's delimiters: `closing` matches the signs that would end it. */
export function protectLabel(label: string, closing: RegExp): string {
  return protect(label, closing);
}

/** Makes a text one word of the library's grammar, whatever it contains. */
export function protectWord(text: string): string {
  return protect(text, /[^\p{L}\p{N}_\ue000-\ue0ff]/gu);
}

function protect(text: string, signs: RegExp): string {
  return text.replaceAll(signs, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    return code < 256 ? String.fromCodePoint(privateStart + code) : sign;
  });
}

/** Restores the signs in a drawing. */
export function restoreSigns(svg: string): string {
  return svg.replaceAll(privateSigns, (sign) =>
    escapeHtml(String.fromCodePoint(sign.charCodeAt(0) - privateStart)),
  );
}

/** Returns the words of a label or of a drawing's text, by which the two are compared. */
export function getComparableText(text: string): string {
  const plain = text.replaceAll(/<[^>]*>/g, "");
  return restoreSigns(plain).replaceAll(/\s+/g, "");
}
