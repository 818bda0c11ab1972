/** Tokenizes texts. Used both at export and in the reader's browser, because both must tokenize in the same way. */

const wordPattern = /[\p{L}\p{N}\p{M}]+/gu;
const markPattern = /\p{M}+/gu;
const latinMarks = /(?<=\p{Script=Latin})\p{M}+/gu;
/**
 * Characters that folding may change. Dashes, quotation marks, arrows and box-drawing characters are left out because
 * they are common and do not change.
 */
export const foldable = /[\u0080-\u200f\u205f-\u218f\u2400-\u24ff\u2600-\uffff]/;
const latinRun = /[a-z\d]+/g;
const beyondLatin = /[\u0250-\uffff]/;
/** Scripts that do not put spaces between words, and Hangul, whose endings follow words of any script. */
const unspacedOrHangul =
  /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\u30fc]+)|(\p{Script=Hangul}+)/gu;
/** Longer terms are truncated, because readers do not type them in full, and hashes and keys would fill the index. */
export const maxTermLength = 32;

/** The tokens of a text. */
interface Tokens {
  readonly words: string[];
  /**
   * Whole names with dots and underscores, such as `v1.2.3` (also without its `v`), `max_tokens` and `docs.json`, and
   * words with their signs, such as `c++`, `.net`, `--flag` and `@scope/name`.
   */
  readonly names: string[];
}

/**
 * Tokenizes a text in lowercase without accents. Text in scripts that do not put spaces between words (Chinese,
 * Japanese, Thai) is split into overlapping bigrams, which, unlike dictionary-based segmentation, are the same in every
 * browser. Particles are removed from Korean words.
 *
 * With `hasFinalUnigrams`, the last character of a run of bigrams is also a token, so that every character begins a
 * token and can be found alone.
 */
export function tokenize(text: string, hasFinalUnigrams: boolean): Tokens {
  const plain = fold(text);
  const words: string[] = [];
  const names: string[] = [];
  let start = 0;
  let end = -1;
  let connectors = 0;
  function endName(): void {
    if (connectors > 0) addName(names, plain.slice(start, end));
    connectors = 0;
  }
  function addSigned(from: number, to: number): void {
    const signed = findSignedWord(plain, from, to);
    if (signed !== undefined) names.push(signed);
  }
  visitRuns(plain, (from, to, isAscii) => {
    // A single dot or underscore after the last run joins the two runs into a name.
    if (from === end + 1 && isConnector(plain.charCodeAt(end))) connectors += 1;
    else {
      endName();
      start = from;
    }
    end = to;
    const run = plain.slice(from, to);
    if (isAscii) addSigned(from, to);
    else {
      // Text in scripts without spaces can adjoin Latin letters: `使用C#`.
      for (const { 0: part, index } of run.matchAll(latinRun)) {
        addSigned(from + index, from + index + part.length);
      }
    }
    if (!isAscii && beyondLatin.test(run)) addRun(words, run, hasFinalUnigrams);
    else addWord(words, run);
  });
  endName();
  return { words, names };
}

/** Returns the words of a text, in which names replace their parts. If two names overlap, the first one is used. */
export function joinNames(words: readonly string[], names: readonly string[]): string[] {
  if (names.length === 0) return [...words];
  const parts = names.map((name) => ({ name, words: tokenize(name, false).words }));
  const joined: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const found = parts.find((name) =>
      name.words.every((word, index) => words[at + index] === word),
    );
    joined.push(found?.name ?? words[at] ?? "");
    at += Math.max(1, found?.words.length ?? 1) - 1;
  }
  return joined;
}

/** Visits runs of letters and digits. Most are ASCII; the slower regular expression handles only the others. */
function visitRuns(
  plain: string,
  visit: (from: number, to: number, isAscii: boolean) => void,
): void {
  const { length } = plain;
  let at = 0;
  while (at < length) {
    const from = at;
    let isAscii = true;
    for (; at < length; at += 1) {
      const code = plain.charCodeAt(at);
      if (code > 127) isAscii = false;
      else if (!isLowerCase(code) && !isDigit(code)) break;
    }
    if (isAscii && at > from) visit(from, at, true);
    else if (!isAscii) {
      for (const { 0: run, index } of plain.slice(from, at).matchAll(wordPattern)) {
        visit(from + index, from + index + run.length, false);
      }
    }
    at += 1;
  }
}

