import { RE2JS, RE2JSException } from "re2js";
import { OctavoError, createInputError } from "@octavo/site/core";

/**
 * The maximum number of instructions of a compiled pattern. A line of 20,000 characters then takes seconds in the worst
 * case.
 */
const maxProgramSize = 2_000;
/** The maximum total time for all texts that are searched with one pattern. */
const defaultTimeoutMs = 5_000;

/** Matches `\b`. RE2's `\b` recognizes only ASCII letters, so `\bслово\b` would silently match nothing. */
const wordBoundary = /(?<!\\)(?:\\\\)*\\b/i;

interface LinearPatternOptions {
  readonly ignoreCase?: boolean;
  readonly timeoutMs?: number;
}

/** All methods throw `too_large` if earlier searches with this pattern took too long. */
interface LinearPattern {
  /** Returns the start of the leftmost match in UTF-16 code units, or -1 if nothing matches. */
  find(line: string): number;
  /** Yields the matching lines of a text, with the starts that `find` returns. */
  findLines(text: string): Generator<TextLine & { readonly start: number }>;
  /** Reports whether the pattern matches the whole text. */
  matchesAll(text: string): boolean;
}

interface TextLine {
  /** Counted from 0. */
  readonly index: number;
  /** The start of the line, without its line ending. */
  readonly line: string;
}

const wildcardPatterns: Readonly<Record<string, string>> = {
  "**/": "(?:.*/)?",
  "**": ".*",
  "*": "[^/]*",
  "?": "[^/]",
  "{": "(?:",
  "}": ")",
  ",": "|",
};

/** The number of characters searched per line. Lines of minified JSON can be megabytes long. */
const maxSearchedLineLength = 20_000;
const maxShownLength = 300;

export interface LineMatch {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The line, truncated for display. */
  readonly text: string;
}

/**
 * Compiles a regular expression in RE2's syntax. RE2 does not backtrack, so the time of a search is at most
 * proportional to the text's length times the pattern's length. Throws `invalid_input` for an invalid pattern.
 * Lookaround and backreferences are not supported.
 */
export function createLinearPattern(
  source: string,
  { ignoreCase = false, timeoutMs = defaultTimeoutMs }: LinearPatternOptions = {},
): LinearPattern {
  const pattern = compile(source, ignoreCase);
  const runWithinTime = limitTime(timeoutMs);
  const certainPattern = createCertainPattern(source, ignoreCase);
  const find = (line: string): number =>
    runWithinTime(() => {
      // Testing for a match is many times faster than locating it, and most lines do not match.
      if (!pattern.test(line)) return -1;
      const matcher = pattern.matcher(line);
      return matcher.find() ? matcher.start() : -1;
    });
  return {
    find,
    *findLines(text) {
      const lines = certainPattern ? listLinesWith(certainPattern, text) : listLines(text);
      for (const { index, line } of lines) {
        const start = find(line);
        if (start !== -1) yield { index, line, start };
      }
    },
    matchesAll: (text) => runWithinTime(() => pattern.testExact(text)),
  };
}

/** Creates a pattern that matches `text` literally. */
export function createLiteralPattern(
  text: string,
  options: LinearPatternOptions = {},
): LinearPattern {
  return createLinearPattern(RE2JS.quote(text), options);
}

function compile(source: string, ignoreCase: boolean): RE2JS {
  if (wordBoundary.test(source) && /[^\0-\x7f]/.test(source)) {
    throw createPatternError(
      String.raw`\b recognizes only ASCII letters; write (?:^|\P{L}) and (?:\P{L}|$) around other words`,
    );
  }
  const pattern = parse(source, ignoreCase);
  if (pattern.programSize() > maxProgramSize) throw createPatternError("it is too complex");
  return pattern;
}

function parse(source: string, ignoreCase: boolean): RE2JS {
  try {
    return RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    if (error instanceof RE2JSException) throw createPatternError(error.message);
    throw error;
  }
}

/** Creates a linear-time pattern that is found in every matching line. Returns undefined if there is none. */
function createCertainPattern(source: string, ignoreCase: boolean): RegExp | undefined {
  const flags = ignoreCase ? "giu" : "gu";
  // V8 searches for a tree of words ten times as fast as RE2JS, but its `\b` differs with `u` and `i`.
  const withoutBoundaries = source.replaceAll(String.raw`\b`, "");
  if (isWordTree(withoutBoundaries)) return new RegExp(withoutBoundaries, flags);
  const texts = findCertainTexts(source, { ignoreCase })?.map((text) => RegExp.escape(text));
  return texts && new RegExp(texts.join("|"), flags);
}

