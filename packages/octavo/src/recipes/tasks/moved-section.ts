import { isSnippet, letters, pagePath } from "../pages.ts";
import type { Plan } from "../plan.ts";
import { findFiles, readFiles } from "../site-tools.ts";
import { headingsOf } from "../text/anchors.ts";
import type { BrokenLink } from "./broken-links.ts";
import { sameEdition } from "./edition.ts";
import type { Verdict } from "./link-judgement.ts";
import { kindOf } from "./path-kind.ts";
import { code } from "./telling.ts";
import { sameWords, wordsOf } from "./words.ts";

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
  /** The history says that the heading was taken off the page. */
  readonly wasRemoved: boolean;
  /** The heading of its page that is meant if no other page has the section, and the link to it. */
  readonly likely?: { readonly id: string; readonly to: string } | undefined;
}

/** One word is in too many headings to say which section was meant. */
const fewestWords = 2;
/** One search looks for so many. */
const batchSize = 10;
const maxSearches = 200;

/** Whether a section of another page may be meant: the link says the section's name itself, or it was taken off the page. */
export function isSearchable({ link, anchor, linkText, wasRemoved, likely }: LostSection): boolean {
  const words = wordsOf(anchor);
  if (likely !== undefined) return true;
  if (wasRemoved) return words.length > 0;
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
  const patterns = anchors.map((anchor) => wordsOf(anchor).map(beginningOf).join(".*"));
  const queries = inBatches(patterns, batchSize).map((some) => ({
    query: `#.*(?:${some.join("|")})`,
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
  { link, anchor, wasRemoved, likely }: LostSection,
  sections: readonly Section[],
): Verdict & { readonly page?: string } {
  const { anchorPage = "" } = link;
  const found = sections.filter(
    ({ page, id }) =>
      page !== anchorPage &&
      sameEdition(page, anchorPage) &&
      kindOf(page, false) === kindOf(anchorPage, false) &&
      sameWords(wordsOf(id), wordsOf(anchor)),
  );
  const exact = found.filter(({ id }) => letters(id) === letters(anchor));
  const [section, ...others] = wasRemoved ? exact : found;
  if (section === undefined) {
    if (likely === undefined) return { reason: "no heading of the page is like it" };
    return { found: likely.id, because: "the only heading of nearly those words" };
  }
  if (others.length > 0) return { reason: `${others.length + 1} pages have such a heading` };
  // Another page may have had a section of that name all along.
  const offer = code(`/${section.page}#${section.id}`);
  if (!wasRemoved) return { reason: `not sure enough: perhaps ${offer}, the only page with it` };
  const because = "the history says that the section left its page, and only this one has it";
  return { found: section.id, page: section.page, because };
}

function inBatches<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** What the forms of a word begin with: stems write `y` and `ies` as `i`. */
function beginningOf(stem: string): string {
  return stem.replace(/i$/, "");
}
