import { bisect, foldLettersAndDigits, getBaseName } from "@octavo/site/core";
import { findField, findJsonMemberText, isJsonString, LineIndex } from "@octavo/site/text";
import type { TextEdit } from "@octavo/site/text";
import {
  createMainEditionTest,
  formatDivision,
  listConfigurationEntries,
  listDivisions,
  readConfiguration,
} from "../configuration.ts";
import type { ConfigurationFile } from "../configuration.ts";
import type { Scope, TaskOf } from "../instruction/forms.ts";
import { createRefusedError } from "../instruction/refusal.ts";
import { quoteValue } from "../instruction/tokens.ts";
import {
  filterPages,
  findPagesByTitle,
  isGeneratedPage,
  listFilesInScope,
  normalizePagePath,
  toPagePath,
} from "../pages.ts";
import type { Plan } from "../plan.ts";
import {
  createTooManyFilesError,
  editAll,
  findFiles,
  listPages,
  readFiles,
} from "../site-tools.ts";
import type { FileEdits, Listing } from "../site-tools.ts";
import { listPageSpans } from "../text/page-spans.ts";
import { updateHeadingLinks } from "./links/heading-links.ts";
import rightByWrong from "./misspellings.json" with { type: "json" };
import { isEnglish } from "./page-path.ts";
import {
  formatAmount,
  formatCode,
  formatList,
  formatScope,
  formatSkipped,
  formatUnlisted,
  joinParagraphs,
  joinWords,
  quote,
} from "./report-text.ts";
import type { SkippedLine } from "./report-text.ts";
import {
  createTerm,
  findRoles,
  isFunctionWord,
  listProse,
  unknownWordUsage,
  plainWordPattern,
  readWordUsage,
  toPlural,
} from "./term-matches.ts";
import { capitalize, escapePattern } from "./words.ts";

export const wordRecipes = {
  fix_spelling: fixSpelling,
  raise_version: raiseVersion,
  rename_term: renameTerm,
};

type Renaming = TaskOf<"rename_term">;

function* renameTerm(task: Renaming): Plan<string> {
  const fault = findNameFault(task);
  if (fault !== undefined) throw createRefusedError(fault);
  const listing = yield* listPages();
  const configuration = yield* readConfiguration();
  if (isAddress(task.from, listing)) throw createRefusedError(`“${task.from}” is an address rather than a term`, { send: listMoveHints(task, listing) }); // prettier-ignore
  if (task.isNamed === true) yield* expectTerm(task, { listing, configuration });
  const inScope = yield* listFilesInScope(listing, task.scope);
  const wanted = {
    query: createTerm(task, unknownWordUsage).query,
    isRegex: true,
    ignoreCase: true,
  };
  const texts = yield* readFiles(yield* findFiles([wanted], inScope));
  const prose = [...texts.values()].flatMap(listProse);
  const role = yield* findRoleFault(task, prose, listing);
  if (role !== undefined) throw createRefusedError(role);
  const usage = yield* readWordUsage(task, { texts: [...texts.values()], prose }, listing);
  const term = createTerm(task, usage);
  const work = collectEdits(
    texts,
    (text) => term.pageEdits(text),
    (path, text) =>
      isForeign(task.from, path, usage.isCommon)
        ? "a page in another language"
        : findSkipReason(path, text, task.scope),
  );
  if (task.scope === undefined) addLabelEdits(work, configuration, term);
  yield* editAll(work.files, listing);
  const { links, unseen } = yield* updateHeadingLinks(
    listing.files,
    work.files.filter(({ path }) => texts.has(path)),
  );
  // Renamed headings would break links that are not updated.
  if (unseen > 0)
    throw createTooManyFilesError(
      work.files.map(({ path }) => path),
      work.files.length - 1,
    );
  return joinParagraphs(
    summarizeRenaming(task, work.files),
    formatChanges(work.files),
    links > 0 ? `Updated ${formatAmount(links, "link")} to renamed headings.` : "",
    formatPlurals(task, texts),
    formatSkipped(work.left),
    formatUnlisted(listing),
  );
}