/**
 * Reports whether a pattern is a tree of words, such as `a(b|c(d|))`: nothing follows a group, and no two of its
 * branches begin with the same letter, so that an engine that backtracks tries nothing twice.
 */
function isWordTree(pattern: string): boolean {
  if (!/^[A-Za-z0-9_ ()|]+$/.test(pattern) || /\)[^)|]/.test(pattern)) return false;
  const groups: Set<string>[] = [];
  for (const [, sign, start = ""] of `(${pattern})`.matchAll(/([()|])([^()|]?)/g)) {
    if (sign === "(") groups.push(new Set());
    const group = groups.at(-1);
    if (sign === ")") groups.pop();
    else if (!group || group.has(start.toLowerCase())) return false;
    else group.add(start.toLowerCase());
  }
  return groups.length === 0;
}

function* listLines(text: string): Generator<TextLine> {
  for (const [index, line] of text.split("\n").entries()) yield { index, line: cutLine(line) };
}

/**
 * Yields the lines in which a pattern occurs. In most texts, few lines match, so the text between matches is not split
 * into lines.
 */
function* listLinesWith(pattern: RegExp, text: string): Generator<TextLine> {
  let [index, start, end] = [0, 0, -1];
  while (end < text.length) {
    pattern.lastIndex = end + 1;
    const match = pattern.exec(text);
    if (!match) return;
    end = findLineEnd(text, start);
    while (end < match.index) {
      index += 1;
      start = end + 1;
      end = findLineEnd(text, start);
    }
    yield { index, line: cutLine(text.slice(start, end)) };
  }
}

function findLineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

function limitTime(timeoutMs: number): <T>(work: () => T) => T {
  let remainingMs = timeoutMs;
  return (work) => {
    if (remainingMs <= 0) {
      throw new OctavoError(
        "too_large",
        "This search takes too long; make the pattern simpler or name fewer files.",
      );
    }
    const startedAt = performance.now();
    const result = work();
    remainingMs -= performance.now() - startedAt;
    return result;
  };
}

function createPatternError(reason: string): OctavoError {
  return createInputError(`The pattern cannot be used: ${reason}.`);
}

/**
 * Compiles a path pattern. `*` matches any characters within a segment, `**` any segments, `?` one character, and
 * `{a,b}` one of several alternatives. A pattern without a slash matches file names in any folder. Glob libraries are
 * not used because they generate expressions that backtrack: with five stars in a pattern, V8 takes a minute for 200
 * characters.
 */
