import { countSlotTokens, isBareValue, isQuotedValue, readScope } from "./slots.ts";
import { getCanonicalWord, isFillerWord, type Token } from "./tokens.ts";

/** A part of a form's wording. */
export type WordingPart =
  /** If `words` is empty, the word is optional, such as an article. */
  | { readonly type: "word"; readonly shown: string; readonly words: readonly string[] }
  | {
      readonly type: "slot";
      readonly name: string;
      readonly kind: string;
      readonly isQuoted: boolean;
    }
  | { readonly type: "option"; readonly parts: readonly WordingPart[] };

/** The tokens in the slots of a form. Also contains the form's options that have no slot, keyed by their last word. */
export type SlotValues = ReadonlyMap<string, Token>;

/**
 * Parses a wording. It consists of words (`to|in` for either), `<slots>` that take a path, a name or a quoted value,
 * `"<slots>"` that take only a quoted value, and `[options]`, which may come in any order if adjacent. `<name:kind>` is
 * filled like a slot named `kind`, but only without quotation marks.
 */
export function readWording(wording: string): readonly WordingPart[] {
  const pieces = wording.match(/\[|\]|"?<[a-z:]+>"?|[^\s[\]]+/g) ?? [];
  const stack: WordingPart[][] = [[]];
  for (const piece of pieces) {
    const current = stack.at(-1) ?? [];
    const [, name, kind = name] = /<([a-z]+)(?::([a-z]+))?>/.exec(piece) ?? [];
    if (piece === "[") stack.push([]);
    else if (piece === "]") stack.at(-2)?.push({ type: "option", parts: stack.pop() ?? [] });
    else if (name !== undefined && kind !== undefined)
      current.push({ type: "slot", name, kind, isQuoted: piece.startsWith('"') });
    else current.push(readWord(piece));
  }
  return stack[0] ?? [];
}

function readWord(piece: string): WordingPart {
  const words = piece.split("|");
  return {
    type: "word",
    shown: words[0] ?? "",
    words: isFillerWord(piece) ? [] : words.map(getCanonicalWord),
  };
}

/** Matches tokens against a wording. Returns undefined unless all of them fit. */
export function matchWording(
  parts: readonly WordingPart[],
  tokens: readonly Token[],
): SlotValues | undefined {
  const asked = tokens.filter(({ kind, text }) => kind !== "word" || text !== "please");
  const named = asked.flatMap((token, index): Token[] => {
    if (isArticle(asked, index)) return [];
    const article = isArticle(asked, index - 1) ? asked[index - 1]?.text : undefined;
    return [article === undefined ? token : { ...token, article }];
  });
  return match(parts, named, new Map());
}

/** Reports whether a token is an article before a word. At the end, or before `to` and similar words, it is a name. */
function isArticle(tokens: readonly Token[], index: number): boolean {
  const [token, next] = tokens.slice(index, index + 2);
  if (token?.kind !== "word" || !isFillerWord(token.text)) return false;
  if (next === undefined || next.hasComma === true) return false;
  return next.kind !== "word" || !joins.has(getCanonicalWord(next.text));
}

const joins: ReadonlySet<string> = new Set(["to", "with", "in", "at", "and", "also", "including"]);

function match(
  parts: readonly WordingPart[],
  tokens: readonly Token[],
  filled: SlotValues,
): SlotValues | undefined {
  const [part, ...rest] = parts;
  const [token, ...others] = tokens;
  if (part === undefined) return token === undefined ? filled : undefined;
  if (part.type === "option") return matchOptions(parts, tokens, filled);
  if (part.type === "word" && part.words.length === 0) return match(rest, tokens, filled);
  if (token === undefined) return undefined;
  if (part.type === "word") return fitsWord(part, token) ? match(rest, others, filled) : undefined;
  for (let count = Math.min(tokens.length, countSlotTokens(part.kind)); count > 0; count--) {
    const value = joinTokens(tokens.slice(0, count));
    const isFilled = value !== undefined && fitsSlot(part, value);
    const found = isFilled && match(rest, tokens.slice(count), new Map([...filled, [part.name, value]])); // prettier-ignore
    if (found) return found;
  }
  return undefined;
}

/**
 * Joins the tokens of a value of several words, with the articles and commas between them. The result is a `word`,
 * unless there is a single token.
 */
function joinTokens(tokens: readonly Token[]): Token | undefined {
  const [first] = tokens;
  const last = tokens.at(-1);
  if (first === undefined || last === undefined || first === last) return first;
  if (tokens.some(({ kind }) => kind === "end")) return undefined;
  const others = tokens.slice(1).map(({ text, article, hasComma }) => {
    return `${hasComma === true ? "," : ""} ${article === undefined ? "" : `${article} `}${text}`;
  });
  return { ...first, kind: "word", text: [first.text, ...others].join(""), end: last.end, parts: tokens }; // prettier-ignore
}

/** Matches adjacent options, each at most once and in any order. */
function matchOptions(
  parts: readonly WordingPart[],
  tokens: readonly Token[],
  filled: SlotValues,
): SlotValues | undefined {
  const end = parts.findIndex(({ type }) => type !== "option");
  const options = parts.slice(0, end === -1 ? parts.length : end);
  const rest = parts.slice(options.length);
  for (const option of options) {
    if (option.type !== "option" || tokens.length === 0) continue;
    const others = options.filter((other) => other !== option);
    const flag = findFlag(option.parts, tokens[0]);
    const found = match(
      [...option.parts, ...others, ...rest],
      tokens,
      new Map([...filled, ...flag]),
    );
    if (found !== undefined) return found;
  }
  return match(rest, tokens, filled);
}

/** Returns the key of an option without a slot, which is its last word, and its token. */
function findFlag(parts: readonly WordingPart[], token: Token | undefined): [string, Token][] {
  const last = parts.at(-1);
  const isFlag = last?.type === "word" && parts.every(({ type }) => type === "word");
  return isFlag && token !== undefined ? [[last.words[0] ?? "", token]] : [];
}

function fitsWord(part: { readonly words: readonly string[] }, token: Token): boolean {
  return token.kind === "word" && part.words.includes(getCanonicalWord(token.text));
}

function fitsSlot(part: Extract<WordingPart, { type: "slot" }>, token: Token): boolean {
  if (part.kind === "scope") return readScope(token.parts ?? [token]) !== undefined;
  if (token.kind === "value")
    return part.kind === part.name && isQuotedValue(part.name, token.text);
  // An article that was left out could be the first word of the value.
  if (part.kind === "words" && token.article !== undefined) return false;
  return !part.isQuoted && isBareValue(part.kind, token.text);
}