/** Explains why `from` and `to` cannot be names of a term. Returns undefined if they can be. */
function findNameFault({ from, to }: Renaming): string | undefined {
  if (isFunctionWord(from)) return `${quote(from)} is a common English word rather than a term; use a longer phrase`; // prettier-ignore
  if (!/\p{L}/u.test(from)) return `${quote(from)} has no letters, so it is ambiguous`;
  return /[*`|[\]]/.test(from + to) ? "a term cannot contain markup" : undefined;
}

/** The maximum number of files that are read to determine how the site uses a new word. */
const maxExamples = 30;

/**
 * Explains why a new word cannot replace the old one: one is a noun, and the other is a verb. Returns undefined if it
 * can.
 */
function* findRoleFault(
  { from, to }: Renaming,
  prose: readonly string[],
  { files }: Listing,
): Plan<string | undefined> {
  if (![from, to].every((word) => plainWordPattern.test(word) && word === word.toLowerCase()))
    return undefined;
  const old = findRoles(from, prose);
  if (!old.isNoun && !old.isVerb) return undefined;
  const query = { query: String.raw`\b${to}`, isRegex: true, ignoreCase: true };
  const examples = yield* readFiles((yield* findFiles([query], files)).slice(0, maxExamples));
  const now = findRoles(to, [...examples.values()].flatMap(listProse));
  if (now.isNoun === now.isVerb) return undefined;
  if (old.isNoun && !now.isNoun) return `${quote(to)} is a verb, and ${quote(from)} is also a noun`;
  if (old.isVerb && !now.isVerb) return `${quote(to)} is a noun, and ${quote(from)} is also a verb`;
  return undefined;
}

/** Reports whether a term is an address. Addresses are not renamed as terms, because links to them would not change. */
function isAddress(term: string, { files }: Listing): boolean {
  return /:\/\/|^www\.|^\/\S|\.mdx?$/.test(term) || (term.includes("/") && files.map(toPagePath).includes(normalizePagePath(term))); // prettier-ignore
}

function listMoveHints({ from, to, scope }: Renaming, { files }: Listing): string[] {
  // A page cannot be moved in only a part of the site.
  const isPage = scope === undefined && files.map(toPagePath).includes(normalizePagePath(from));
  return isPage ? [`Move the page ${normalizePagePath(from)} to ${normalizePagePath(to)}`] : [];
}

/**
 * Throws if a group, a tab or a page has the same name, because the instruction must then say which of them is meant.
 */
function* expectTerm(
  { from, to, scope, inCode, withPlural }: Renaming,
  { listing, configuration }: { listing: Listing; configuration: readonly ConfigurationFile[] },
): Plan<void> {
  // If the task is limited to a part of the site, only the text of that part can be meant.
  if (scope !== undefined) return;
  const divisions = (["group", "tab"] as const).flatMap((kind) => {
    const found = listDivisions(configuration, kind).filter(({ name }) => name === from);
    return found.map((own) => `Rename the ${kind} ${quoteValue(formatDivision(own))} to ${quoteValue(to)}`); // prettier-ignore
  });
  const pages = yield* findPagesByTitle(from, filterPages(listing));
  const titles = pages.map((page) => `Set the title of ${toPagePath(page)} to ${quoteValue(to)}`);
  if (divisions.length + titles.length === 0) return;
  const options = `${inCode ? " also in code" : ""}${withPlural ? " including plurals" : ""}`;
  const send = [
    `Rename the term ${quoteValue(from)} to ${quoteValue(to)}${options}`,
    ...divisions,
    ...titles,
  ];
  throw createRefusedError(`a group, a tab or a page is also called ${quote(from)}`, { send });
}

type Term = ReturnType<typeof createTerm>;

const changeRecordPattern =
  /^(?:changelog|change-log|changes|release-?notes?|releases|updates|whats-new|history|news)$/i;

const datedPattern = /(?:^|\/)(?:\d{4}-\d{2}(?:-\d{2})?)(?:[/.-]|$)/;

/** Matches the name of a numbered file, such as a proposal or a decision, which never changes. */
const numberedPattern = /^\d{3,}-/;

const versionFolderPattern = /(?:^|\/)v\d+(?:[._]\d+)*(?:\.x)?\//i;

/**
 * Explains why a page's old names and version numbers are not replaced: because the page describes a past state or is
 * generated. Returns undefined for other pages, and if the scope names the page.
 */
function findSkipReason(path: string, text: string, scope: Scope | undefined): string | undefined {
  const parts = scope?.parts.map(({ name }) => normalizePagePath(name)) ?? [];
  if (parts.includes(toPagePath(path))) return undefined;
  const asked = parts.find((part) => path.startsWith(`${part}/`)) ?? "";
  const rest = asked === "" ? path : path.slice(asked.length + 1);
  if (changeRecordPattern.test(getBaseName(toPagePath(path))) || /<Update\b/.test(text))
    return "a record of changes";
  if (datedPattern.test(rest) || (scope === undefined && findField(text, "date") !== undefined))
    return "a dated page";
  if (numberedPattern.test(getBaseName(path))) return "a numbered record";
  if (versionFolderPattern.test(rest)) return "a page of one version";
  return isGeneratedPage(text) ? "a generated page" : undefined;
}

/** The edits of each file, and the lines and files that stay unchanged. */
interface Work {
  readonly files: FileEdits[];
  readonly left: SkippedLine[];
}

/** Collects the edits of pages. Pages for which `findReason` returns a reason are left unchanged. */
function collectEdits(
  texts: ReadonlyMap<string, string>,
  read: Term["pageEdits"],
  findReason: (path: string, text: string) => string | undefined,
): Work {
  const work: Work = { files: [], left: [] };
  for (const [path, text] of texts) {
    const { edits, left } = read(text);
    const reason = findReason(path, text);
    if (reason === undefined) work.left.push(...left.map((place) => ({ path, ...place })));
    if (edits.length === 0) continue;
    if (reason === undefined) work.files.push({ path, text, edits });
    else work.left.push({ path, reason });
  }
  return work;
}

/**
 * Reports whether a term is left unchanged because the page is in another language, in which the same word may mean
 * something else. Names are the same in all languages, unless they are also common words.
 */
function isForeign(term: string, path: string, isCommon: boolean): boolean {
  return !isEnglish(path) && (isCommon || term.split(" ").some((word) => word === word.toLowerCase())); // prettier-ignore
}

function summarizeRenaming(
  { from, to, scope, inCode }: Renaming,
  made: readonly FileEdits[],
): string {
  const where = formatScope(scope);
  const places = made.reduce((sum, { edits }) => sum + edits.length, 0);
  if (places === 0)
    return `Nothing was renamed: ${formatCode(from)} does not occur in any text${where} that may change.`;
  const unchanged = inCode ? "Addresses and IDs were" : "Code, addresses and IDs were";
  return `Renamed ${formatCode(from)} to ${formatCode(to)}${where}: ${formatAmount(places, "place")} in ${formatAmount(made.length, "file")}. ${unchanged} left unchanged.`;
}

/** Formats the list of plurals that were left unchanged because they are renamed only on request. */
function formatPlurals(task: Renaming, texts: ReadonlyMap<string, string>): string {
  if (task.withPlural) return "";
  const [from, to] = [toPlural(task.from), toPlural(task.to)];
  const plural = createTerm({ ...task, from, to }, unknownWordUsage);
  const places = [...texts].flatMap(([path, text]) =>
    findSkipReason(path, text, task.scope) === undefined ? plural.pageEdits(text).edits : [],
  );
  if (places.length === 0) return "";
  return `${formatCode(from)} also occurs ${formatAmount(places.length, "time")} and was left unchanged: “including plurals” would rename it.`;
}

/** The configuration keys whose values readers see. */
const labelKeys: ReadonlySet<string> = new Set(
  "group tab anchor dropdown product item label title description text content header".split(" "),
);

/** Adds the edits of labels in the configuration, except in languages and versions other than the first. */
function addLabelEdits(work: Work, configuration: readonly ConfigurationFile[], term: Term): void {
  const isMainEdition = createMainEditionTest();
  const labels = [...listConfigurationEntries(configuration)].flatMap(
    ({ key = "", node, within, file: { path, root } }) => {
      const isMain = isMainEdition(within);
      const isLabel = labelKeys.has(key) || (key === "name" && within.length === 1);
      if (!isLabel || !isJsonString(node) || !isMain) return [];
      return [{ path, ...term.labelEdits(root.source.text, node.start + 1, node.end - 1) }];
    },
  );
  for (const { path, root } of configuration) {
    const own = labels.filter((label) => label.path === path);
    const edits = own.flatMap((label) =>
      label.edits.map((edit) => ({ ...edit, text: JSON.stringify(edit.text).slice(1, -1) })),
    );
    if (edits.length > 0) work.files.push({ path, text: root.source.text, edits });
    work.left.push(...own.flatMap(({ left }) => left.map((place) => ({ path, ...place }))));
  }
}

type Raising = TaskOf<"raise_version">;

/** Matches a version with at least three numbers. A shorter one, such as `2.0`, may belong to something else. */
const fullVersionPattern = /^v?\d+\.\d+\.\d+[\w.+-]*$/;

function* raiseVersion(task: Raising): Plan<string> {
  for (const version of [task.from, task.to])
    if (!fullVersionPattern.test(version))
      throw createRefusedError(
        `“${version}” does not have three numbers, so it may also be the version of something else`,
      );
  const [from, to] = [task.from.replace(/^v/, ""), task.to.replace(/^v/, "")];
  const listing = yield* listPages();
  const query = { query: escapePattern(from), isRegex: true };
  const texts = yield* readFiles(
    yield* findFiles([query], yield* listFilesInScope(listing, task.scope)),
  );
  const current = [...texts].filter(([path, text]) => findSkipReason(path, text, task.scope) === undefined); // prettier-ignore
  yield* expectOwnProduct(task, current.map(([, text]) => text)); // prettier-ignore
  const { files, left } = collectEdits(
    texts,
    (text) => findVersions(text, { ...task, from, to }),
    (path, text) => findSkipReason(path, text, task.scope),
  );
  yield* editAll(files, listing);
  const where = formatScope(task.scope);
  const places = files.reduce((sum, { edits }) => sum + edits.length, 0);
  return joinParagraphs(
    places === 0
      ? `No version was replaced: ${formatCode(task.from)} does not occur${where} as the current version.`
      : `Replaced the version ${formatCode(task.from)} with ${formatCode(task.to)}${where}: ${formatAmount(places, "place")} in ${formatAmount(files.length, "file")}.`,
    formatChanges(files),
    formatSkipped(left),
    formatUnlisted(listing),
  );
}

/** Throws if other products have the same version, because the instruction must then name a product. */
function* expectOwnProduct(task: Raising, texts: readonly string[]): Plan<void> {
  if (task.product !== undefined) return;
  const pattern = createVersionPattern(task.from);
  const products = new Set(
    texts.flatMap((text) => [...text.matchAll(pattern)].flatMap(({ index }) => findProduct(text, index) ?? [])), // prettier-ignore
  );
  const [main] = yield* readConfiguration();
  const site = foldLettersAndDigits(
    main === undefined ? "" : (findJsonMemberText(main.root, "name") ?? ""),
  );
  const others = [...products].filter((product) => !site.includes(foldLettersAndDigits(product)));
  if (others.length === 0) return;
  const reason = `${joinWords(others.map(quote))} also ${others.length === 1 ? "has" : "have"} this version`;
  throw createRefusedError(reason, { slot: "product", choices: [...products] });
}

/**
 * Returns the product that a version belongs to: `kiln` for `kiln@1.2.3`, `"@acme/kiln-cli": "^1.2.3"` and
 * `kiln[cli]==1.2.3`. Returns undefined if the text names no product.
 */
function findProduct(text: string, at: number): string | undefined {
  const before = text.slice(Math.max(0, at - 80), at);
  const name = /([A-Za-z][\w.-]*)(?:\[[\w,-]+\])?["'`]?[ \t]*[@:=]+[ \t]*["'`~^]*$/.exec(
    before,
  )?.[1];
  if (name === undefined || /version|^(?:tag|rev|ref|v|release)$/i.test(name)) return undefined;
  return name.toLowerCase().split(/[-_.]/)[0];
}

