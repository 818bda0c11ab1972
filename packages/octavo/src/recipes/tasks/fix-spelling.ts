import { bisect } from "@octavo/site/core";
import { applyEdits, type TextEdit } from "@octavo/site/text";
import type { TaskOf } from "../instruction/forms.ts";
import { createRefusedError } from "../instruction/refusal.ts";
import type { Plan } from "../plan.ts";
import { editAll, findFiles, listPages, readFiles, type SearchQuery } from "../site-tools.ts";
import { listPageSpans } from "../text/page-spans.ts";
import { updateHeadingLinks } from "./links/heading-links.ts";
import rightByWrong from "./misspellings.json" with { type: "json" };
import { isEnglish } from "./page-path.ts";
import {
  formatAmount,
  formatCode,
  formatList,
  formatScope,
  formatUnlisted,
  joinParagraphs,
} from "./report-text.ts";
import { listFilesInScope } from "./scope-files.ts";
import { capitalize } from "./words.ts";

export function* fixSpelling(task: TaskOf<"fix_spelling">): Plan<string> {
  const listing = yield* listPages();
  const files = yield* listFilesInScope(listing, task.scope);
  const inScope = files.filter(isEnglish);
  if (inScope.length === 0)
    throw createRefusedError(`no page${formatScope(task.scope)} is in English`);
  const texts = yield* readFiles(yield* findFiles(getTypoQueries(), inScope));
  const made = [...texts]
    .map(([path, text]) => ({ path, text, edits: findTypoEdits(text) }))
    .filter(({ edits: own }) => own.length > 0);
  yield* editAll(made, listing);
  const { links } = yield* updateHeadingLinks(
    listing.files,
    made.map(({ path, text, edits: own }) => ({
      path,
      before: text,
      after: applyEdits(text, own),
    })),
  );
  const words = made.reduce((sum, { edits: own }) => sum + own.length, 0);
  const where = formatScope(task.scope);
  return joinParagraphs(
    words === 0
      ? `None of the ${typos.size} known misspellings occurs in the prose${where}.`
      : `Corrected ${formatAmount(words, "misspelled word")} in ${formatAmount(made.length, "file")}${where}.`,
    formatList(
      "Changed:",
      made.map(
        ({ path, text, edits: own }) => `${formatCode(path)}: ${formatCorrections(text, own)}`,
      ),
    ),
    links > 0 ? `Updated ${formatAmount(links, "link")} to headings whose spelling changed.` : "",
    formatForeign(files.length - inScope.length),
    formatUnlisted(listing),
  );
}

/** Reports the files whose language the list of misspellings does not cover. */
function formatForeign(count: number): string {
  if (count === 0) return "";
  return `Not checked, because only English misspellings are known: ${formatAmount(count, "file")} in other languages.`;
}

function formatCorrections(text: string, edits: readonly TextEdit[]): string {
  const words = edits.map(({ start, end, text: right }) => `${text.slice(start, end)} → ${right}`);
  return [...new Set(words)].slice(0, 10).join(", ");
}

/** The maximum length of a query. A pattern of `search` may have 1,000 characters. */
const queryLength = 950;

let queries: readonly SearchQuery[] | undefined;

/** Returns the queries. They are built on first use, because every turn loads this file. */
function getTypoQueries(): readonly SearchQuery[] {
  return (queries ??= groupWords([...typos.keys()].toSorted()).map((group) => ({
    query: wordsPattern(group),
    isRegex: true,
    ignoreCase: true,
  })));
}

/** Groups consecutive words. Each group has as many words as fit into one pattern. */
function groupWords(words: readonly string[]): string[][] {
  const groups: string[][] = [];
  for (let from = 0; from < words.length;) {
    const fits = (to: number) => wordsPattern(words.slice(from, to)).length <= queryLength;
    const end = bisect(from + 1, words.length, (to) => fits(to + 1));
    groups.push(words.slice(from, end));
    from = end;
  }
  return groups;
}

function wordsPattern(words: readonly string[]): string {
  return String.raw`\b${endingsPattern(words)}\b`;
}

/**
 * Combines words such as `ab` and `ac` to `a(b|c)`, so that a search follows one letter at a time instead of trying
 * every word at every position.
 */
function endingsPattern(words: readonly string[]): string {
  const byLetter = Map.groupBy(words, (each) => each.charAt(0));
  const parts = [...byLetter].map(([letter, group]) =>
    letter === "" ? "" : letter + endingsPattern(group.map((each) => each.slice(1))),
  );
  return parts.length === 1 ? (parts[0] ?? "") : `(${parts.join("|")})`;
}

const word = /[\p{L}\p{N}_]+/gu;

/** Finds misspelled words in the text that readers see, in lower case or capitalized. */
function findTypoEdits(page: string): TextEdit[] {
  return listPageSpans(page).flatMap(({ kind, start, end }) => {
    if (kind === "code") return [];
    return [...page.slice(start, end).matchAll(word)].flatMap(({ 0: found, index }): TextEdit[] => {
      const right = typos.get(found.toLowerCase());
      const at = start + index;
      if (right === undefined || !isPlainWord(page, at, found)) return [];
      const isCapital = found[0] !== found[0]?.toLowerCase();
      const text = isCapital ? capitalize(right) : right;
      return [{ start: at, end: at + found.length, text }];
    });
  });
}

/** Excludes names with capital letters, parts of identifiers or file names, and words that are quoted as words. */
function isPlainWord(page: string, at: number, found: string): boolean {
  const rest = found.slice(1);
  if (rest !== rest.toLowerCase()) return false;
  const [before, after] = [
    page.slice(Math.max(0, at - 2), at),
    page.slice(at + found.length, at + found.length + 2),
  ];
  if (/[-/\\@#$=]$|[\p{L}\p{N}][.:]$/u.test(before)) return false;
  if (/^[-/\\@(=]|^[.:][\p{L}\p{N}]/u.test(after)) return false;
  const isQuoted = /["“‘'«]$/.test(before) && /^["”’'»]/.test(after);
  return !isQuoted;
}

/**
 * Common misspellings of English words, with the correct spellings, all in lower case. None of the misspellings is an
 * English word or a common name in any spelling. Misspellings that are common words in other languages are omitted.
 */
export const typos: ReadonlyMap<string, string> = new Map(Object.entries(rightByWrong));
