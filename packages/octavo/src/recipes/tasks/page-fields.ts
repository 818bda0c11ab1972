import {
  applyEdits,
  findBodyStart,
  findField,
  formatYamlString,
  getFieldText,
  setFrontmatterField,
  toPlainText,
} from "@octavo/site/text";
import type { TextEdit } from "@octavo/site/text";
import type { TaskOf } from "../instruction/forms.ts";
import { createRefusedError } from "../instruction/refusal.ts";
import {
  filterPages,
  findPage,
  getPageTitle,
  isGeneratedPage,
  listFilesInScope,
} from "../pages.ts";
import type { Plan } from "../plan.ts";
import { editAll, findFiles, listPages, readFiles, readStarts } from "../site-tools.ts";
import type { FileEdits, Listing } from "../site-tools.ts";
import { splitPageBlocks } from "../text/page-spans.ts";
import { isEnglish } from "./page-path.ts";
import {
  formatAmount,
  formatCode,
  formatList,
  formatScope,
  formatUnlisted,
  joinParagraphs,
  quote,
} from "./report-text.ts";
import { escapePattern, findClosestNames, splitWords } from "./words.ts";

export const pageFieldRecipes = { fill_descriptions: fillDescriptions, set_field: setField };

type Setting = TaskOf<"set_field">;

/** Fields of the format. A site may have additional fields, which appear on its pages. */
const knownFields = "title sidebarTitle description icon iconType tag hidden noindex searchable deprecated rss keywords mode url canonical timestamp version author date public openapi api".split(" "); // prettier-ignore
const booleanFields: ReadonlySet<string> = new Set(
  "hidden noindex searchable deprecated rss public".split(" "),
);
/** Fields that are always text. The values of other fields may also be numbers, `true` or `false`. */
const textFields: ReadonlySet<string> = new Set([
  "title",
  "description",
  "sidebarTitle",
  "icon",
  "tag",
]);
/** The maximum number of pages that are read to determine whether the site uses a field. */
const maxExamples = 20;
const exampleLines = 30;

function* setField(task: Setting): Plan<string> {
  const { page, field, value } = task;
  const key =
    field === field.toUpperCase()
      ? field.toLowerCase()
      : field.charAt(0).toLowerCase() + field.slice(1);
  const listing = yield* listPages();
  yield* expectField(key, listing);
  if (booleanFields.has(key) && !/^(?:true|false)$/.test(value)) {
    const isYes = /^(?:yes|on|y|1|enabled?)$/i.test(value);
    const isNo = /^(?:no|off|n|0|disabled?)$/i.test(value);
    const choices = isYes || isNo ? [String(isYes)] : [];
    throw createRefusedError(`the value of ${quote(key)} must be true or false`, { slot: "value", choices }); // prettier-ignore
  }
  const path = yield* findPage(page, listing);
  const text = (yield* readFiles([path])).get(path);
  if (text === undefined) throw createRefusedError(`the page ${path} cannot be read`);
  expectValue(text, key, path, task);
  const edit = editHeading(text, key, value) ?? createFieldEdit(text, key, value, path);
  const what = key === "sidebarTitle" ? "sidebar title" : key;
  const isSame = applyEdits(text, [edit]) === text;
  if (isSame) return `The ${what} of ${formatCode(path)} is already ${quote(value)}.`;
  yield* editAll([{ path, text, edits: [edit] }], listing);
  return `Set the ${what} of ${formatCode(path)} to ${quote(value)}.`;
}

/** Throws if the instruction states an old value that the field does not have. */
function expectValue(text: string, key: string, path: string, { value, was }: Setting): void {
  const current = getFieldText(text, findField(text, key));
  if (was === undefined || current === was || current === value) return;
  throw createRefusedError(
    was === ""
      ? `${path} already has a field ${quote(key)}: ${quote(current)}`
      : `the field ${quote(key)} of ${path} is ${quote(current)}, not ${quote(was)}`,
  );
}

/**
 * Throws for a field that is neither known nor used, because it is probably a mistake, such as the `heading` or the
 * `name` of a page.
 */
function* expectField(key: string, listing: Listing): Plan<void> {
  if (knownFields.includes(key) || /^(?:og|twitter):/.test(key)) return;
  const query = { query: `^${escapePattern(key)}:`, isRegex: true };
  const found = yield* findFiles([query], filterPages(listing));
  const starts = yield* readStarts(found.slice(0, maxExamples), exampleLines);
  if ([...starts.values()].some((text) => findField(text, key) !== undefined)) return;
  const choices = findClosestNames(key, knownFields);
  throw createRefusedError(`no page of the site has a field ${quote(key)}`, { slot: "field", choices }); // prettier-ignore
}

