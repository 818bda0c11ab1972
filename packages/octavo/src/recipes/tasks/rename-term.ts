import { listConfigurationEntries, readConfiguration } from "../configuration.ts";
import type { ConfigurationFile } from "../configuration.ts";
import type { TaskOf } from "../instruction/task.ts";
import { quoteValue } from "../instruction/quotes.ts";
import {
  escapePattern,
  listFilesInScope,
  toPagePath,
  filterPages,
  findPagesByTitle,
  normalizePagePath,
  quote,
} from "../pages.ts";
import type { Plan } from "../plan.ts";
import { createRefusedError } from "../instruction/refusal.ts";
import {
  editAll,
  findFiles,
  listPages,
  readFiles,
  createTooManyFilesError,
} from "../site-tools.ts";
import type { FileEdits, Listing } from "../site-tools.ts";
import { applyEdits, isJsonString } from "@octavo/site/text";
import { listPageSpans } from "../text/page-spans.ts";
import { isEnglish } from "./links/edition.ts";
import { isFunctionWord, createNounPattern, createVerbPattern } from "./grammar.ts";
import { updateHeadingLinks } from "./links/heading-links.ts";
import type { SkippedLine } from "./report-text.ts";
import { createMainEditionTest, listDivisions, formatDivision } from "./navigation-groups.ts";
import { findSkipReason } from "./links/page-kinds.ts";
import type { Recipe } from "./recipe.ts";
import {
  formatCode,
  formatAmount,
  formatChanges,
  formatSkipped,
  joinParagraphs,
  formatScope,
  formatUnlisted,
} from "./report-text.ts";
import { toPlural } from "./term-matches.ts";
import type { WordUsage } from "./term-matches.ts";
import { createTerm } from "./term.ts";
import type { Term } from "./term.ts";
import { capitalize } from "./words.ts";

type Renaming = TaskOf<"rename_term">;

export const renameTerm: Recipe<Renaming> = { kind: "rename_term", run };

function* run(task: Renaming): Plan<string> {
  const fault = faultOf(task);
  if (fault !== undefined) throw createRefusedError(fault);
  const listing = yield* listPages();
  const configuration = yield* readConfiguration();
  if (isAddress(task.from, listing)) throw createRefusedError(`“${task.from}” is an address rather than a term`, { send: listMoveHints(task, listing) }); // prettier-ignore
  if (task.isNamed === true) yield* expectTerm(task, { listing, configuration });
  const inScope = listFilesInScope(listing, task.scope);
  const texts = yield* readTexts(task, inScope);
  const usage = yield* readUsage(task, [...texts.values()], listing);
  const term = createTerm(task, usage);
  const labels = task.scope === undefined ? configuration : [];
  const work = workOn(task, { term, usage, texts, configuration: labels });
  yield* editAll(work.files, listing);
  const { links, unseen } = yield* updateHeadingLinks(
    listing.files,
    work.files
      .filter(({ path }) => texts.has(path))
      .map(({ path, text, edits }) => ({ path, before: text, after: applyEdits(text, edits) })),
  );
  // Without updated links, renamed headings would break them.
  if (unseen > 0)
    throw createTooManyFilesError(
      work.files.map(({ path }) => path),
      work.files.length - 1,
    );
  return joinParagraphs(
    head(task, work.files),
    formatChanges(work.files),
    links > 0 ? `Updated ${formatAmount(links, "link")} to renamed headings.` : "",
    formatPlurals(task, texts),
    formatSkipped(work.left),
    formatUnlisted(listing),
  );
}

