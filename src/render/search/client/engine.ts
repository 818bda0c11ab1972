import { fold, tokenize } from "./tokenize.ts";

/** The search engine in the reader's browser. It asks for nothing but scripts beside it in the bundle. */

interface IndexInfo {
  /** Names its folder. */
  readonly name: string;
  readonly count: number;
  /** The first term of each chunk of terms. */
  readonly terms: readonly string[];
  /** The number of the first section of each chunk of documents. */
  readonly docs: readonly number[];
}

type DocPage = readonly [
  href: string,
  title: string,
  breadcrumb: string,
  sections: readonly (readonly [id: string, heading: string, excerpt: string])[],
];

interface SearchResult {
  /** Relative to the bundle's root, with the anchor. */
  readonly href: string;
  readonly title: string;
  readonly heading: string;
  readonly breadcrumb: string;
  /** Escaped, the words found in `<mark>`. */
  readonly excerptHtml: string;
}

interface Match {
  readonly term: string;
  readonly postings: string;
  /** 1 for the word itself, less for words that begin with it or resemble it. */
  readonly closeness: number;
}

/** A section that may be a result, by the words and weights of the index alone. */
interface Ranked {
  readonly section: number;
  /** How many words of the query it has. */
  readonly words: number;
  readonly score: number;
}

/** Likewise with what the reader is shown of it. */
interface Found extends Ranked {
  readonly page: DocPage;
  readonly id: string;
  readonly heading: string;
  readonly excerpt: string;
}

const parts = new Map<string, unknown>();
const loading = new Map<string, Promise<unknown>>();
let root = "";
let names: readonly string[] = [];

const resultCount = 12;
/** Sections of one page among the results. */
const perPage = 3;
/** Words that one beginning may stand for, the shortest first. */
const termsPerWord = 150;

