import { createCodeSpanIndex, getCodeSpanText } from "@octavo/site/text";
import type { CodeSpanIndex } from "@octavo/site/text";

/** A token of an instruction and its position. */
export interface Token {
  /**
   * A `word` is a word or a path, unchanged. A `value` is quoted text or a block of text. An `end` is a position at
   * which a form may end: `;`, a period, or (with `isLine`) a line break.
   */
  readonly kind: "word" | "value" | "end";
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly isLine?: true;
  /** Whether a comma precedes the token. */
  readonly hasComma?: true;
  /** The article before the token. */
  readonly article?: string;
  /** The tokens of a multi-word value. */
  readonly parts?: readonly Token[];
}

const bulletPattern = /(?:[-*•+]|\(?\d{1,2}[.)])[ \t]+(?:\[[ xX]?\][ \t]+)?/y;
/** Matches the words before a block of text, which continues to the end of the instruction. */
const textBlockPattern = /with (?:the )?(?:following )?(?:text|content):\s*/iy;
/** Matches a word that ends in `:` or `'s`, which become separate tokens: `icon: star`, `the page's title`. */
const suffixPattern = /^(.*[\p{L}\p{N}])(:|['’]s)$/u;

/** The words in each line are synonyms. Forms use the first word of a line. */
const synonyms = `
  fix repair mend correct
  broken dead
  anchors anchor
  links link
  misspellings misspelling typos typo spelling
  rename
  replace
  term word phrase
  move relocate
  delete remove
  add create
  set change update
  fill
  description
  page
  folder directory
  in within under throughout across inside
  to -> → =>
  with by
  group section
  text content
  called titled named
  of on for
  use say
  instead rather
  all every each
  mistakes errors
  mentions mention occurrences occurrence instances instance
`;

const canonicalWords: ReadonlyMap<string, string> = new Map(
  synonyms
    .trim()
    .split("\n")
    .flatMap((line) => {
      const words = line.trim().split(" ");
      return words.map((word) => [word, words[0] ?? word] as const);
    }),
);

/**
 * Splits an instruction into words, values and ends, in linear time. Text after an unclosed quotation mark is read as
 * words.
 */
export function tokenizeInstruction(instruction: string): Token[] {
  const tokens: Token[] = [];
  const code = createCodeSpanIndex(instruction);
  let at = skipBullet(instruction, 0);
  while (at < instruction.length) {
    const next = readTokens(instruction, at, code);
    const [first, ...others] = next.tokens;
    if (first !== undefined) {
      const hasComma = instruction.slice(tokens.at(-1)?.end ?? at, at).includes(",");
      tokens.push(hasComma ? { ...first, hasComma } : first, ...others);
    }
    at = next.end;
  }
  return tokens;
}

interface TokenResult {
  readonly tokens: readonly Token[];
  readonly end: number;
}

function readTokens(text: string, at: number, code: CodeSpanIndex): TokenResult {
  const character = text[at] ?? "";
  if (character === "\n") {
    const end = skipBullet(text, at + 1);
    return { tokens: [{ kind: "end", text: "", start: at, end: at, isLine: true }], end };
  }
  if (/[\s,]/.test(character)) return { tokens: [], end: at + 1 };
  if (character === ";") return { tokens: [createEndToken(at)], end: at + 1 };
  const block = readTextBlock(text, at, code);
  if (block !== undefined) return block;
  const quoted = readQuoted(text, at, code);
  if (quoted === undefined) return readWord(text, at);
  const value: Token = { kind: "value", text: quoted.text, start: at, end: quoted.end };
  const isLast = /^[.;](?=\s|$)/.test(text.slice(quoted.end, quoted.end + 2));
  if (!isLast) return { tokens: [value], end: quoted.end };
  return { tokens: [value, createEndToken(quoted.end)], end: quoted.end + 1 };
}

function skipBullet(text: string, lineStart: number): number {
  const indent = /^[ \t]*/.exec(text.slice(lineStart, lineStart + 40))?.[0].length ?? 0;
  bulletPattern.lastIndex = lineStart + indent;
  return lineStart + indent + (bulletPattern.exec(text)?.[0].length ?? 0);
}

function createEndToken(start: number): Token {
  return { kind: "end", text: "", start, end: start + 1 };
}

function readWord(text: string, start: number): TokenResult {
  const length = /^[^\s,;]+/.exec(text.slice(start, start + 2_000))?.[0].length ?? 1;
  const written = text.slice(start, start + length);
  const [, stem = "", sign] = suffixPattern.exec(written) ?? [];
  if (sign !== undefined) {
    const between = start + stem.length;
    const end = start + length;
    return {
      tokens: [
        { kind: "word", text: stem, start, end: between },
        { kind: "word", text: sign.replace("’", "'"), start: between, end },
      ],
      end,
    };
  }
  const isLast = written.length > 1 && written.endsWith(".") && !written.endsWith("..");
  const end = start + length - (isLast ? 1 : 0);
  const word: Token = { kind: "word", text: text.slice(start, end), start, end };
  return { tokens: isLast ? [word, createEndToken(end)] : [word], end: start + length };
}

/**
 * Reads `with the text:` and the block of text that follows. If a quotation mark or a fence follows, reads only the
 * introductory words.
 */
function readTextBlock(text: string, start: number, code: CodeSpanIndex): TokenResult | undefined {
  textBlockPattern.lastIndex = start;
  const lead = /[wW]/.test(text[start] ?? "") ? textBlockPattern.exec(text) : null;
  if (lead === null) return undefined;
  const from = start + lead[0].length;
  // Quoted text is read later, like any other value.
  const words = [...lead[0].matchAll(/\w+/g)].map(({ 0: word, index }): Token => {
    return { kind: "word", text: word, start: start + index, end: start + index + word.length };
  });
  if (readQuoted(text, from, code) !== undefined) return { tokens: words, end: from };
  const value: Token = { kind: "value", text: text.slice(from).trim(), start: from, end: text.length }; // prettier-ignore
  return { tokens: [...words, value], end: text.length };
}

/** Returns the synonym that forms use for a word, or the word itself in lower case if it has no synonym. */
export function getCanonicalWord(word: string): string {
  const plain = word.toLowerCase();
  return canonicalWords.get(plain) ?? plain;
}

/** The text between quotation marks, and the offset after the closing mark. */
interface Quoted {
  readonly text: string;
  readonly end: number;
}

/** The closing quotation marks, keyed by opening mark. */
const closingMarks: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "“": "”",
  "„": "“”",
  "«": "»",
  "‹": "›",
  "‘": "’",
  "‚": "‘’",
  "「": "」",
};
/** The pairs of quotation marks with which `quoteValue` quotes values, in order of preference. */
const preferredMarks = ['""', "“”", "«»", "''", "「」"] as const;
/** The maximum number of characters in a quoted value. */
const maxQuotedLength = 2_000;

/**
 * Reads the quoted value at `at`. Returns undefined if there is no quotation mark, or if it is not closed. The value
 * may contain other kinds of quotation marks. It may also contain the enclosing kind if these marks are paired or
 * escaped with a backslash.
 */
function readQuoted(text: string, at: number, code: CodeSpanIndex): Quoted | undefined {
  const open = text[at] ?? "";
  if (text.startsWith("```", at)) return readBlock(text, at);
  if (open === "`") {
    const span = code.findAt(at);
    const isOnLine = span !== undefined && !text.slice(at, span.end).includes("\n");
    return isOnLine ? { text: getCodeSpanText(text, span).trim(), end: span.end } : undefined;
  }
  const close = Object.hasOwn(closingMarks, open) ? (closingMarks[open] ?? "") : "";
  return close === "" ? undefined : readMarkedText(text, { at, open, close });
}

interface QuotationMarks {
  readonly at: number;
  readonly open: string;
  readonly close: string;
}

function readMarkedText(text: string, { at, open, close }: QuotationMarks): Quoted | undefined {
  let depth = 1;
  for (let index = at + 1; index < Math.min(text.length, at + maxQuotedLength); index++) {
    const character = text[index] ?? "";
    const next = text[index + 1];
    if (character === "\n") return undefined;
    if (character === "\\" && isMark(next, open, close)) {
      index += 1;
      continue;
    }
    if (open !== close && close.includes(character)) depth -= 1;
    else if (open !== close && character === open) depth += 1;
    // A straight mark closes the quotation before white space, punctuation or the end: `"Say "hi" now"`, `'don't'`.
    else if (character === open && /[\s.,;:!?)\]]/.test(next ?? " "))
      depth = isPaired(text.slice(at + 1, index), open) ? 0 : 1;
    if (depth > 0) continue;
    const inner = text.slice(at + 1, index);
    const plain = inner.replaceAll(/\\(.)/gu, (whole, mark: string) => (isMark(mark, open, close) ? mark : whole)); // prettier-ignore
    return { text: plain.trim(), end: index + 1 };
  }
  return undefined;
}

