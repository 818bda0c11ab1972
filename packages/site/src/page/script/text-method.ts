import { createEvaluationError, chargeText, toText } from "./evaluation-context.ts";
import { toCount, toIndex, toNumber } from "./operators.ts";
import type { Method, NativeContext } from "./react.ts";
import { chargePattern, createPattern } from "../text-pattern.ts";
import { changeCase, compareInLocale, tryHost } from "./time-and-locale.ts";
import { isCallable, IteratorValue, TextPattern, type Value } from "./value.ts";

export const textMethods: Readonly<Record<string, Method<string>>> = {
  toUpperCase: (text) => text.toUpperCase(),
  toLowerCase: (text) => text.toLowerCase(),
  trim: (text) => text.trim(),
  slice: (text, [start, end]) => text.slice(toIndex(start), toIndex(end)),
  trimStart: (text) => text.trimStart(),
  trimEnd: (text) => text.trimEnd(),
  toString: (text: string) => text,
  valueOf: (text: string) => text,
  charAt: (text, [index]) => text.charAt(toIndex(index) ?? 0),
  at: (text, [index]) => text.at(toIndex(index) ?? 0),
  indexOf: (text, [part, from]) => text.indexOf(toText(part), toIndex(from)),
  replace: (text, [part, replacement], context) => {
    if (part instanceof TextPattern) return replacePattern(text, part, replacement, context);
    const searchedText = toText(part);
    if (isCallable(replacement))
      return chargeText(text.replace(searchedText, createReplacer(replacement, context)), context);
    const replacementText = toText(replacement);
    // Patterns such as `$&` repeat parts of the text.
    context.budget.spendCharacters((text.length + 1) * (replacementText.length + 1));
    return text.replace(searchedText, replacementText);
  },
  replaceAll: (text, [part, replacement], context) => {
    if (part instanceof TextPattern) {
      if (!part.expression.global)
        throw createEvaluationError("`replaceAll` needs a pattern with the flag `g`.");
      return replacePattern(text, part, replacement, context);
    }
    const searchedText = toText(part);
    if (isCallable(replacement))
      return chargeText(
        text.replaceAll(searchedText, createReplacer(replacement, context)),
        context,
      );
    const replacementText = toText(replacement);
    const count = text.split(searchedText).length + 1;
    context.budget.spendNodes(count);
    const repeated = replacementText.includes("$") ? text.length : 0;
    context.budget.spendCharacters((replacementText.length + 1) * count * (repeated + 1));
    return text.replaceAll(searchedText, replacementText);
  },
  padStart: (text, [length, padding], context) => {
    const targetLength = toCount(length);
    context.budget.spendCharacters(targetLength);
    return text.padStart(targetLength, padding === undefined ? " " : toText(padding));
  },
  repeat: (text, [count], context) => {
    if (toNumber(count) <= -1)
      throw createEvaluationError("A string cannot be repeated a negative number of times.");
    const times = toCount(count);
    context.budget.spendCharacters(text.length * times);
    return text.repeat(times);
  },
  startsWith: (text, [start, from]) => text.startsWith(toText(start), toIndex(from)),
  endsWith: (text, [end, to]) => text.endsWith(toText(end), toIndex(to)),
  includes: (text, [part, from]) => text.includes(toText(part), toIndex(from)),
  padEnd: (text, [length, padding], context) => {
    const targetLength = toCount(length);
    context.budget.spendCharacters(targetLength);
    return text.padEnd(targetLength, padding === undefined ? " " : toText(padding));
  },
  substring: (text, [start, end]) => text.substring(toIndex(start) ?? 0, toIndex(end)),
  concat: (text, others, context) => chargeText(text + others.map(toText).join(""), context),
  charCodeAt: (text, [index]) => text.charCodeAt(toIndex(index) ?? 0),
  codePointAt: (text, [index]) => text.codePointAt(toIndex(index) ?? 0),
  lastIndexOf: (text, args) => {
    const [part, from] = args;
    return text.lastIndexOf(toText(part), from === undefined ? undefined : toIndex(from));
  },
  localeCompare: (text, args, context) => compareInLocale(text, args, context),
  normalize: (text, [form], context) => {
    context.budget.spendCharacters(text.length * 18);
    return tryHost(() => text.normalize(form === undefined ? undefined : toText(form)));
  },
  trimLeft: (text) => text.trimStart(),
  trimRight: (text) => text.trimEnd(),
  substr: (text, [start, length]) => {
    const from = toIndex(start) ?? 0;
    return length === undefined ? text.substr(from) : text.substr(from, toIndex(length));
  },
  isWellFormed: (text) => text.isWellFormed(),
  toWellFormed: (text) => text.toWellFormed(),
  toLocaleLowerCase: (text, args, context) => changeCase(text, "Lower", { args, context }),
  toLocaleUpperCase: (text, args, context) => changeCase(text, "Upper", { args, context }),
  match: (text, [source], context) => match(text, toPattern(source, ""), context),
  matchAll: (text, [source], context) => {
    const pattern = toPattern(source, "g");
    if (!pattern.expression.global)
      throw createEvaluationError("`matchAll` needs a pattern with the flag `g`.");
    chargePattern(pattern, text, context);
    const found: Value[] = [];
    for (const match of text.matchAll(pattern.expression)) {
      context.budget.spendNodes(match.length);
      found.push([...match]);
    }
    return new IteratorValue(found);
  },
  search: (text, [source], context) => {
    const pattern = toPattern(source, "");
    chargePattern(pattern, text, context);
    return text.search(pattern.expression);
  },
  split: (text, [separator, limit], context) => {
    const maxParts = limit === undefined ? undefined : toNumber(limit);
    if (separator === undefined) return maxParts === undefined || maxParts >>> 0 > 0 ? [text] : [];
    if (separator instanceof TextPattern) chargePattern(separator, text, context);
    const delimiter = separator instanceof TextPattern ? separator.expression : toText(separator);
    const parts = text.split(delimiter, maxParts);
    context.budget.spendNodes(parts.length);
    return parts;
  },
};