function load(name: string, part: string): Promise<unknown> {
  const key = `${name}/${part}`;
  let promise = loading.get(key);
  if (promise) return promise;
  promise = new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${root}_octavo/search/${encodeURIComponent(name)}/${part}.js`;
    script.addEventListener("load", () => resolve(parts.get(key)));
    script.addEventListener("error", () => {
      loading.delete(key);
      reject(new Error(`The search index could not be loaded: ${script.src}`));
    });
    document.head.append(script);
  });
  loading.set(key, promise);
  return promise;
}

/** The numbers of the chunks that can hold terms from `from` up to `to`. */
function chunksBetween(info: IndexInfo, from: string, to: string): number[] {
  const numbers: number[] = [];
  for (const [number, first] of info.terms.entries()) {
    const next = info.terms[number + 1];
    if (first <= to && (next === undefined || next > from)) numbers.push(number);
  }
  return numbers;
}

async function termLines(info: IndexInfo, from: string, to: string): Promise<string[]> {
  const chunks = await Promise.all(
    chunksBetween(info, from, to).map(
      (number) => load(info.name, `terms-${number}`) as Promise<string>,
    ),
  );
  return chunks.flatMap((chunk) => chunk.split("\n"));
}

function toMatch(line: string, closeness: number): Match {
  const colon = line.lastIndexOf(":");
  return { term: line.slice(0, colon), postings: line.slice(colon + 1), closeness };
}

async function matchesOf(info: IndexInfo, word: string): Promise<Match[]> {
  const found: Match[] = [];
  for (const line of await termLines(info, word, `${word}\uffff`)) {
    if (!line.startsWith(word)) continue;
    const length = line.lastIndexOf(":");
    found.push(toMatch(line, length === word.length ? 1 : (0.7 * word.length) / length));
  }
  if (found.length === 0 && word.length > 3) return similar(info, word);
  return found.toSorted((a, b) => b.closeness - a.closeness).slice(0, termsPerWord);
}

/** Words with one letter wrong, left out, added or swapped; two in long words. The first letter must be right. */
async function similar(info: IndexInfo, word: string): Promise<Match[]> {
  const first = word.slice(0, 1);
  const allowed = word.length > 7 ? 2 : 1;
  const found: Match[] = [];
  for (const line of await termLines(info, first, `${first}\uffff`)) {
    const length = line.lastIndexOf(":");
    if (line[0] !== first || length < word.length - allowed) continue;
    const distance = prefixDistance(word, line.slice(0, Math.min(length, word.length + allowed)));
    if (distance <= allowed) found.push(toMatch(line, 0.5 / (1 + distance)));
  }
  return found.toSorted((a, b) => b.closeness - a.closeness).slice(0, 20);
}

/** Edits (with swaps, after Damerau) that turn `word` into a beginning of `term`. */
function prefixDistance(word: string, term: string): number {
  let before: number[] = [];
  let row = Array.from({ length: term.length + 1 }, (_, column) => column);
  for (let i = 1; i <= word.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= term.length; j += 1) {
      const cost = word[i - 1] === term[j - 1] ? 0 : 1;
      let best = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && word[i - 1] === term[j - 2] && word[i - 2] === term[j - 1]) {
        best = Math.min(best, (before[j - 2] ?? 0) + 1);
      }
      next.push(best);
    }
    before = row;
    row = next;
  }
  return Math.min(...row);
}

/** Adds what one word of the query finds to `scores`, section by section; a section's best match counts. */
function scoreWord(info: IndexInfo, matches: readonly Match[]): Map<number, number> {
  const scores = new Map<number, number>();
  for (const { postings, closeness } of matches) {
    const pairs = [...postings.matchAll(/([0-9a-z]+)([A-Z])/g)];
    const rarity = Math.log(1 + info.count / (pairs.length + 1));
    let section = 0;
    for (const [, gap = "0", letter = "A"] of pairs) {
      section += Number.parseInt(gap, 36);
      const score = closeness * rarity * (letter.charCodeAt(0) - 64);
      if (score > (scores.get(section) ?? 0)) scores.set(section, score);
    }
  }
  return scores;
}

/** Sections by score; the ones that have every word come first. */
function rank(perWord: readonly Map<number, number>[]): Ranked[] {
  const totals = new Map<number, { words: number; score: number }>();
  for (const scores of perWord) {
    for (const [section, score] of scores) {
      const total = totals.get(section) ?? { words: 0, score: 0 };
      total.words += 1;
      total.score += score;
      totals.set(section, total);
    }
  }
  return [...totals]
    .toSorted(([a, x], [b, y]) => y.words - x.words || y.score - x.score || a - b)
    .slice(0, resultCount * perPage)
    .map(([section, total]) => ({ section, ...total }));
}

/** What words in their order say more than words anywhere: in a heading, and in the text. */
function closenessOf(words: readonly string[], found: Found): number {
  const heading = tokenize(found.heading);
  const phrase = ` ${words.join(" ")} `;
  const has = (terms: readonly string[]) => ` ${terms.join(" ")} `.includes(phrase);
  const inText = words.length > 1 && has(tokenize(found.excerpt)) ? 0.5 : 0;
  if (has(heading)) return inText + (heading.length === words.length ? 2 : 1);
  if (words.every((word) => heading.includes(word))) return inText + 0.5;
  return inText;
}

/** The candidates again in order: those with every word first, then by score and closeness. */
function inOrder(found: readonly Found[], words: readonly string[]): Found[] {
  const scored = found.map((entry) => ({
    entry,
    score: entry.score * (1 + closenessOf(words, entry)),
  }));
  return scored
    .toSorted((a, b) => b.entry.words - a.entry.words || b.score - a.score)
    .map(({ entry }) => entry);
}

async function lookUp(info: IndexInfo, ranked: Ranked): Promise<Found> {
  const { section } = ranked;
  let chunk = 0;
  while (chunk + 1 < info.docs.length && (info.docs[chunk + 1] ?? Infinity) <= section) chunk += 1;
  const pages = (await load(info.name, `docs-${chunk}`)) as readonly DocPage[];
  let index = section - (info.docs[chunk] ?? 0);
  for (const page of pages) {
    const [id, heading, excerpt] = page[3][index] ?? [];
    if (id !== undefined)
      return { ...ranked, page, id, heading: heading ?? "", excerpt: excerpt ?? "" };
    index -= page[3].length;
  }
  throw new Error(`The search index has no section ${section}.`);
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (char) => entities[char] ?? char);
}

/** Folded letter by letter, so that every place in it is the same place in the text. */
function foldInPlace(text: string): string {
  return text.replace(/[\u0080-\uffff]|[A-Z]/g, (char) => {
    const folded = fold(char);
    return folded.length === char.length ? folded : char;
  });
}

/** Farther than this from a blank a text is cut within a word: some scripts have no blanks. */
const longestCut = 24;

function wordStart(text: string, near: number): number {
  if (near <= 0) return 0;
  const blank = text.indexOf(" ", near - 1);
  return blank === -1 || blank - near > longestCut ? near : blank + 1;
}

function wordEnd(text: string, near: number): number {
  if (near >= text.length) return text.length;
  const blank = text.lastIndexOf(" ", near);
  return near - blank > longestCut ? near : blank;
}

/** The part of the text around the first word found, the words marked. */
function highlight(text: string, words: readonly string[]): string {
  const folded = foldInPlace(text);
  const marks: [number, number][] = [];
  for (const word of words) {
    let at = folded.indexOf(word);
    for (; at >= 0 && marks.length < 40; at = folded.indexOf(word, at + word.length)) {
      if (at === 0 || !/[a-z0-9]/.test(folded[at - 1] ?? "")) marks.push([at, at + word.length]);
    }
  }
  marks.sort((a, b) => a[0] - b[0]);
  const start = wordStart(text, (marks[0]?.[0] ?? 0) - 50);
  const end = wordEnd(text, start + 180);
  let html = start > 0 ? "…" : "";
  let done = start;
  for (const [from, to] of marks) {
    if (from < done || to > end) continue;
    html += `${escapeText(text.slice(done, from))}<mark>${escapeText(text.slice(from, to))}</mark>`;
    done = to;
  }
  return html + escapeText(text.slice(done, end)) + (end < text.length ? "…" : "");
}

/** The best sections of one index, and the terms that stand for the words in it. */
async function searchIndex(
  name: string,
  words: readonly string[],
): Promise<{ found: Found[]; terms: string[] }> {
  const index = (await load(name, "index")) as Omit<IndexInfo, "name">;
  const info: IndexInfo = { ...index, name };
  const matches = await Promise.all(words.map((word) => matchesOf(info, word)));
  const scores = matches.map((list) => scoreWord(info, list));
  return {
    found: await Promise.all(rank(scores).map((ranked) => lookUp(info, ranked))),
    terms: matches.flatMap((list) => list.slice(0, 3).map((match) => match.term)),
  };
}

async function query(text: string): Promise<readonly SearchResult[]> {
  const words = [...new Set(tokenize(text))].slice(0, 12);
  if (words.length === 0) return [];
  const indexes = await Promise.all(names.map((name) => searchIndex(name, words)));
  const shown = [...words, ...new Set(indexes.flatMap(({ terms }) => terms))];
  const results: SearchResult[] = [];
  const countByPage = new Map<string, number>();
  const candidates = indexes.flatMap(({ found }) => found);
  for (const { page, id, heading, excerpt } of inOrder(candidates, tokenize(text))) {
    const [href, title, breadcrumb] = page;
    const count = countByPage.get(href) ?? 0;
    if (count >= perPage || results.length >= resultCount) continue;
    countByPage.set(href, count + 1);
    const anchor = id === "" ? "" : `#${encodeURIComponent(id)}`;
    const excerptHtml = highlight(excerpt, shown);
    results.push({ href: href + anchor, title, heading, breadcrumb, excerptHtml });
  }
  return results;
}

Object.assign(globalThis, {
  octavoSearch: {
    /** Says where the bundle's root lies, relative to the page, and which indexes the page searches, blanks between. */
    open(options: { readonly root: string; readonly name: string }): void {
      root = options.root;
      names = options.name.split(" ").filter((name) => name !== "");
    },
    /** Called by the index's own scripts. */
    put(index: string, part: string, value: unknown): void {
      parts.set(`${index}/${part}`, value);
    },
    query,
  },
});