export function isLowerCase(code: number): boolean {
  return code >= 97 && code <= 122;
}

function isUpperCase(code: number): boolean {
  return code >= 65 && code <= 90;
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Reports whether a character is a dot or underscore, which connects the parts of a name. */
export function isConnector(code: number): boolean {
  return code === dot || code === underscore;
}

function addName(names: string[], name: string): void {
  addWord(names, name);
  if (/^v\d/.test(name)) addWord(names, name.slice(1));
}

const hash = 0x23;
const dollar = 0x24;
const plus = 0x2b;
const hyphen = 0x2d;
const dot = 0x2e;
const solidus = 0x2f;
const atSign = 0x40;
const underscore = 0x5f;

/** Characters that may form a word with the run before or after them. */
const signs: readonly number[] = [dot, dollar, atSign, hyphen, underscore, plus, hash];
const signFlags = Uint8Array.from({ length: 128 }, (_, code) => Number(signs.includes(code)));

/** Reports whether a character may form a word with the run before or after it. `code` may be NaN. */
function isSign(code: number): boolean {
  return signFlags[code] === 1;
}

/**
 * Finds the word that a run of Latin letters forms with its signs. They may precede the run (`.NET`, `$ref`, `_meta`,
 * `@scope/name`, `--dry-run`) or follow it (`C++`, `C#`). Signs within text are not part of a word (`a.b`, `a-b`,
 * `b@c.de`, `f().then`). The result is ASCII in lowercase.
 */
export function findSignedWord(text: string, from: number, to: number): string | undefined {
  const next = text.charCodeAt(to);
  // This is the common case, because most runs are between spaces.
  if (!isSign(text.charCodeAt(from - 1)) && !isSign(next)) return undefined;
  const start = findFirstSign(text, from);
  if (start < from) {
    const end = findNameEnd(text, to, { max: start + maxTermLength, sign: text.charCodeAt(start) });
    return text.slice(start, end).toLowerCase();
  }
  if ((next !== hash && next !== plus) || !isLetter(text.charCodeAt(from))) return undefined;
  const letters = text.slice(from, Math.min(to, from + maxTermLength - 2)).toLowerCase();
  const after = text.charCodeAt(to + 1);
  if (next === hash) return isWordCode(after) ? undefined : `${letters}#`;
  return after === plus && text.charCodeAt(to + 2) !== plus ? `${letters}++` : undefined;
}

/** Returns the offset of the signs that form a word with the run after them, or the run's offset if there are none. */
function findFirstSign(text: string, from: number): number {
  const sign = text.charCodeAt(from - 1);
  if (!isSign(sign) || sign === plus || sign === hash || !isLetter(text.charCodeAt(from)))
    return from;
  const isDouble = (sign === hyphen || sign === underscore) && text.charCodeAt(from - 2) === sign;
  const start = isDouble ? from - 2 : from - 1;
  const before = text.charCodeAt(start - 1);
  // The sign after a closing quotation mark is a property access, not the start of a word.
  const outside = isQuotationMark(before) ? text.charCodeAt(start - 2) : before;
  return isWordCode(outside) || isSign(outside) || isClosingBracket(before) ? from : start;
}

/** Returns the end of a name, which continues after connectors and hyphens, and after a slash if it has a scope. */
function findNameEnd(
  text: string,
  runEnd: number,
  { max, sign }: { readonly max: number; readonly sign: number },
): number {
  let end = runEnd;
  while (end < max) {
    const connector = text.charCodeAt(end);
    const isScope = connector === solidus && sign === atSign;
    if (!isScope && connector !== hyphen && !isConnector(connector)) break;
    if (!isWordCode(text.charCodeAt(end + 1))) break;
    end += 1;
    while (end < max && isWordCode(text.charCodeAt(end))) end += 1;
  }
  return Math.min(end, max);
}

function isLetter(code: number): boolean {
  return isLowerCase(code) || isUpperCase(code);
}

/** Reports whether a character is an ASCII letter or digit. */
function isWordCode(code: number): boolean {
  return isLetter(code) || isDigit(code);
}

function isQuotationMark(code: number): boolean {
  return code === 0x22 || code === 0x27 || code === 0x60;
}

function isClosingBracket(code: number): boolean {
  return code === 0x29 || code === 0x5d || code === 0x7d;
}

/** Adds the terms of a run of letters, which may be in several scripts. */
function addRun(terms: string[], run: string, hasFinalUnigrams: boolean): void {
  let end = 0;
  for (const match of run.matchAll(unspacedOrHangul)) {
    addWord(terms, run.slice(end, match.index));
    end = match.index + match[0].length;
    if (match[1] === undefined) addKorean(terms, match[0], match.index > 0);
    else addBigrams(terms, match[0], hasFinalUnigrams);
  }
  addWord(terms, run.slice(end));
}

const katakana = /[\u30a1-\u30f6]/;
const eachKatakana = /[\u30a1-\u30f6]/g;
/** Matches a final prolonged sound mark, which is dropped because `サーバー` and `サーバ` are the same word. */
const finalProlongedMark =
  /(?<=[\u30a1-\u30f6\u30fc][\u30a1-\u30f6])\u30fc(?![\u30a1-\u30f6\u30fc])/g;
/** The difference between the codes of a katakana letter and the same letter in hiragana. */
const hiraganaOffset = 0x60;

/** Folds case, width, accents and kana. The result may differ in length from the text. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (!foldable.test(lower)) return lower;
  // NFKD decomposes Hangul syllables and voiced kana; NFC composes them again.
  const plain = lower.normalize("NFKD").replace(latinMarks, "").normalize("NFC");
  if (!katakana.test(plain)) return plain;
  return plain
    .replace(finalProlongedMark, "")
    .replace(eachKatakana, (kana) => String.fromCharCode(kana.charCodeAt(0) - hiraganaOffset));
}

function addWord(terms: string[], run: string): void {
  if (run !== "") terms.push(run.slice(0, maxTermLength));
}

function addBigrams(terms: string[], run: string, hasFinalUnigram: boolean): void {
  const characters = Array.from(run.replace(markPattern, ""));
  for (let index = 0; index + 1 < characters.length; index += 1) {
    terms.push(`${characters[index]}${characters[index + 1]}`);
  }
  const last = characters.at(-1);
  if (last !== undefined && (hasFinalUnigram || characters.length === 1)) terms.push(last);
}

const particle =
  "(?:(?:에서|에게|으로|로|까지|부터|처럼|보다|마다|이나|이라|라고|하고|에)(?:은|는|도|만|의|부터|까지)?|은|는|이|가|을|를|의|도|만|과|와|나|란)";
const onlyParticle = new RegExp(`^${particle}$`);
/** Matches endings of a noun of two or more syllables: particles, or a form of 하다 or 되다 (to do, to become). */
const ending = new RegExp(
  `^(\\p{Script=Hangul}{2,}?)(?:${particle}|(?:하|한|할|함|합|했|해|되|된|될|됨|됩|됐|돼)\\p{Script=Hangul}{0,4})$`,
  "u",
);

/** Adds `문서` for its forms `문서를`, `문서는` and `문서에서`. A particle after a word in another script is omitted. */
function addKorean(terms: string[], run: string, isAfterWord: boolean): void {
  if (isAfterWord && onlyParticle.test(run)) return;
  const short = run.slice(0, maxTermLength);
  terms.push(ending.exec(short)?.[1] ?? short);
}

const camelCase = /^[A-Za-z]+(?:[a-z\d][A-Z]|[A-Z][A-Z][a-z]{2})/;
const camelCaseBoundary = /(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})/;
/** Maximum number of parts per name. */
const maxParts = 8;

/** Returns the parts of `camelCase` and `PascalCase` names, by the lowercase name. */
export function splitCamelCaseNames(text: string): ReadonlyMap<string, readonly string[]> {
  const parts = new Map<string, readonly string[]>();
  visitCamelCase(text, (name) => {
    const words = name.split(camelCaseBoundary, maxParts).map((part) => part.toLowerCase());
    if (words.length > 1) parts.set(name.toLowerCase().slice(0, maxTermLength), words);
  });
  return parts;
}

/** Visits names of several words. First looks for a capital after the first letter, because few runs have one. */
function visitCamelCase(text: string, visit: (name: string) => void): void {
  const { length } = text;
  for (let at = 0; at < length; at += 1) {
    const from = at;
    let hasCapital = false;
    for (; at < length; at += 1) {
      const code = text.charCodeAt(at);
      if (isUpperCase(code)) hasCapital ||= at > from;
      else if (!isLowerCase(code) && !isDigit(code)) break;
    }
    if (!hasCapital || text[from - 1] === "_") continue;
    const name = text.slice(from, at);
    if (camelCase.test(name)) visit(name);
  }
}