/** If a page's title is its heading, changes the heading instead of adding a field. */
function editHeading(text: string, key: string, value: string): TextEdit | undefined {
  if (key !== "title" || findField(text, key) !== undefined) return undefined;
  const heading = /(\s*#[ \t]+)([^\s#][^\r\n]*)/y;
  heading.lastIndex = findBodyStart(text);
  const [whole, before = ""] = heading.exec(text) ?? [];
  if (whole === undefined) return undefined;
  if (/[\\*_`<>{}[\]]/.test(value))
    throw createRefusedError("the title is a heading, and the new text would be markup");
  const start = findBodyStart(text) + before.length;
  return { start, end: findBodyStart(text) + whole.length, text: value };
}

function createFieldEdit(text: string, key: string, value: string, path: string): TextEdit {
  const field = findField(text, key);
  const raw = field === undefined ? "" : text.slice(field.valueStart, field.valueEnd);
  if (
    /^[[{]|^\s*(?:\n|-\s)/.test(raw) ||
    (field?.quote === "" && /\n\s*(?:- |[\w-]+:)/.test(raw))
  ) {
    throw createRefusedError(
      `the field ${quote(key)} of ${path} is a list or contains nested fields`,
    );
  }
  const edit = setFrontmatterField(text, key, value);
  if (edit === undefined) throw createRefusedError(`the frontmatter of ${path} is not YAML`);
  const isPlain =
    /^(?:true|false|-?\d+(?:\.\d+)?)$/.test(value) && !textFields.has(key) && !key.includes(":");
  const quoted = formatYamlString(
    value,
    field !== undefined && raw !== "" ? field.quote : findField(text, "title")?.quote,
  );
  return isPlain
    ? { ...edit, text: edit.text.replace(`${key}: ${quoted}`, `${key}: ${value}`) }
    : edit;
}

/** Most frontmatter ends within this number of lines. Pages with longer frontmatter are read completely. */
const startLines = 12;

/** The sentence that describes the page, or the reason why the page's first sentence does not. */
type FoundDescription = { readonly text: string } | { readonly reason: string };

/**
 * The minimum and maximum length of a description, in characters. Search engines show 160 characters; fewer than 40
 * cannot describe a page.
 */
const [minLength, maxLength] = [40, 160];
const paragraphLength = 4_000;

/** Matches a paragraph that is not prose: a list, a table, a quotation, a tag, an expression or an image. */
const nonProsePattern = /^\s*(?:[-*+] |\d+[.)] |\||>|<|\{|!\[|---|===|\[[^\]]+\]: )/;

/** Matches an abbreviation or a number at the end, whose period does not end a sentence. */
const abbreviationPattern =
  /(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|incl|min|max|dr|mr|ms|st)\.|\bv?\d+\.)\s*$/i;

/** Matches beginnings of sentences about the page itself. */
const aboutPagePattern =
  /^(?:This|The) (?:page|guide|section|document|article|tutorial|reference|chapter|topic|overview|quickstart|walkthrough|cookbook|recipe) (?:describes|explains|covers|shows|lists|documents|provides|contains|gives|introduces|walks|outlines|presents|details|explores|demonstrates|collects|summari[sz]es|defines|teaches|is about)\b/;
const howToPattern = /^(?:Learn|Find out|See|Discover) (?:how to|about|what|why|how)\b/;
/** Matches words that refer to something outside the sentence. */
const outsideReferencePattern =
  /\b(?:below|above|following|follows|here|earlier|previous(?:ly)?|next (?:section|page|step)|as (?:described|mentioned|shown)|coming soon|under construction|to-?do|tbd|wip|deprecated|no longer|has moved|was moved|I|we|we['’](?:re|ve|ll)|let['’]s|us)\b/i;
/** Matches verbs that are not also nouns. */
const verbPattern =
  /^(?:is|are|lets?|allows?|enables?|provides?|helps|gives?|makes?|defines?|represents?|contains?|offers?|describes?|explains?|connects?|can|tells?|exposes?|determines?|specif(?:y|ies)|configures?)$/i;
/** Words that may be part of a name before its verb. */
const nameConnectors: ReadonlySet<string> = new Set(
  "a an the of and for your each every".split(" "),
);
/** Matches words that indicate an earlier verb in the sentence. */
const earlierVerbPattern =
  /^(?:with|by|before|after|using|if|when|to|from|in|on|into|at|this|that|these|those|it|they|you|there)$/i;
const nonStatementPattern = /[?!:：]$/;

function isDescribed(start: string): boolean {
  return findField(start, "description") !== undefined && getFieldText(start, findField(start, "description")) !== ""; // prettier-ignore
}

function* fillDescriptions(task: TaskOf<"fill_descriptions">): Plan<string> {
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
    const reason = "reason" in found ? found.reason : "its frontmatter is not YAML";
    if (edit === undefined) without.push(`${formatCode(path)}: ${reason}`);
    else made.push({ path, text, edits: [edit], description: "text" in found ? found.text : "" });
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
 * Returns the first sentence of a page if it describes the page or the subject of its title. The check is strict: it
 * rejects a sentence that gives an instruction, greets the reader, depends on another sentence or is about something
 * else.
 */
function extractDescription(page: string, title: string): FoundDescription {
  const paragraph = findFirstParagraph(page);
  if (paragraph === undefined) return { reason: "it does not begin with a sentence" };
  const sentence = extractFirstSentence(toPlainText(paragraph).replaceAll(/\s+/g, " ").trim());
  const fault = findSentenceFault(sentence, title);
  return fault === undefined ? { text: sentence } : { reason: fault };
}

/** Returns the first paragraph if only headings, imports and comments precede it. */
function findFirstParagraph(page: string): string | undefined {
  for (const { kind, start, end } of splitPageBlocks(page)) {
    if (kind === "code") return undefined;
    if (kind !== "text") continue;
    for (const part of page.slice(start, end).split(/\r?\n[ \t]*\r?\n/)) {
      const paragraph = part.replace(/^\s*#[^\n]*(?:\n|$)/, "").trim();
      if (paragraph === "" || /^(?:\{\/\*.*\*\/\}|<!--.*-->)$/s.test(paragraph)) continue;
      const isProse = !nonProsePattern.test(paragraph) && !/[{}<>]|!\[|\[\^/.test(paragraph);
      return isProse ? paragraph.slice(0, paragraphLength) : undefined;
    }
  }
  return undefined;
}

function extractFirstSentence(text: string): string {
  let sentence = "";
  for (const { segment } of new Intl.Segmenter("en", { granularity: "sentence" }).segment(text)) {
    sentence += segment;
    if (!abbreviationPattern.test(sentence)) break;
  }
  return sentence.trim();
}

function findSentenceFault(sentence: string, title: string): string | undefined {
  if (sentence.length < minLength) return "its first sentence is too short";
  if (sentence.length > maxLength)
    return `its first sentence is longer than ${maxLength} characters`;
  if (nonStatementPattern.test(sentence) || !/\.["”’)]?$/.test(sentence))
    return "it does not begin with a statement";
  const outside = outsideReferencePattern.exec(sentence)?.[0];
  if (outside !== undefined) return `its first sentence depends on other text (“${outside}”)`;
  if (aboutPagePattern.test(sentence) || howToPattern.test(sentence)) return undefined;
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
  const at = words.findIndex((word) => verbPattern.test(word));
  if (named.length === 0 || at < 1 || at > 9) return false;
  const subject = words.slice(0, at);
  if (subject.some((word) => /[,;:.]$/.test(word))) return false;
  const stems = subject.flatMap(listStems);
  if (!named.every((stem) => stems.includes(stem))) return false;
  const others = subject.filter((word) => listStems(word).some((stem) => !named.includes(stem)));
  // A preposition before the verb indicates an earlier verb, such as `Install` in `Install the server on a host is`.
  const isImperative = subject.some(
    (word) => earlierVerbPattern.test(word) && !named.includes(word.toLowerCase()),
  );
  return (
    !isImperative &&
    others.every(
      (word) =>
        nameConnectors.has(word.toLowerCase()) || /^\p{Lu}/u.test(word) || others.length < 3,
    )
  );
}

function listStems(text: string): string[] {
  return splitWords(text).filter((word) => !nameConnectors.has(word)).map((word) => (word.length > 3 ? word.replace(/(?:ies|y|es|s)$/, "") : word)); // prettier-ignore
}
