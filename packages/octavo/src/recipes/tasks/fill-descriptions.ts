import { findField, getFieldText, setFrontmatterField, toPlainText } from "@octavo/site/text";
import type { TaskOf } from "../instruction/task.ts";
import { filterPages, getPageTitle } from "../pages.ts";
import type { Plan } from "../plan.ts";
import { editAll, listPages, readFiles, readStarts, type FileEdits } from "../site-tools.ts";
import { splitPageBlocks } from "../text/page-spans.ts";
import { isEnglish, isGeneratedPage } from "./links/page-kinds.ts";
import type { Recipe } from "./recipe.ts";
import {
  formatAmount,
  formatCode,
  formatList,
  formatScope,
  formatUnlisted,
  joinParagraphs,
} from "./report-text.ts";
import { listFilesInScope } from "./scope-files.ts";
import { splitWords } from "./words.ts";

export const fillDescriptions: Recipe<TaskOf<"fill_descriptions">> = {
  kind: "fill_descriptions",
  run,
};

/** Most frontmatter ends within this number of lines. Pages with longer frontmatter are read completely. */
const startLines = 12;

/** The sentence that describes the page, or the reason why the page's first sentence does not. */
type FoundDescription = { readonly text: string } | { readonly reason: string };

/**
 * The length of a description, in characters. Search engines show 160; fewer than 40 are too little to describe a page.
 */
const [minLength, maxLength] = [40, 160];
const paragraphLength = 4_000;

/** A paragraph that is not prose: a list, a table, a quotation, a tag, an expression or a picture. */
const noSentence = /^\s*(?:[-*+] |\d+[.)] |\||>|<|\{|!\[|---|===|\[[^\]]+\]: )/;

/** Abbreviations that do not end a sentence. */
const goesOn =
  /(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|incl|min|max|dr|mr|ms|st)\.|\bv?\d+\.)\s*$/i;

/** The beginnings of sentences about the page itself. */
const aboutPage =
  /^(?:This|The) (?:page|guide|section|document|article|tutorial|reference|chapter|topic|overview|quickstart|walkthrough|cookbook|recipe) (?:describes|explains|covers|shows|lists|documents|provides|contains|gives|introduces|walks|outlines|presents|details|explores|demonstrates|collects|summari[sz]es|defines|teaches|is about)\b/;
const howTo = /^(?:Learn|Find out|See|Discover) (?:how to|about|what|why|how)\b/;
/** Words that refer to something outside the sentence. */
const pointing =
  /\b(?:below|above|following|follows|here|earlier|previous(?:ly)?|next (?:section|page|step)|as (?:described|mentioned|shown)|coming soon|under construction|to-?do|tbd|wip|deprecated|no longer|has moved|was moved|I|we|we['’](?:re|ve|ll)|let['’]s|us)\b/i;
/** Verbs that are not also nouns. */
const verb =
  /^(?:is|are|lets?|allows?|enables?|provides?|helps|gives?|makes?|defines?|represents?|contains?|offers?|describes?|explains?|connects?|can|tells?|exposes?|determines?|specif(?:y|ies)|configures?)$/i;
/** Words that may be part of a name before its verb. */
const small: ReadonlySet<string> = new Set([
  "a",
  "an",
  "the",
  "of",
  "and",
  "for",
  "your",
  "each",
  "every",
]);
const questions = /[?!:：]$/;

function isDescribed(start: string): boolean {
  return findField(start, "description") !== undefined && getFieldText(start, findField(start, "description")) !== ""; // prettier-ignore
}

function* run(task: TaskOf<"fill_descriptions">): Plan<string> {
  const listing = yield* listPages();
  const inScope = new Set(yield* listFilesInScope(listing, task.scope));
  const pages = filterPages(listing).filter((file) => inScope.has(file));
  const starts = yield* readStarts(pages, startLines);
  const texts = yield* readFiles(pages.filter((file) => !isDescribed(starts.get(file) ?? "")));
  const made: (FileEdits & { readonly description: string })[] = [];
  const without: string[] = [];
  for (const [path, text] of texts) {
    if (isDescribed(text) || isGeneratedPage(text) || findField(text, "url") !== undefined)
      continue;
    const found = isEnglish(path)
      ? extractDescription(text, getPageTitle(text))
      : { reason: "a page in another language" };
    const edit = "text" in found ? setFrontmatterField(text, "description", found.text) : undefined;
    if ("text" in found && edit !== undefined) {
      made.push({ path, text, edits: [edit], description: found.text });
    } else {
      without.push(
        `${formatCode(path)}: ${"reason" in found ? found.reason : "its frontmatter is not YAML"}`,
      );
    }
  }
  yield* editAll(made, listing);
  const where = formatScope(task.scope);
  return joinParagraphs(
    made.length === 0
      ? `No description was added${where}.`
      : `Added a description to ${formatAmount(made.length, "page")}${where}, each the page's own first sentence.`,
    formatList(
      "Added:",
      made.map(({ path, description }) => `${formatCode(path)}: ${description}`),
    ),
    formatList(
      "Left without a description, because no sentence clearly describes the page:",
      without,
    ),
    formatUnlisted(listing),
  );
}

