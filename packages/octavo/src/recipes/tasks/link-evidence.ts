import type { Redirect } from "../configuration.ts";
import { folderOf, isSnippet, lastPart, pagePath } from "../pages.ts";

/** What is known of the site where a link leads nowhere. */
export interface LinkFacts {
  /** Paths of pages, without extension. */
  readonly pages: readonly string[];
  readonly redirects: readonly Redirect[];
}

/** The page meant, with the evidence for it, or why that cannot be said. */
export type Verdict =
  | { readonly found: string; readonly because: string }
  | { readonly reason: string };

/** Names that many folders have: they say little of which page is meant. */
const commonNames: ReadonlySet<string> = new Set([
  "index",
  "overview",
  "introduction",
  "intro",
  "quickstart",
  "getting-started",
  "start",
  "home",
  "about",
  "faq",
  "reference",
  "changelog",
  "setup",
  "installation",
  "install",
  "configuration",
  "usage",
  "examples",
  "guide",
  "guides",
]);
const landingNames: readonly string[] = ["overview", "introduction", "intro"];

/**
 * Which page a broken link means. Each kind of evidence is asked in turn, the surest first; the first that
 * names any page decides, and only if it names exactly one.
 *
 * `path` is the link's, joined with its page's folder where it is relative; `file` is where it stands.
 */
export function judgeLink(path: string, file: string, facts: LinkFacts): Verdict {
  const wanted = cleanPath(path);
  if (wanted === "") return { reason: "it names nothing" };
  const question: Question = { wanted, from: isSnippet(file) ? undefined : pagePath(file), facts };
  for (const { because, find } of evidence) {
    const found = [...new Set(find(question))];
    if (found.length === 1) return { found: found[0] ?? "", because };
    if (found.length > 1) {
      const shown = found.slice(0, 3).join(", ");
      return {
        reason: `${found.length} pages could be meant (${shown}${found.length > 3 ? "…" : ""})`,
      };
    }
  }
  return { reason: "no page is like it" };
}

interface Question {
  readonly wanted: string;
  /** Path of the page that holds the link; undefined for a snippet, which several pages may show. */
  readonly from: string | undefined;
  readonly facts: LinkFacts;
}

interface Evidence {
  readonly because: string;
  readonly find: (question: Question) => readonly string[];
}