/**
 * Matches words that indicate that a version on the same line is a past version or a limit of a range, not the current
 * version.
 */
const pastPattern =
  /\b(?:since|added|introduced|new in|as of|starting (?:with|in|from)|until|prior|before|after|earlier|later|older|newer|deprecated|removed|changed|fixed|released|legacy|previous(?:ly)?|upgrad\w*|migrat\w*|between|at least|minimum|requires?|or (?:higher|above|newer)|changelog|release notes|breaking|gte?|lte?|min\w*|max\w*)\b|VersionBadge/i;

function createVersionPattern(version: string): RegExp {
  return new RegExp(String.raw`(?<![\p{L}\p{N}_.+-]|\d)v?${escapePattern(version.replace(/^v/, ""))}(?![\p{L}\p{N}_+-]|\.\d)`, "gu"); // prettier-ignore
}

function findVersions(
  text: string,
  { from, to, product }: Pick<Raising, "from" | "to" | "product">,
) {
  const pattern = createVersionPattern(from);
  const edits: TextEdit[] = [];
  const left: { line: number; reason: string }[] = [];
  const lines = new LineIndex(text);
  const spans = listPageSpans(text);
  for (const { 0: found, index } of text.matchAll(pattern)) {
    const line = lines.lineAt(index);
    const start = index + (found.startsWith("v") ? 1 : 0);
    const end = start + from.length;
    const isOther = product !== undefined && findProduct(text, index) !== product.toLowerCase();
    const around = text.slice(lines.startOf(line), lines.startOf(line + 1));
    const span = spans.find((own) => own.start <= start && end <= own.end);
    const reason = isOther ? `not the version of ${quote(product)}` : findVersionDoubt(text, start, around, span); // prettier-ignore
    if (reason === undefined) edits.push({ start, end, text: to });
    else left.push({ line: line + 1, reason });
  }
  return { edits, left };
}

