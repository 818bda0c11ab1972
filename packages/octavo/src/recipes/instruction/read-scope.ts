import { isBareValue } from "./slots.ts";
import type { Scope, ScopePart } from "./task.ts";
import type { Token } from "./tokens.ts";

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
