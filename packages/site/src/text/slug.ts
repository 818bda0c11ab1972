/** The length to which headings are truncated, because an id is repeated in links and in the table of contents. */
const maxLength = 300;

/**
 * Matches characters that the canonical slug drops. Slashes, `&`, `+`, `$`, `@`, dashes and full-width brackets are
 * kept.
 */
const droppedCharacters = /[:,;?!"→<>[\]{}*`\\：()\p{Cc}]+/gu;
const droppedByOldRule = /[;→<>[\]{}*`\\：()\p{Cc}]+/gu;
/** Matches characters that GitHub drops: all except letters, marks, numbers, connectors, hyphens and spaces. */
const droppedByGitHub = /[^\p{L}\p{M}\p{N}\p{Pc}\- ]+/gu;
const simpleWords = /^[a-z0-9]+(?: [a-z0-9]+)*$/;

/**
 * Creates a heading's id from its plain text. The id has the format's own form, not GitHub's: it is in lower case,
 * white space and periods become hyphens, `'` becomes `’`, and each run of hyphens becomes a single hyphen.
 * `What's new (v1.2)` becomes `what’s-new-v1-2`. The id is never empty. The caller must make it unique.
 */
export function createSlug(text: string): string {
  const lower = normalize(text);
  return simpleWords.test(lower) ? toSimpleSlug(lower) : toCanonicalSlug(lower);
}

/**
 * Lists the slugs that older versions of the format, GitHub and simpler tools create for the same heading, if they
 * differ from the heading's own slug. `ordinal` is 1 for the first heading with this slug on the page, 2 for the
 * second, and so on.
 */
export function listAliasSlugs(text: string, ordinal: number): string[] {
  const lower = normalize(text);
  const gitHubSuffix = ordinal === 1 ? "" : `-${ordinal - 1}`;
  if (simpleWords.test(lower)) {
    // All rules agree for simple words, but only GitHub numbers repeated headings from 1.
    return ordinal === 1 ? [] : [`${toSimpleSlug(lower)}${gitHubSuffix}`];
  }
  const suffix = ordinal === 1 ? "" : `-${ordinal}`;
  const gitHub = toGitHubSlug(lower);
  const aliases = new Set([gitHub === "" ? "" : `${gitHub}${gitHubSuffix}`]);
  for (const slug of [toDocumentedSlug(lower), toOlderSlug(lower), toAsciiSlug(lower)]) {
    if (slug !== "") aliases.add(`${slug}${suffix}`);
  }
  aliases.delete("");
  aliases.delete(`${toCanonicalSlug(lower)}${suffix}`);
  return [...aliases];
}

/** Creates the id that GitHub gives a heading. It is empty if GitHub drops all characters. */
export function createGitHubSlug(text: string): string {
  return toGitHubSlug(normalize(text));
}

/**
 * Creates a slug of Latin letters and digits, e.g. for a file name. It is empty if the text contains no such
 * characters.
 */
export function createAsciiSlug(text: string): string {
  return toAsciiSlug(normalize(text));
}

const caseChange = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu;
const separators = /[^\p{L}\p{N}]+/gu;

/** Converts a field's name to part of an id. For example, `invoiceId` and `invoice_id` both become `invoice-id`. */
export function createFieldSlug(name: string): string {
  const words = name.replace(caseChange, "-").replace(separators, "-");
  return words.replace(/^-|-$/g, "").toLowerCase();
}

function normalize(text: string): string {
  return text.slice(0, maxLength).normalize("NFC").toLowerCase().trim();
}

function toSimpleSlug(lower: string): string {
  return lower.replaceAll(" ", "-");
}

function toGitHubSlug(lower: string): string {
  return lower.replaceAll(droppedByGitHub, "").replaceAll(" ", "-");
}

/** Applies only the documented rules. */
function toDocumentedSlug(lower: string): string {
  return addHyphens(lower).replaceAll(/[()]+/g, "");
}

/** Applies the rules that were used until 2025, which kept characters such as colons and commas. */
function toOlderSlug(lower: string): string {
  return tidyHyphens(addHyphens(lower).replaceAll(droppedByOldRule, ""));
}

function toCanonicalSlug(lower: string): string {
  return tidyHyphens(addHyphens(lower).replaceAll(droppedCharacters, "")) || "section";
}

function addHyphens(text: string): string {
  return text.replaceAll(/\s+/g, "-").replaceAll("'", "’").replaceAll(".", "-");
}

/** Collapses runs of hyphens, and removes leading and trailing hyphens. */
function tidyHyphens(slug: string): string {
  return slug.replaceAll(/-{2,}/g, "-").replaceAll(/^-|-$/g, "");
}

/** Reduces text to words of Latin letters and digits. For example, `_meta` becomes `meta`. */
function toAsciiSlug(lower: string): string {
  const letters = lower.normalize("NFKD").replaceAll(/[\p{M}'’]+/gu, "");
  return letters.replaceAll(/[^a-z0-9_]+/g, "-").replaceAll(/^[-_]+|[-_]+$/g, "");
}