/**
 * Returns the first sentence of a page if it says what the page, or the thing in its title, is. The check is strict: it
 * rejects a sentence that gives an instruction, greets the reader, depends on another sentence or is about something
 * else.
 */
function extractDescription(page: string, title: string): FoundDescription {
  const paragraph = firstParagraph(page);
  if (paragraph === undefined) return { reason: "it does not begin with a sentence" };
  const sentence = firstSentence(toPlainText(paragraph).replaceAll(/\s+/g, " ").trim());
  const fault = findFault(sentence, title);
  return fault === undefined ? { text: sentence } : { reason: fault };
}

/** Returns the first paragraph if only headings, imports and comments precede it. */
function firstParagraph(page: string): string | undefined {
  for (const { kind, start, end } of splitPageBlocks(page)) {
    if (kind === "code") return undefined;
    if (kind !== "text") continue;
    for (const part of page.slice(start, end).split(/\r?\n[ \t]*\r?\n/)) {
      const paragraph = part.replace(/^\s*#[^\n]*(?:\n|$)/, "").trim();
      if (paragraph === "" || /^(?:\{\/\*.*\*\/\}|<!--.*-->)$/s.test(paragraph)) continue;
      const isProse = !noSentence.test(paragraph) && !/[{}<>]|!\[|\[\^/.test(paragraph);
      return isProse ? paragraph.slice(0, paragraphLength) : undefined;
    }
  }
  return undefined;
}

function firstSentence(text: string): string {
  let sentence = "";
  for (const { segment } of new Intl.Segmenter("en", { granularity: "sentence" }).segment(text)) {
    sentence += segment;
    if (!goesOn.test(sentence)) break;
  }
  return sentence.trim();
}

function findFault(sentence: string, title: string): string | undefined {
  if (sentence.length < minLength) return "its first sentence is too short";
  if (sentence.length > maxLength)
    return `its first sentence is longer than ${maxLength} characters`;
  if (questions.test(sentence) || !/\.["”’)]?$/.test(sentence))
    return "it does not begin with a statement";
  const outside = pointing.exec(sentence)?.[0];
  if (outside !== undefined) return `its first sentence depends on other text (“${outside}”)`;
  if (aboutPage.test(sentence) || howTo.test(sentence)) return undefined;
  return isAboutTitle(sentence, title)
    ? undefined
    : "its first sentence does not say what the page is about";
}

/**
 * Reports whether the sentence begins with the title's words and a verb, as in `Tools let a server ...` for the title
 * `Tools`.
 */
function isAboutTitle(sentence: string, title: string): boolean {
  const named = listStems(title);
  const words = sentence.replaceAll(/[()"“”]/g, "").split(" ");
  const at = words.findIndex((word) => verb.test(word));
  if (named.length === 0 || at < 1 || at > 9) return false;
  const subject = words.slice(0, at);
  if (subject.some((word) => /[,;:.]$/.test(word))) return false;
  const stems = subject.flatMap(listStems);
  if (!named.every((stem) => stems.includes(stem))) return false;
  const others = subject.filter((word) => listStems(word).some((stem) => !named.includes(stem)));
  return (
    others.every(
      (word) => small.has(word.toLowerCase()) || /^\p{Lu}/u.test(word) || others.length < 3,
    ) && !isImperative(words, named)
  );
}

/**
 * Reports whether a sentence is an imperative. A preposition before the verb indicates an earlier verb, as in `Install
 * the server on a host is`.
 */
function isImperative(words: readonly string[], named: readonly string[]): boolean {
  const at = words.findIndex((word) => verb.test(word));
  return words.slice(0, at).some((word) => /^(?:with|by|before|after|using|if|when|to|from|in|on|into|at|this|that|these|those|it|they|you|there)$/i.test(word) && !named.includes(word.toLowerCase())); // prettier-ignore
}

function listStems(text: string): string[] {
  return splitWords(text).filter((word) => !small.has(word)).map((word) => (word.length > 3 ? word.replace(/(?:ies|y|es|s)$/, "") : word)); // prettier-ignore
}