const evidence: readonly Evidence[] = [
  {
    because: "the same path but for case and signs",
    find: ({ wanted, facts }) => facts.pages.filter((page) => normal(page) === normal(wanted)),
  },
  {
    because: "a redirect leads there",
    find: ({ wanted, facts }) =>
      facts.redirects
        .filter(({ source }) => normal(source) === normal(wanted) && !/[*:]/.test(source))
        .map(({ destination }) => cleanPath(destination.replace(/[?#].*$/s, "")))
        .filter((page) => facts.pages.includes(page)),
  },
  { because: "the same page of this language or version", find: underOwnFolder },
  { because: "the same path without folders that the site does not have", find: withoutFolders },
  { because: "the only page of that name", find: movedPages },
  { because: "the only page of nearly that path", find: misspelledPages },
  { because: "the first page of that folder", find: landingPage },
];

/** `/guides/start` on a page of `es/` or `v2/` means `es/guides/start`, if there is one. */
function underOwnFolder({ wanted, from, facts }: Question): readonly string[] {
  const parts = (from ?? "").split("/").slice(0, -1);
  const pages = new Map(facts.pages.map((page) => [normal(page), page]));
  for (let depth = Math.min(parts.length, 3); depth > 0; depth--) {
    const found = pages.get(normal(`${parts.slice(0, depth).join("/")}/${wanted}`));
    if (found !== undefined) return [found];
  }
  return [];
}

/** `/docs/en/start` means `en/start` where the site has no folder `docs`. */
function withoutFolders({ wanted, facts }: Question): readonly string[] {
  const parts = wanted.split("/");
  const [first = ""] = parts;
  if (facts.pages.some((page) => page.startsWith(`${first}/`))) return [];
  for (let start = 1; start < Math.min(parts.length, 5); start++) {
    const rest = normal(parts.slice(start).join("/"));
    const found = facts.pages.filter((page) => normal(page) === rest);
    if (found.length > 0) return found;
  }
  return [];
}

/** Pages of the same name elsewhere; one with a common name must have its folder's name too. */
function movedPages(question: Question): readonly string[] {
  const name = normal(lastPart(question.wanted));
  const isCommon = commonNames.has(lastPart(question.wanted).toLowerCase());
  if (name.length < 3) return [];
  const folder = normal(lastPart(folderOf(question.wanted)));
  return sameEdition(question).filter((page) => {
    if (normal(lastPart(page)) !== name) return false;
    return !isCommon || (folder !== "" && normal(lastPart(folderOf(page))) === folder);
  });
}

function misspelledPages(question: Question): readonly string[] {
  const { wanted } = question;
  return sameEdition(question).filter((page) => {
    const [mine, theirs] = [wanted.split("/"), page.split("/")];
    if (mine.length !== theirs.length) return false;
    const different = mine.flatMap((part, index) =>
      normal(part) === normal(theirs[index] ?? "") ? [] : [[part, theirs[index] ?? ""] as const],
    );
    const [pair] = different;
    return pair !== undefined && different.length === 1 && isMisspelling(...pair);
  });
}

function landingPage({ wanted, facts }: Question): readonly string[] {
  const landings = landingNames.map((name) => `${normal(wanted)}/${name}`);
  return facts.pages.filter((page) => landings.includes(normal(page)));
}

function sameEdition({ facts, ...link }: Question): readonly string[] {
  return facts.pages.filter((page) => isSameEdition(page, link));
}

/** Whether a page is of the language and version that a link names, or else of its page's. */
export function isSameEdition(
  page: string,
  { wanted, from = "" }: Pick<Question, "wanted" | "from">,
): boolean {
  const language = languageOf(wanted) ?? languageOf(from);
  const version = versionOf(wanted) ?? versionOf(from);
  return languageOf(page) === language && versionOf(page) === version;
}

/** The language whose folder a path lies in: a first part like `es` or `pt-BR`. */
export function languageOf(path: string): string | undefined {
  const [first = "", second] = path.split("/");
  return second !== undefined && /^[a-z]{2}(?:-[A-Za-z]{2,4})?$/.test(first) ? first : undefined;
}

/** The version whose folder a path lies in: `v2`, `1.0`, `2025-06-18`, `latest`. */
function versionOf(path: string): string | undefined {
  return path.split("/").find((part) => /^(?:v?\d+(?:[.-]\d+)*|latest|draft|next)$/.test(part));
}

/**
 * Whether one is likely the other with a slip of the hand in one of its words: `how-to-import` is not `how-to-export`.
 */
export function isMisspelling(one: string, other: string): boolean {
  const [mine, theirs] = [wordsOf(one), wordsOf(other)];
  if (mine.length !== theirs.length) return false;
  const different = mine.flatMap((word, index) =>
    word === theirs[index] ? [] : [[word, theirs[index] ?? ""] as const],
  );
  const [pair] = different;
  return pair !== undefined && different.length === 1 && isSlip(...pair);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/**
 * Long enough, the same beginning and the same digits, and one letter (two from eight letters on) left out, added,
 * changed or turned round.
 */
function isSlip(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < 5 || a[0] !== b[0]) return false;
  if (a.replaceAll(/\D/g, "") !== b.replaceAll(/\D/g, "")) return false;
  return distance(a, b) <= (Math.min(a.length, b.length) >= 8 ? 2 : 1);
}

/** Letters to leave out, add, change or turn round; 3 where it is more than 2. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2 || a.length > 200) return 3;
  let [older, old]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isTurned = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (old[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (old[j - 1] ?? 0) + (isSame ? 0 : 1),
        isTurned ? (older[j - 2] ?? 0) + 1 : Infinity,
      );
    }
    [older, old] = [old, row];
  }
  return Math.min(3, old[b.length] ?? 3);
}

/** Joins a link's path with its page's folder where it is relative by its form. */
export function joinPath(folder: string, path: string): string {
  const parts = folder === "" ? [] : folder.split("/");
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

function cleanPath(path: string): string {
  return joinPath("", path);
}

/** A path without what people get wrong: case, signs between words, the extension, `/index`. */
function normal(path: string): string {
  return path
    .toLowerCase()
    .replace(/\.(?:mdx?|html?)$/, "")
    .replace(/(?<=.)\/(?:index|readme)$/, "")
    .replaceAll(/[^\p{L}\p{N}/]+/gu, "");
}