export const patternMethods: Readonly<Record<string, Method<TextPattern>>> = {
  test: testPattern,
  exec: executePattern,
  toString: ({ expression }: TextPattern) => String(expression),
};

function match(text: string, pattern: TextPattern, context: NativeContext): Value {
  chargePattern(pattern, text, context);
  const found = text.match(pattern.expression);
  context.budget.spendNodes(found?.length ?? 0);
  return found && [...found];
}

/** Returns a function that replaces a match with the result of the author's function `replacement`. */
function createReplacer(
  replacement: Value,
  { call }: NativeContext,
): (...found: (string | number | undefined)[]) => string {
  return (...found) => {
    // The engine passes named groups as an object of its own, which a script must not receive.
    const args = found.map((part) => {
      if (typeof part === "object")
        throw createEvaluationError("A static page cannot pass named groups to a function.");
      return part;
    });
    return toText(call(replacement, args));
  };
}

function replacePattern(
  text: string,
  pattern: TextPattern,
  replacement: Value,
  context: NativeContext,
): string {
  chargePattern(pattern, text, context);
  if (isCallable(replacement))
    return chargeText(
      text.replace(pattern.expression, createReplacer(replacement, context)),
      context,
    );
  const replacementText = toText(replacement);
  // `$&` repeats the match, and a pattern may match at each position between two characters.
  context.budget.spendCharacters((text.length + 1) * (replacementText.length + 1));
  return text.replace(pattern.expression, replacementText);
}

/** Returns `source` if it is a pattern, or creates a pattern from its text with `flags`. */
function toPattern(source: Value, flags: string): TextPattern {
  if (source instanceof TextPattern) return source;
  return createPattern(source === undefined ? "(?:)" : toText(source) || "(?:)", flags);
}

function executePattern(
  pattern: TextPattern,
  [value]: readonly Value[],
  context: NativeContext,
): Value {
  const text = toText(value);
  const { global, sticky } = pattern.expression;
  if (global || sticky)
    throw createEvaluationError(
      "`exec` depends on earlier calls if the pattern has the flag `g` or `y`.",
    );
  return match(text, pattern, context);
}

function testPattern(
  pattern: TextPattern,
  [value]: readonly Value[],
  context: NativeContext,
): boolean {
  const text = toText(value);
  const { global, sticky } = pattern.expression;
  if (global || sticky)
    throw createEvaluationError(
      "`test` depends on earlier calls if the pattern has the flag `g` or `y`.",
    );
  chargePattern(pattern, text, context);
  return text.search(pattern.expression) !== -1;
}
