import {
  applyEdits,
  formatYamlString,
  getFieldText,
  isJsonString,
  LineIndex,
  readFrontmatterFields,
} from "@octavo/site/text";
import type { FrontmatterField, TextEdit } from "@octavo/site/text";
import {
  createMainEditionTest,
  formatDivision,
  listConfigurationEntries,
  listDivisions,
  readConfiguration,
} from "../configuration.ts";
import type { ConfigurationFile } from "../configuration.ts";
import type { TaskOf } from "../instruction/forms.ts";
import { createRefusedError } from "../instruction/refusal.ts";
import { quoteValue } from "../instruction/tokens.ts";
import {
  escapePattern,
  filterPages,
  findPagesByTitle,
  normalizePagePath,
  quote,
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
import { listPageSpans, type Span } from "../text/page-spans.ts";
import { updateHeadingLinks } from "./links/heading-links.ts";
import { isEnglish } from "./page-path.ts";
import {
  formatAmount,
  formatChanges,
  formatCode,
  formatScope,
  formatSkipped,
  formatUnlisted,
  joinParagraphs,
} from "./report-text.ts";
import type { SkippedLine } from "./report-text.ts";
import { findSkipReason, listFilesInScope } from "./scope-files.ts";
import {
  createVerbPattern,
  decideTermMatch,
  findRoles,
  isFunctionWord,
  listNouns,
  toPlural,
} from "./term-matches.ts";
import type { TermMatch, TermReplacement, WordUsage } from "./term-matches.ts";
import { capitalize } from "./words.ts";

type Renaming = TaskOf<"rename_term">;

export function* renameTerm(task: Renaming): Plan<string> {
  const fault = faultOf(task);
  if (fault !== undefined) throw createRefusedError(fault);
  const listing = yield* listPages();
  const configuration = yield* readConfiguration();
  if (isAddress(task.from, listing)) throw createRefusedError(`“${task.from}” is an address rather than a term`, { send: listMoveHints(task, listing) }); // prettier-ignore
  if (task.isNamed === true) yield* expectTerm(task, { listing, configuration });
  const inScope = yield* listFilesInScope(listing, task.scope);
  const wanted = { query: createTerm(task, noUsage).query, isRegex: true, ignoreCase: true };
  const texts = yield* readFiles(yield* findFiles([wanted], inScope));
  const prose = [...texts.values()].flatMap(listProse);
  const role = yield* findRoleFault(task, prose, listing);
  if (role !== undefined) throw createRefusedError(role);
  const usage = yield* readUsage(task, { texts: [...texts.values()], prose }, listing);
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
  // If their links were not updated, renamed headings would break them.
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

/** The maximum number of files to read for the use of a new word. */
const maxExamples = 30;

/** Explains why a new word cannot take the place of the old one: one is a noun, and the other is a verb. */
function* findRoleFault(
  { from, to }: Renaming,
  prose: readonly string[],
  { files }: Listing,
): Plan<string | undefined> {
  if (![from, to].every((word) => plainWord.test(word) && word === word.toLowerCase()))
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

/**
 * Reports whether a term is an address. Addresses are not renamed in prose, because links to them would stay the same.
 */
function isAddress(term: string, { files }: Listing): boolean {
  return /:\/\/|^www\.|^\/\S|\.mdx?$/.test(term) || (term.includes("/") && files.map(toPagePath).includes(normalizePagePath(term))); // prettier-ignore
}

function listMoveHints({ from, to, scope }: Renaming, { files }: Listing): string[] {
  // A page cannot be moved in a part of the site only.
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
  // In a part of the site, only its text can be meant.
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

const noUsage: WordUsage = {
  isVerb: false,
  isWord: false,
  isNoun: () => false,
  isCommon: false,
  takesCapital: true,
};
const plainWord = /^\p{L}+$/u;

/** Reads how the site uses a term's word. Its other forms need a search beyond the texts that contain the term. */
function* readUsage(
  { from: word, to }: Renaming,
  { texts, prose }: { readonly texts: readonly string[]; readonly prose: readonly string[] },
  { files }: Listing,
): Plan<WordUsage> {
  const takesCapital = isWrittenWithCapital(to, prose);
  if (!plainWord.test(word)) return { ...noUsage, takesCapital };
  const small = word.toLowerCase();
  if (word !== small) return { ...noUsage, takesCapital, isCommon: isCommonWord(word, prose) };
  const query = { query: createVerbPattern(small), isRegex: true, ignoreCase: true };
  const found = yield* findFiles([query], files);
  let nouns: ReadonlySet<string> | undefined;
  const isNoun = (other: string) => {
    nouns ??= listNouns(texts);
    return [other, other.slice(0, -1)].some((form) => nouns?.has(form.toLowerCase()));
  };
  return { isVerb: found.length > 0, isWord: true, isNoun, isCommon: false, takesCapital };
}

/**
 * Reports whether a lower-case name is capitalized at the beginning of a sentence. It is if it has several words, or if
 * the texts capitalize it.
 */
function isWrittenWithCapital(name: string, prose: readonly string[]): boolean {
  if (/^\p{L}*[aeiouy]\p{L}* /iu.test(name)) return true;
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_-])${escapePattern(capitalize(name))}(?![\\p{L}\\p{N}_-])`, "u"); // prettier-ignore
  return prose.some((part) => pattern.test(part));
}

/** The maximum share of lower-case occurrences that are treated as typos. For a common word, the share is higher. */
const maxTypoShare = 0.05;

/**
 * Reports whether a name is also a common word in lower case. Parts of an address such as `help@kiln.example` are
 * ignored. A name with an inner capital letter, such as `OAuth`, is never a common word.
 */
function isCommonWord(name: string, prose: readonly string[]): boolean {
  const small = name.toLowerCase();
  if (name.slice(1) !== small.slice(1)) return false;
  const [before, after] = ["[\\p{L}\\p{N}_@./-]", "[\\p{L}\\p{N}_@/-]|\\.[\\p{L}\\p{N}]"];
  const either = new RegExp(`(?<!${before})(?:${name}|(${small}))(?!${after})`, "gu");
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

/**
 * Reports whether a page in another language keeps a term. Names stay the same in other languages; words do not, nor
 * does a name that may be a word.
 */
function isForeign(term: string, path: string, { isCommon }: WordUsage): boolean {
  return !isEnglish(path) && (isCommon || term.split(" ").some((word) => word === word.toLowerCase())); // prettier-ignore
}

function head({ from, to, scope, inCode }: Renaming, made: readonly FileEdits[]): string {
  const where = formatScope(scope);
  const places = made.reduce((sum, { edits }) => sum + edits.length, 0);
  if (places === 0)
    return `Nothing was renamed: ${formatCode(from)} does not occur in any text${where} that may change.`;
  const unchanged = inCode ? "Addresses and IDs were" : "Code, addresses and IDs were";
  return `Renamed ${formatCode(from)} to ${formatCode(to)}${where}: ${formatAmount(places, "place")} in ${formatAmount(made.length, "file")}. ${unchanged} left unchanged.`;
}

/** Reports remaining plurals, which are renamed only on request. */
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
const labelKeys: ReadonlySet<string> = new Set(
  "group tab anchor dropdown product item label title description text content header".split(" "),
);

/** Finds the labels in one configuration file. Skips labels in languages and versions other than the first. */
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

interface TermEdits {
  readonly edits: readonly TextEdit[];
  /** The lines where the term, or a word with the same letters, was not changed, and the reasons. */
  readonly left: readonly Omit<SkippedLine, "path">[];
}

type TermPair = Pick<TaskOf<"rename_term">, "from" | "to" | "inCode" | "withPlural">;

/**
 * The gap between the words of a term: spaces, or one line break followed by indentation or blockquote markers (`>`).
 */
const gap = String.raw`(?:[ \t]+|[ \t]*\r?\n[ \t>]*)`;
const anyGap = new RegExp(gap, "g");

/**
 * An article, followed by anything that may come between it and its noun: spaces, a line break, emphasis, a bracket or
 * a quotation mark.
 */
const article = /(?<![\p{L}\p{N}.'’-])(an?)([ \t]+|[ \t]*\r?\n[ \t>]*)([*_"“‘'[]{0,4})$/iu;

type Term = ReturnType<typeof createTerm>;

/** Creates a term to rename: whole words in their exact spelling, and only if nothing else can be meant. */
export function createTerm({ from, to, inCode, withPlural }: TermPair, usage: WordUsage) {
  const forms = [{ from, to }, ...(withPlural ? [{ from: toPlural(from), to: toPlural(to) }] : [])];
  const finders = forms.map((form) => ({
    ...form,
    pattern: new RegExp(form.from.split(/\s+/).map(escapePattern).join(gap), "gi"),
  }));

  function findIn(text: string, span: Span): Found[] {
    return finders
      .flatMap((form) =>
        [...text.slice(span.start, span.end).matchAll(form.pattern)].flatMap((match) => {
          const start = span.start + match.index;
          const place = { text, span, start, end: start + match[0].length };
          return foundAt(place, form, usage) ?? [];
        }),
      )
      .toSorted((a, b) => a.start - b.start);
  }

  return {
    /** A pattern for `search` that finds every line that contains the term or its beginning. */
    query: createQuery(from),
    /** Returns the edits of a label in `[start, end)`, which begins a sentence. */
    labelEdits(text: string, start: number, end: number): TermEdits {
      const found = findIn(text, { kind: "metadata", start, end });
      return { edits: found.filter(isCertain), left: listSkipped(text, found) };
    },
    /** Returns the edits of a whole page, spelled for their context. */
    pageEdits(page: string): TermEdits {
      if (finders.every(({ pattern }) => page.search(pattern) === -1))
        return { edits: [], left: [] };
      const fields = new Map(readFrontmatterFields(page).map((field) => [field.valueStart, field]));
      const spans = listPageSpans(page).filter(({ kind }) => kind !== "code" || inCode);
      const found = spans.map((span) => ({ span, places: findIn(page, span) }));
      const edits = found.flatMap(({ span, places }) => {
        const field = span.kind === "metadata" ? fields.get(span.start) : undefined;
        const certain = places.filter(isCertain);
        return field === undefined
          ? certain.map((edit) => fit(edit, span))
          : fieldEdits(page, field, certain);
      });
      return { edits, left: listSkipped(page, found.flatMap(({ places }) => places)) }; // prettier-ignore
    },
  };
}

/** An occurrence of the term with its replacement, and the reason if it is left unchanged. */
interface Found extends TextEdit {
  readonly reason?: string | undefined;
}

function isCertain({ reason }: Found): boolean {
  return reason === undefined;
}

function listSkipped(text: string, found: readonly Found[]): TermEdits["left"] {
  const left = found.filter((place) => !isCertain(place));
  if (left.length === 0) return [];
  const lines = new LineIndex(text);
  return left.map(({ start, reason = "" }) => ({ line: lines.lineAt(start) + 1, reason }));
}

function foundAt(place: TermMatch, form: TermReplacement, usage: WordUsage): Found | undefined {
  const { text, span, start, end } = place;
  const decision = decideTermMatch(place, form, usage);
  if (decision === undefined) return undefined;
  const edit = { start, end, text: keepGaps(text.slice(start, end), decision.text) };
  if (decision.reason !== undefined) return { ...edit, reason: decision.reason };
  const article = correctArticle(text.slice(span.start, start), form);
  return { ...edit, start: start - article.length, text: article.text + edit.text };
}

/** Escapes text that would be markup in its context. */
function fit(edit: TextEdit, { kind }: Span): TextEdit {
  if (kind === "attribute") return { ...edit, text: edit.text.replaceAll('"', "&quot;") };
  return kind === "prose" ? { ...edit, text: edit.text.replaceAll(/[<{]/g, "\\$&") } : edit;
}

/** Returns the edits of a field. If the new text has a special meaning in YAML, quotes the whole value. */
function fieldEdits(page: string, field: FrontmatterField, edits: readonly TextEdit[]): TextEdit[] {
  const [first] = edits;
  if (first === undefined) return [];
  const isPlain = edits.every(({ text }) => !/[:#"'\\]|^[-?!&*%@[{|>]/.test(text));
  if (isPlain) return [...edits];
  const value = edits.reduceRight(
    (text, edit) =>
      text.slice(0, edit.start - field.valueStart) +
      edit.text +
      text.slice(edit.end - field.valueStart),
    page.slice(field.valueStart, field.valueEnd),
  );
  const around = field.quote === "" ? 0 : 1;
  const unquoted =
    field.quote === ""
      ? value
      : getFieldText(value, { ...field, valueStart: 0, valueEnd: value.length });
  return [
    {
      start: field.valueStart - around,
      end: field.valueEnd + around,
      text: formatYamlString(unquoted),
    },
  ];
}

/**
 * Creates a search pattern such as `Acme(\s+Cloud|\s*$)`, because a search reads single lines, and a term may continue
 * on the next line.
 */
function createQuery(term: string): string {
  const parts = term.split(/\s+/).slice(0, 8).map(escapePattern);
  return parts
    .reduceRight((rest, part) => (rest === "" ? part : String.raw`${part}(\s+${rest}|\s*$)`), "")
    .slice(0, 1_000);
}

/** Keeps a line break inside the term if the new term has the same number of words. */
function keepGaps(found: string, to: string): string {
  const gaps = found.match(anyGap) ?? [];
  const words = to.split(" ");
  if (gaps.length !== words.length - 1) return to;
  return words.map((word, index) => word + (gaps[index] ?? "")).join("");
}

/** Corrects the article before a term if needed: `an Anchor` becomes `a Boat`. */
function correctArticle(
  before: string,
  { from, to }: { readonly from: string; readonly to: string },
): { readonly length: number; readonly text: string } {
  const match = article.exec(before.slice(-60));
  const [whole = "", word = "", blank = "", marks = ""] = match ?? [];
  const [written, now] = [word.length === 2 ? "vowel" : "consonant", findInitialSound(to)];
  // An article that does not fit the old term may not be an article, or may be a typo that this task must not fix.
  const isRight = (findInitialSound(from) ?? written) === written;
  if (match === null || !isRight || now === undefined || written === now) {
    return { length: 0, text: "" };
  }
  const n = word === word.toUpperCase() && word.length === 2 ? "N" : "n";
  const right = now === "vowel" ? word.charAt(0) + n : word.charAt(0);
  return { length: whole.length, text: right + blank + marks };
}

/**
 * Returns the sound with which a term begins. Undefined if the letters do not show it, as in `SQL`, `HDMI` and `umask`.
 */
function findInitialSound(term: string): "vowel" | "consonant" | undefined {
  const [word = ""] = /^\p{L}+/u.exec(term.normalize("NFD")) ?? [];
  if (word === "" || /^sql/i.test(word)) return undefined;
  // These terms are spelled out when read: `an MCP host`, `an npm package`, `a JWT`.
  if (!/[aeiouy]/i.test(word)) return /^[fhlmnrsx]/i.test(word) ? "vowel" : "consonant";
  if (/^[aeio]/i.test(word)) return /^(?:eu|one$|once$)/i.test(word) ? undefined : "vowel";
  if (/^u/i.test(word)) return beginsWithYou(word) ? "consonant" : undefined;
  if (/^[bcdgjkpqtvwyz]/i.test(word)) return "consonant";
  // `SEP` may be a word or separate letters, `hour` and `nginx` begin with a vowel sound, and `Xbox` and `Xerox` begin
  // with different sounds.
  const isClear = /^.\p{Ll}/u.test(word) && !/^(?:x|ng|h(?:eir|erb|on(?:est|o)|our))/i.test(word);
  return isClear ? "consonant" : undefined;
}

/** Reports whether a word begins with the sound of `you`, as `URL`, `user` and `unit` do. */
function beginsWithYou(word: string): boolean {
  return /^U\p{Lu}/u.test(word) || /^(?:us[aeu]|util|uni(?:co|f|on|qu|t|v))/i.test(word);
}
