import { isSnippet, letters, pagePath } from "../pages.ts";
import type { Plan } from "../plan.ts";
import { findFiles, readFiles } from "../site-tools.ts";
import { headingsOf } from "../text/anchors.ts";
import { sameWords, wordsOf } from "./anchor-evidence.ts";
import type { BrokenLink } from "./broken-links.ts";
import { isSameEdition } from "./link-evidence.ts";
import type { Verdict } from "./link-evidence.ts";

/** A heading of some page. */
export interface Section {
  readonly page: string;
  readonly id: string;
  readonly label: string;
}

/** A link whose heading is not on the page that it names. */
export interface LostSection {
  readonly link: BrokenLink;
  readonly anchor: string;
  readonly linkText: string;
}

/** One word is in too many headings to say which section was meant. */
const fewestWords = 2;
const maxSearches = 50;

/** Whether a section of another page may be meant: the link names a page, and says the section's name itself. */
export function isSearchable({ link, anchor, linkText }: LostSection): boolean {
  const words = wordsOf(anchor);
  const isNamed = sameWords(words, wordsOf(linkText));
  return isNamed && words.length >= fewestWords && !link.target.startsWith("#");
}

/** The headings of the site that say what the anchors say. */
export function* findSections(
  lost: readonly LostSection[],
  files: readonly string[],
): Plan<readonly Section[]> {
  const anchors = [...new Set(lost.map(({ anchor }) => anchor))].slice(0, maxSearches);
  if (anchors.length === 0) return [];
  const queries = anchors.map((anchor) => ({
    query: `#.*${wordsOf(anchor).map(beginningOf).join(".*")}`,
    isRegex: true,
    ignoreCase: true,
  }));
  const pages = files.filter((file) => !isSnippet(file));
  const texts = yield* readFiles(yield* findFiles(queries, pages));
  const wanted = anchors.map(wordsOf);
  return [...texts].flatMap(([file, text]) =>
    headingsOf(text)
      .filter(({ id }) => wanted.some((words) => sameWords(words, wordsOf(id))))
      .map((heading) => ({ page: pagePath(file), ...heading })),
  );
}

/** The one page of the link's language and version that has such a section by now. */
export function judgeSection(
  { link, anchor }: LostSection,
  sections: readonly Section[],
): Verdict & { readonly page?: string } {
  const path = link.target.replace(/[?#].*$/s, "").replaceAll(/^\/+|\/+$/g, "");
  const from = isSnippet(link.file) ? "" : pagePath(link.file);
  const found = sections.filter(
    ({ page, id }) =>
      sameWords(wordsOf(id), wordsOf(anchor)) && isSameEdition(page, { wanted: path, from }),
  );
  const exact = found.filter(({ id }) => letters(id) === letters(anchor));
  const [section, ...others] = exact.length > 0 ? exact : found;
  if (section === undefined) return { reason: "no heading of the page is like it" };
  if (others.length > 0) return { reason: `${others.length + 1} pages have such a heading` };
  const because = "the only page that has this section by now";
  return { found: section.id, page: section.page, because };
}

/** What the forms of a word begin with: stems write `y` and `ies` as `i`. */
function beginningOf(stem: string): string {
  return stem.replace(/i$/, "");
}
