import { RE2JS, RE2JSException } from "re2js";
import { OctavoError } from "@octavo/site/core";

/** Instructions that a pattern may compile to. A line of 20,000 characters then costs seconds at the very worst. */
const maxProgramSize = 2_000;
/** What all texts searched with one pattern may cost together. */
const maxSearchMs = 5_000;

/** RE2's stands beside ASCII letters alone: `\bслово\b` would find nothing, and nobody would know why. */
const wordBoundary = /(?<!\\)(?:\\\\)*\\b/i;

interface LinearPatternOptions {
  readonly ignoreCase?: boolean;
  readonly maxMs?: number;
}

/** Both methods throw `too_large` when the texts searched before have taken too long. */
interface LinearPattern {
  /** Where the leftmost match begins, in UTF-16 code units; -1 where there is none. */
  find(line: string): number;
  /** Whether the pattern matches the whole text. */
  matchesAll(text: string): boolean;
}

const translations: Readonly<Record<string, string>> = {
  "**/": "(?:.*/)?",
  "**": ".*",
  "*": "[^/]*",
  "?": "[^/]",
  "{": "(?:",
  "}": ")",
  ",": "|",
};

/** What is looked at of a line; minified JSON has lines of megabytes. */
const lineLength = 20_000;
const shownLength = 300;

export interface LineMatch {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Of the line as much as is shown. */
  readonly text: string;
}

/**
 * A regular expression in RE2's syntax, whose engine never backtracks: a text costs at most its length times
 * the pattern's. Throws `invalid_input` for what is no such pattern (look-around and back references are none).
 */
export function linearPattern(
  source: string,
  { ignoreCase = false, maxMs = maxSearchMs }: LinearPatternOptions = {},
): LinearPattern {
  const pattern = compile(source, ignoreCase);
  const measured = spendAtMost(maxMs);
  return {
    find: (line) => measured(() => findIn(pattern, line)),
    matchesAll: (text) => measured(() => pattern.testExact(text)),
  };
}

/** A pattern that finds `text` as it stands. */
export function literalPattern(text: string, options: LinearPatternOptions = {}): LinearPattern {
  return linearPattern(RE2JS.quote(text), options);
}

function compile(source: string, ignoreCase: boolean): RE2JS {
  if (wordBoundary.test(source) && /[^\0-\x7f]/.test(source)) {
    throw refused(
      String.raw`\b knows ASCII letters only; write (?:^|\P{L}) and (?:\P{L}|$) around other words`,
    );
  }
  const pattern = parse(source, ignoreCase);
  if (pattern.programSize() > maxProgramSize) throw refused("it stands for too many steps");
  return pattern;
}

function parse(source: string, ignoreCase: boolean): RE2JS {
  try {
    return RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    if (error instanceof RE2JSException) throw refused(error.message);
    throw error;
  }
}

function findIn(pattern: RE2JS, line: string): number {
  // Asking only whether it matches is many times faster than asking where, and most lines do not match.
  if (!pattern.test(line)) return -1;
  const matcher = pattern.matcher(line);
  return matcher.find() ? matcher.start() : -1;
}

function spendAtMost(maxMs: number): <T>(work: () => T) => T {
  let leftMs = maxMs;
  return (work) => {
    if (leftMs <= 0) {
      throw new OctavoError(
        "too_large",
        "This search takes too long; make the pattern simpler or name fewer files.",
      );
    }
    const startedAt = performance.now();
    const result = work();
    leftMs -= performance.now() - startedAt;
    return result;
  };
}

function refused(reason: string): OctavoError {
  return new OctavoError("invalid_input", `The pattern cannot be used: ${reason}.`);
}

/**
 * A test of paths: `*` stands for any letters of one part, `**` for any parts, `?` for one letter, and
 * `{a,b}` for one of several. A pattern without a slash means the file's name in any folder. Globs of
 * libraries become expressions that backtrack: five stars in one keep V8 for a minute over 200 letters.
 */
export function pathPattern(pattern: string): (path: string) => boolean {
  const clean = pattern.replace(/^\.?\//, "");
  if (/[()[\]\\|^$+]/.test(clean)) {
    throw new OctavoError(
      "invalid_input",
      `The path pattern ${JSON.stringify(pattern.slice(0, 200))} may hold the signs *, **, ? and {a,b} only.`,
    );
  }
  const whole = clean.includes("/") || clean === "**" ? clean : `**/${clean}`;
  const source = whole.replaceAll(
    /\*\*\/|\*\*|\*|\?|[{},.]/g,
    (sign) => translations[sign] ?? `\\${sign}`,
  );
  const parts = linearPattern(source);
  return (path) => parts.matchesAll(path);
}

/** The lines of a file that the pattern is found in. */
export function* matchesIn(
  file: string,
  text: string,
  wanted: LinearPattern,
): Generator<LineMatch> {
  let number = 0;
  for (const whole of text.split("\n")) {
    number += 1;
    const line = whole.replace(/\r$/, "").slice(0, lineLength);
    const at = wanted.find(line);
    if (at === -1) continue;
    const from = line.length <= shownLength ? 0 : Math.max(0, at - 80);
    yield { file, line: number, column: at + 1, text: line.slice(from, from + shownLength) };
  }
}
