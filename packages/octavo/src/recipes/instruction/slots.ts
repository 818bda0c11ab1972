import type { Scope, ScopePart } from "./forms.ts";
import type { Token } from "./tokens.ts";

const parts = String.raw`/?[\p{L}\p{N}_@~-][\p{L}\p{N}_.@~-]*(?:/[\p{L}\p{N}_.@~-]+)*`;
const path = new RegExp(`^${parts}/?$`, "u");
/** A page, which has no trailing slash, because that would indicate a folder. */
const page = new RegExp(`^(?!(?:its?|this|that|them|all|every|each|everything)$)${parts}$`, "u");
/** An unambiguous path. A single word would not be one, because it may also name a position or a kind of thing. */
const file = new RegExp(String.raw`^(?=.*/|.*\.mdx?$)${parts}$`, "u");
const target = new RegExp(String.raw`^${parts}(?:#[^\s#]+)?$|^https?://\S+$`, "u");
const name = /^[\p{L}\p{N}][\p{L}\p{N}_.-]*$/u;
/** A field of the frontmatter, such as `og:image`. */
const field = /^[\p{L}][\p{L}\p{N}_.-]*(?::[\p{L}\p{N}_.-]+)*$/u;
/** The name of a group or a tab beside that word. Other words could belong to the instruction. */
const divisionName =
  /^(?!.*(?:^| )(?:to|and|then|with|called|its)(?: |$))[\p{L}\p{N}][^"“”«»`:]*$/iu;
const capital = String.raw`[\p{Lu}\p{N}][\p{L}\p{N}+&/.'’-]*`;
/**
 * A new name without quotation marks. Each of its words is capitalized, because other words could be a second clause of
 * the instruction: `to Payments and move it up`.
 */
const words = new RegExp(String.raw`^(?!(?:title|sentence|upper|lower|camel) ?case$)${capital}(?: (?:(?:of|for|and|&|in|with|up|out|off|your|via|vs) )?(?:(?:the|an?) )?${capital})*$`, "u"); // prettier-ignore

/** The maximum number of words in a value without quotation marks. */
const maxWords: Readonly<Record<string, number>> = { scope: 12, division: 5, words: 6 };

export function countSlotTokens(slot: string): number {
  return maxWords[slot] ?? 1;
}

/** The patterns of unquoted values. All other slots take only quoted values. */
const bareValues: Readonly<Record<string, RegExp>> = {
  scope: path,
  page,
  file,
  path,
  source: path,
  target,
  group: name,
  tab: name,
  division: divisionName,
  words,
  field,
  word: /^(?!(?:something|none|nothing|null|default|empty|blank|upper|lower|mixed)$)[a-z\d][\w.-]*$/i,
  from: /^v?\d[\w.+-]*$/,
  to: /^v?\d[\w.+-]*$/,
  product: name,
};

export function isBareValue(slot: string, word: string): boolean {
  return bareValues[slot]?.test(word) === true;
}

/** Slots whose quoted values must also be paths. Pages, groups and folders may be named in words. */
const addresses: ReadonlySet<string> = new Set(["path", "source", "field"]);
const pair = /^[\w:-]*\w:\s+\S/;

export function isQuotedValue(slot: string, text: string): boolean {
  if (slot === "pair") return pair.test(text);
  return text !== "" && (!addresses.has(slot) || isBareValue(slot, text));
}

const site = /^(?:docs?|documentation|site|website|manual|everything)$/i;
const whole = /^(?:(?:whole|entire|complete|full|all|every) )*(?:of )?(?:docs?|documentation|site|website|manual|pages?|files?|everything)$/i; // prettier-ignore
const pages = /^(?:all|every|each)? ?(?:pages?|files?|docs?) (?:in|of|under|below|within|inside)$/i;
const pathNoun = /^(?:folder|directory|page|pages|files?|docs|version|translations?|guide)$/i;
const divisionNoun = /^(?:groups?|sections?|tabs?)$/i;
const joining = /^(?:and|&)$/i;
/** Parts of pages, and words of a further clause. A folder with such a name must be written with a slash. */
const reserved = /^(?:code|headings?|titles?|descriptions?|frontmatter|prose|text|tables?|lists?|links?|comments?|navigation|sidebar|quotes?|examples?|bold|italics?|it|that|this|these|those|which|where|here|there|order|case|general|full|place)$/i; // prettier-ignore

/**
 * Reads a part of a site: `guides`, `fr and es`, `the French pages`, `all pages in the folder guides`, `the API
 * tab`. The scope of the whole site has no parts. Returns undefined for other words.
 */
export function readScope(tokens: readonly Token[]): Scope | undefined {
  if (tokens.every(({ kind }) => kind === "word") && whole.test(textOf(tokens)))
    return { parts: [] };
  const lead = [3, 2].find((count) => pages.test(textOf(tokens.slice(0, count)))) ?? 0;
  const items: Token[][] = [[]];
  for (const token of tokens.slice(lead)) {
    const isJoining = token.kind === "word" && joining.test(token.text);
    if (isJoining || (token.hasComma === true && items.at(-1)?.length !== 0)) items.push([]);
    if (!isJoining) items.at(-1)?.push(token);
  }
  const shared = findSharedNoun(items);
  const parts = items.map((item, index) => {
    if (shared === undefined) return readPlace(item, "");
    if (shared.at === "start") return readPlace(index === 0 ? item.slice(1) : item, shared.noun);
    return readPlace(index === items.length - 1 ? item.slice(0, -1) : item, shared.noun);
  });
  const found = parts.filter((place) => place !== undefined);
  return found.length === parts.length && found.length > 0 ? { parts: found } : undefined;
}

/** Finds the noun of a whole list: `the groups A and B`, `the fr and es pages`. */
function findSharedNoun(
  items: readonly (readonly Token[])[],
): { readonly noun: string; readonly at: "start" | "end" } | undefined {
  if (items.length < 2) return undefined;
  const [first, last] = [items[0]?.[0], items.at(-1)?.at(-1)];
  if (first?.kind === "word" && /^(?:groups|sections|tabs|folders)$/i.test(first.text))
    return { noun: first.text.slice(0, -1), at: "start" };
  if (last?.kind !== "word" || items.at(-1)?.length === 1) return undefined;
  if (/^(?:groups|sections|tabs|folders)$/i.test(last.text))
    return { noun: last.text.slice(0, -1), at: "end" };
  return /^(?:pages|files|docs)$/i.test(last.text) ? { noun: last.text, at: "end" } : undefined;
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map(({ text }) => text).join(" ");
}

/** Reads one place. `noun` is the kind of place that stands beside a list. */
function readPlace(tokens: readonly Token[], noun: string): ScopePart | undefined {
  const [first] = tokens;
  const last = tokens.at(-1);
  if (first === undefined || last === undefined) return undefined;
  if (divisionNoun.test(noun)) return readDivision(tokens, noun);
  if (isNoun(first, tokens, divisionNoun)) return readDivision(tokens.slice(1), first.text);
  if (isNoun(last, tokens, divisionNoun)) return readDivision(tokens.slice(0, -1), last.text);
  if (isNoun(first, tokens, pathNoun)) return readPath(tokens.slice(1), first.text);
  if (isNoun(last, tokens, pathNoun)) return readPath(tokens.slice(0, -1), last.text);
  return readPath(tokens, noun);
}

/** Reports whether a word stands beside a name and says what it is the name of. */
function isNoun(token: Token, tokens: readonly Token[], pattern: RegExp): boolean {
  return tokens.length > 1 && token.kind === "word" && pattern.test(token.text);
}

function readDivision(tokens: readonly Token[], noun: string): ScopePart | undefined {
  const name = textOf(tokens);
  const isQuoted = tokens.length === 1 && tokens[0]?.kind === "value";
  const isBare = tokens.every(({ kind }) => kind === "word") && isBareValue("division", name);
  return isQuoted || isBare ? { kind: /^tabs?$/i.test(noun) ? "tab" : "group", name } : undefined;
}

function readPath([path, ...others]: readonly Token[], noun: string): ScopePart | undefined {
  if (path === undefined || others.length > 0 || path.text === "") return undefined;
  const isReserved = reserved.test(path.text) || site.test(path.text);
  if (path.kind !== "value" && (isReserved || !isBareValue("scope", path.text))) return undefined;
  return { kind: "path", name: path.text.replace(/\/?$/, getEnding(noun, path.text)) };
}

/** Returns the end of a path that a noun decides: `the folder guides` is not the page `guides`. */
function getEnding(noun: string, path: string): string {
  if (/^(?:folder|directory)$/i.test(noun)) return "/";
  if (/^page$/i.test(noun) && !/\.mdx?$/i.test(path)) return ".mdx";
  return path.endsWith("/") ? "/" : "";
}