/** Explains why the names cannot be those of a term; undefined if they can. */
function faultOf({ from, to }: Renaming): string | undefined {
  if (isFunctionWord(from)) return `${quote(from)} is a common English word rather than a term; use a longer phrase`; // prettier-ignore
  if (!/\p{L}/u.test(from)) return `${quote(from)} has no letters, so it may mean many things`;
  return /[*`|[\]]/.test(from + to) ? "a term cannot contain markup" : undefined;
}

/** Addresses are not renamed in prose, because links to them would stay. */
function isAddress(term: string, { files }: Listing): boolean {
  return /:\/\/|^www\.|^\/\S|\.mdx?$/.test(term) || (term.includes("/") && files.map(toPagePath).includes(normalizePagePath(term))); // prettier-ignore
}

function listMoveHints({ from, to }: Renaming, { files }: Listing): string[] {
  const isPage = files.map(toPagePath).includes(normalizePagePath(from));
  return isPage ? [`Move the page ${normalizePagePath(from)} to ${normalizePagePath(to)}`] : [];
}

/** If a group, a tab or a page has the same name, the instruction has to say which of them is meant. */
function* expectTerm(
  { from, to }: Renaming,
  { listing, configuration }: { listing: Listing; configuration: readonly ConfigurationFile[] },
): Plan<void> {
  const divisions = (["group", "tab"] as const).flatMap((kind) => {
    const found = listDivisions(configuration, kind).filter(({ name }) => name === from);
    return found.map((own) => `Rename the ${kind} ${quoteValue(formatDivision(own))} to ${quoteValue(to)}`); // prettier-ignore
  });
  const pages = yield* findPagesByTitle(from, filterPages(listing));
  const titles = pages.map((page) => `Set the title of ${toPagePath(page)} to ${quoteValue(to)}`);
  if (divisions.length + titles.length === 0) return;
  const send = [
    `Rename the term ${quoteValue(from)} to ${quoteValue(to)}`,
    ...divisions,
    ...titles,
  ];
  throw createRefusedError(`a group, a tab or a page is called ${quote(from)} too`, { send });
}

function* readTexts(task: Renaming, files: readonly string[]): Plan<ReadonlyMap<string, string>> {
  const { query } = createTerm(task, noUsage);
  return yield* readFiles(yield* findFiles([{ query, isRegex: true, ignoreCase: true }], files));
}

const noUsage: WordUsage = {
  isVerb: false,
  isWord: false,
  isNoun: () => false,
  isCommon: false,
  takesCapital: true,
};
const plainWord = /^\p{L}+$/u;

/** Reads how a term's word is used on the whole site. Its other forms need a search beyond the texts with the term. */
function* readUsage(
  { from: word, to }: Renaming,
  texts: readonly string[],
  { files }: Listing,
): Plan<WordUsage> {
  const takesCapital = isWrittenWithCapital(to, texts);
  if (!plainWord.test(word)) return { ...noUsage, takesCapital };
  const small = word.toLowerCase();
  if (word !== small) return { ...noUsage, takesCapital, isCommon: isCommonWord(word, texts) };
  const query = { query: createVerbPattern(small), isRegex: true, ignoreCase: true };
  const found = yield* findFiles([query], files);
  const nouns = new Map<string, boolean>();
  const isNoun = (other: string) => {
    const known = nouns.get(other) ?? texts.some((text) => createNounPattern(other).test(text));
    nouns.set(other, known);
    return known;
  };
  return { isVerb: found.length > 0, isWord: true, isNoun, isCommon: false, takesCapital };
}

/**
 * Reports whether a lower-case name is capitalized at the beginning of a sentence: if it has several words, or if the
 * texts do so.
 */
function isWrittenWithCapital(name: string, texts: readonly string[]): boolean {
  if (/^\p{L}*[aeiouy]\p{L}* /iu.test(name)) return true;
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_-])${escapePattern(capitalize(name))}(?![\\p{L}\\p{N}_-])`, "u"); // prettier-ignore
  return texts.some((text) => listProse(text).some((part) => pattern.test(part)));
}

/** The maximum share of lower-case occurrences that count as typos. A common word has more of them. */
const maxTypoShare = 0.05;

/**
 * Reports whether a name is also a common word in lower case, not counting parts of an address such as
 * `help@kiln.example`. A capital inside, as in `OAuth`, rules that out.
 */
function isCommonWord(name: string, texts: readonly string[]): boolean {
  const small = name.toLowerCase();
  if (name.slice(1) !== small.slice(1)) return false;
  const [before, after] = ["[\\p{L}\\p{N}_@./-]", "[\\p{L}\\p{N}_@/-]|\\.[\\p{L}\\p{N}]"];
  const either = new RegExp(`(?<!${before})(?:${name}|(${small}))(?!${after})`, "gu");
  const prose = texts.flatMap(listProse);
  const found = prose.flatMap((part) => Array.from(part.matchAll(either), ([, word]) => word));
  const words = found.filter((word) => word !== undefined);
  return words.length > maxTypoShare * (found.length - words.length);
}