function findVersionDoubt(
  text: string,
  start: number,
  line: string,
  span: ReturnType<typeof listPageSpans>[number] | undefined,
): string | undefined {
  if (span === undefined) return "in an address or a property";
  const before = text.slice(Math.max(0, start - 6), start);
  if (/[<>!]=?\s*["']?v?$/.test(before)) return "a version constraint";
  if (span.kind !== "code" && /^\s*#/.test(line)) return "a heading about one version";
  const isPast = pastPattern.test(line) || (span.kind !== "code" && /\bfrom\b/i.test(line));
  return isPast ? "a line about the past or about several versions" : undefined;
}

function* fixSpelling(task: TaskOf<"fix_spelling">): Plan<string> {
  const listing = yield* listPages();
  const files = yield* listFilesInScope(listing, task.scope);
  const inScope = files.filter(isEnglish);
  if (inScope.length === 0)
    throw createRefusedError(`no page${formatScope(task.scope)} is in English`);
  const texts = yield* readFiles(yield* findFiles(buildTypoQueries(), inScope));
  const made = [...texts]
    .map(([path, text]) => ({ path, text, edits: findTypoEdits(text) }))
    .filter(({ edits: own }) => own.length > 0);
  yield* editAll(made, listing);
  const { links } = yield* updateHeadingLinks(listing.files, made);
  const words = made.reduce((sum, { edits: own }) => sum + own.length, 0);
  const foreign = files.length - inScope.length;
  const where = formatScope(task.scope);
  return joinParagraphs(
    words === 0
      ? `None of the ${correctionByTypo.size} known misspellings occurs in the prose${where}.`
      : `Corrected ${formatAmount(words, "misspelled word")} in ${formatAmount(made.length, "file")}${where}.`,
    formatList(
      "Changed:",
      made.map(
        ({ path, text, edits: own }) => `${formatCode(path)}: ${formatCorrections(text, own)}`,
      ),
    ),
    links > 0 ? `Updated ${formatAmount(links, "link")} to headings whose spelling changed.` : "",
    foreign > 0 ? `Not checked, because only English misspellings are known: ${formatAmount(foreign, "file")} in other languages.` : "", // prettier-ignore
    formatUnlisted(listing),
  );
}

function formatCorrections(text: string, edits: readonly TextEdit[]): string {
  const words = edits.map(({ start, end, text: right }) => `${text.slice(start, end)} → ${right}`);
  return [...new Set(words)].slice(0, 10).join(", ");
}

/** The maximum length of a query. The tool `search` accepts 1,000 characters. */
const maxQueryLength = 950;

/** Builds the queries that find misspellings, each with as many words as fit into one query. */
function buildTypoQueries() {
  const words = [...correctionByTypo.keys()].toSorted();
  const queries: { query: string; isRegex: true; ignoreCase: true }[] = [];
  for (let from = 0; from < words.length;) {
    const build = (to: number) => String.raw`\b${buildEndingsPattern(words.slice(from, to))}\b`;
    const end = bisect(from + 1, words.length, (to) => build(to + 1).length <= maxQueryLength);
    queries.push({ query: build(end), isRegex: true, ignoreCase: true });
    from = end;
  }
  return queries;
}

/**
 * Combines words such as `ab` and `ac` into `a(b|c)`, so that a search proceeds letter by letter instead of trying
 * every word at every position.
 */
function buildEndingsPattern(words: readonly string[]): string {
  const byLetter = Map.groupBy(words, (each) => each.charAt(0));
  const parts = [...byLetter].map(([letter, group]) =>
    letter === "" ? "" : letter + buildEndingsPattern(group.map((each) => each.slice(1))),
  );
  return parts.length === 1 ? (parts[0] ?? "") : `(${parts.join("|")})`;
}

const wordPattern = /[\p{L}\p{N}_]+/gu;

/** Finds misspelled words in the text that readers see, in lower case or capitalized. */
function findTypoEdits(page: string): TextEdit[] {
  return listPageSpans(page).flatMap(({ kind, start, end }) => {
    if (kind === "code") return [];
    return [...page.slice(start, end).matchAll(wordPattern)].flatMap(
      ({ 0: found, index }): TextEdit[] => {
        const right = correctionByTypo.get(found.toLowerCase());
        const at = start + index;
        if (right === undefined || !isPlainWord(page, at, found)) return [];
        const isCapital = found[0] !== found[0]?.toLowerCase();
        const text = isCapital ? capitalize(right) : right;
        return [{ start: at, end: at + found.length, text }];
      },
    );
  });
}

/**
 * Reports whether a word is plain: it has no inner capitals, is not part of an identifier or file name, and is not in
 * quotation marks.
 */
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
export const correctionByTypo: ReadonlyMap<string, string> = new Map(Object.entries(rightByWrong));

/** Lists the number of changes in each file. */
function formatChanges(files: readonly FileEdits[]): string {
  const items = files.map(
    ({ path, edits }) => `${formatCode(path)}: ${formatAmount(edits.length, "place")}`,
  );
  return formatList("Changed:", items);
}