export function createPathMatcher(pattern: string): (path: string) => boolean {
  const clean = pattern.replace(/^\.?\//, "");
  if (/[()[\]\\|^$+]/.test(clean)) {
    throw createInputError(
      `The path pattern ${JSON.stringify(pattern.slice(0, 200))} may contain only the wildcards *, **, ? and {a,b}.`,
    );
  }
  const fullPattern = clean.includes("/") || clean === "**" ? clean : `**/${clean}`;
  const source = fullPattern.replaceAll(
    /\*\*\/|\*\*|\*|\?|[{},.]/g,
    (sign) => wildcardPatterns[sign] ?? `\\${sign}`,
  );
  const compiled = createLinearPattern(source);
  if (/[{},]/.test(fullPattern)) return (path) => compiled.matchesAll(path);
  // Most paths differ from the pattern before its first wildcard or after its last wildcard.
  const [start = ""] = /^[^*?]*/.exec(fullPattern) ?? [];
  const [end = ""] = /(?<=^|[*?]\/?)(?!\/)[^*?]*$/.exec(fullPattern) ?? [];
  return (path) => path.startsWith(start) && path.endsWith(end) && compiled.matchesAll(path);
}

/** Yields the lines of a file that match the pattern. */
export function* findMatches(
  file: string,
  text: string,
  pattern: LinearPattern,
): Generator<LineMatch> {
  for (const { index, line, start } of pattern.findLines(text)) {
    const from = line.length <= maxShownLength ? 0 : Math.max(0, start - 80);
    const shownText = line.slice(from, from + maxShownLength);
    yield { file, line: index + 1, column: start + 1, text: shownText };
  }
}

function cutLine(line: string): string {
  const end = line.endsWith("\r") ? line.length - 1 : line.length;
  return line.slice(0, Math.min(end, maxSearchedLineLength));
}

/** The maximum number of texts. Searching for more takes longer than searching for the pattern. */
const maxTexts = 20;

/** Escapes of one letter that match a position, a class or a control character. */
const singleEscapes = /^[abBdDfnrsStvwWzA]$/;
const repetition = /\{(\d+)(?:,\d*)?\}/y;

/** A part of a pattern: a single character, or a subpattern whose matches contain one of the texts. */
interface PatternPart {
  readonly character?: string;
  readonly texts?: readonly string[] | undefined;
}

/**
 * Finds strings such that every match of a pattern in RE2's syntax contains at least one of them. Returns undefined if
 * there may be none. With `ignoreCase`, they contain only ASCII characters, which all engines fold alike.
 */
export function findCertainTexts(
  source: string,
  { ignoreCase }: { readonly ignoreCase: boolean },
): readonly string[] | undefined {
  const reader = new PatternReader(source, ignoreCase);
  const texts = reader.readAlternatives();
  return reader.isUnderstood ? texts : undefined;
}

class PatternReader {
  readonly #source: string;
  readonly #ignoreCase: boolean;
  #position = 0;
  /** Whether all syntax so far is known. After unknown syntax, nothing is certain. */
  isUnderstood = true;

  constructor(source: string, ignoreCase: boolean) {
    this.#source = source;
    this.#ignoreCase = ignoreCase;
  }

  readAlternatives(): readonly string[] | undefined {
    const branches = [this.#readSequence()];
    while (this.#consume("|")) branches.push(this.#readSequence());
    const texts = branches.flatMap((branch) => branch ?? []);
    return texts.length <= maxTexts && !branches.includes(undefined) ? texts : undefined;
  }

  #readSequence(): readonly string[] | undefined {
    let best: readonly string[] | undefined;
    let literal = "";
    const offer = (texts: readonly string[] | undefined) => {
      if (texts && getMinLength(texts) > getMinLength(best ?? [])) best = texts;
    };
    while (this.isUnderstood && !/^[|)]?$/.test(this.#source.charAt(this.#position))) {
      const { character = "", texts } = this.#readPart();
      const quantifier = this.#readQuantifier();
      if (quantifier !== "optional") literal += character;
      if (character !== "" && quantifier === "once") continue;
      offer([literal]);
      literal = "";
      if (quantifier !== "optional") offer(texts);
    }
    offer([literal]);
    return best;
  }

  #readPart(): PatternPart {
    const character = String.fromCodePoint(this.#source.codePointAt(this.#position) ?? 0);
    this.#position += character.length;
    if (character === "\\") return this.#readEscape();
    if (character === "(") return this.#readGroup();
    if (character === "[") return this.#skipClass();
    return /[.^$]/.test(character) ? {} : this.#toPart(character);
  }

  #toPart(character: string): PatternPart {
    const isCertain = this.#ignoreCase ? /[ -~]/.test(character) : character >= " ";
    return isCertain ? { character } : {};
  }

  #readEscape(): PatternPart {
    const character = this.#source.charAt(this.#position);
    this.#position += 1;
    if (/[!-/:-@[-`{-~]/.test(character)) return { character };
    if (!singleEscapes.test(character)) this.isUnderstood = false;
    return {};
  }

  #readGroup(): PatternPart {
    if (this.#consume("?") && !this.#consume(":")) this.isUnderstood = false;
    const texts = this.readAlternatives();
    if (!this.#consume(")")) this.isUnderstood = false;
    return { texts };
  }

  #skipClass(): PatternPart {
    const end = /\^?\]?(?:[^\\\][]|\\[^pPQ])*\]/y;
    end.lastIndex = this.#position;
    if (end.test(this.#source)) this.#position = end.lastIndex;
    else this.isUnderstood = false;
    return {};
  }

  #readQuantifier(): "once" | "repeated" | "optional" {
    repetition.lastIndex = this.#position;
    const [quantifier = "", min] = repetition.exec(this.#source) ?? [];
    this.#position += quantifier.length;
    const isOptional =
      quantifier === "" ? this.#consume("*") || this.#consume("?") : Number(min) === 0;
    const isRepeated = quantifier !== "" || (!isOptional && this.#consume("+"));
    if (!isOptional && !isRepeated) return "once";
    this.#consume("?");
    return isOptional ? "optional" : "repeated";
  }

  #consume(text: string): boolean {
    const isNext = this.#source.startsWith(text, this.#position);
    if (isNext) this.#position += text.length;
    return isNext;
  }
}

/** Returns the length of the shortest text; 0 without texts. */
function getMinLength(texts: readonly string[]): number {
  return texts.length === 0 ? 0 : Math.min(...texts.map(({ length }) => length));
}