/** Lists the text that readers see, without code and addresses. */
function listProse(page: string): string[] {
  return listPageSpans(page).flatMap(({ kind, start, end }) => (kind === "code" ? [] : [page.slice(start, end)])); // prettier-ignore
}

interface Material {
  readonly term: Term;
  readonly usage: WordUsage;
  readonly texts: ReadonlyMap<string, string>;
  readonly configuration: readonly ConfigurationFile[];
}

interface Work {
  readonly files: readonly FileEdits[];
  readonly left: readonly SkippedLine[];
}

function workOn(task: Renaming, { term, usage, texts, configuration }: Material): Work {
  const files: FileEdits[] = [];
  const left: SkippedLine[] = [];
  for (const [path, text] of texts) {
    const found = term.pageEdits(text);
    const reason = isForeign(task.from, path, usage)
      ? "a page in another language"
      : findSkipReason(path, text, task.scope);
    if (found.edits.length > 0 && reason === undefined)
      files.push({ path, text, edits: found.edits });
    if (reason === undefined) left.push(...found.left.map((place) => ({ path, ...place })));
    else if (found.edits.length > 0) left.push({ path, reason });
  }
  for (const { path, root } of configuration) {
    const found = labelsIn(path, configuration, term);
    const edits = found.flatMap((label) => label.edits);
    if (edits.length > 0) files.push({ path, text: root.source.text, edits });
    left.push(...found.flatMap((label) => label.left).map((place) => ({ path, ...place })));
  }
  return { files, left };
}

/** Names stay the same in other languages. Words do not, nor does a name that may be a word. */
function isForeign(term: string, path: string, { isCommon }: WordUsage): boolean {
  return !isEnglish(path) && (isCommon || term.split(" ").some((word) => word === word.toLowerCase())); // prettier-ignore
}

function head({ from, to, scope, inCode }: Renaming, made: readonly FileEdits[]): string {
  const where = formatScope(scope);
  const places = made.reduce((sum, { edits }) => sum + edits.length, 0);
  if (places === 0)
    return `Nothing was renamed: ${formatCode(from)} does not occur in any text${where} that may change.`;
  const unchanged = inCode ? "Addresses and ids were" : "Code, addresses and ids were";
  return `Renamed ${formatCode(from)} to ${formatCode(to)}${where}: ${formatAmount(places, "place")} in ${formatAmount(made.length, "file")}. ${unchanged} left as they are.`;
}

/** Plurals are only renamed on request; remaining ones are reported. */
function formatPlurals(task: Renaming, texts: ReadonlyMap<string, string>): string {
  if (task.withPlural) return "";
  const [from, to] = [toPlural(task.from), toPlural(task.to)];
  const plural = createTerm({ ...task, from, to }, noUsage);
  const places = [...texts].flatMap(([path, text]) =>
    findSkipReason(path, text, task.scope) === undefined ? plural.pageEdits(text).edits : [],
  );
  if (places.length === 0) return "";
  return `${formatCode(from)} also occurs ${formatAmount(places.length, "time")} and was left unchanged: “including plurals” would rename it.`;
}

/** Keys of the configuration whose values readers see. */
const labelKeys: ReadonlySet<string> = new Set([
  "group",
  "tab",
  "anchor",
  "dropdown",
  "product",
  "item",
  "label",
  "title",
  "description",
  "text",
  "content",
  "header",
]);

/** Finds the labels in one configuration file. Those in languages and versions other than the first are skipped. */
function labelsIn(path: string, configuration: readonly ConfigurationFile[], term: Term) {
  const isMainEdition = createMainEditionTest();
  return [...listConfigurationEntries(configuration)].flatMap(
    ({ key = "", node, within, file }) => {
      const isMain = isMainEdition(within);
      const isLabel = labelKeys.has(key) || (key === "name" && within.length === 1);
      if (file.path !== path || !isLabel || !isJsonString(node) || !isMain) return [];
      const found = term.labelEdits(file.root.source.text, node.start + 1, node.end - 1);
      const edits = found.edits.map((edit) => ({
        ...edit,
        text: JSON.stringify(edit.text).slice(1, -1),
      }));
      return [{ edits, left: found.left }];
    },
  );
}