function isMark(character: string | undefined, open: string, close: string): boolean {
  return character !== undefined && (character === open || close.includes(character));
}

/**
 * Reports whether the marks inside a value that are of the same kind as the enclosing marks are paired. Apostrophes in
 * words are ignored.
 */
function isPaired(inner: string, open: string): boolean {
  const plain = inner.replaceAll(new RegExp(`\\\\${open}`, "g"), "");
  const marks = open === "'" ? plain.match(/(?<![\p{L}\p{N}])'|'(?![\p{L}\p{N}])/gu) : plain.match(/"/g); // prettier-ignore
  return (marks?.length ?? 0) % 2 === 0;
}

/** Reads the content of a fenced block. */
function readBlock(text: string, at: number): Quoted | undefined {
  const mark = /^`{3,20}/.exec(text.slice(at, at + 20))?.[0] ?? "```";
  const from = at + mark.length;
  const closing = new RegExp(`\\n${mark}(?=[ \\t]*(?:\\n|$))`, "g");
  closing.lastIndex = from;
  const end = closing.exec(text)?.index;
  if (end === undefined) return undefined;
  const content = text.slice(from, end).replace(/^[^\n]*\n/, "").trimEnd(); // prettier-ignore
  return { text: content, end: end + mark.length + 1 };
}

/** Quotes a value for an instruction, with marks that it does not contain. */
export function quoteValue(value: string): string {
  const plain = value.replaceAll(/\s+/g, " ").trim();
  const marks = preferredMarks.find(([open, close]) => ![open, close].some((mark) => plain.includes(mark ?? ""))); // prettier-ignore
  const [open = '"', close = '"'] = marks ?? [];
  return marks === undefined ? `"${plain.replaceAll('"', '\\"')}"` : open + plain + close;
}
