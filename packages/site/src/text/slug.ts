/** Longer headings are cut; an id is repeated in links and in the table of contents. */
const maxLength = 300;

/** Characters that the canonical slug drops. Slashes, `&`, `+`, `$`, `@`, dashes and full-width brackets stay. */
const dropped = /[:,;?!"→<>[\]{}*`\\：()\p{Cc}]+/gu;
const droppedByOldRule = /[;→<>[\]{}*`\\：()\p{Cc}]+/gu;
/** Characters that GitHub drops: all but letters, marks, numbers, connectors, hyphens and spaces. */
const droppedByGitHub = /[^\p{L}\p{M}\p{N}\p{Pc}\- ]+/gu;
const simple = /^[a-z0-9]+(?: [a-z0-9]+)*$/;

/**
 * The id of a heading, from its plain text, in the format's own form, not GitHub's: lower case, white space
 * and periods as hyphens, `'` as `’`, runs of hyphens as one. `What's new (v1.2)` becomes
 * `what’s-new-v1-2`. Never empty; the caller must make it unique.
 */
export function createSlug(text: string): string {
  const lower = normalize(text);
  return simple.test(lower) ? simpleSlug(lower) : canonicalSlug(lower);
}

/**
 * The slugs that older versions of the format, GitHub and plain tools give the same heading, if they differ
 * from its own. `ordinal` is 1 for the first heading of this slug on the page, 2 for the second...
 */
export function listAliasSlugs(text: string, ordinal: number): string[] {
  const lower = normalize(text);
  const gitHubSuffix = ordinal === 1 ? "" : `-${ordinal - 1}`;
  if (simple.test(lower)) {
    // All rules agree on the words; only GitHub counts from 1.
    return ordinal === 1 ? [] : [`${simpleSlug(lower)}${gitHubSuffix}`];
  }
  const suffix = ordinal === 1 ? "" : `-${ordinal}`;
  const gitHub = gitHubSlug(lower);
  const aliases = new Set([gitHub === "" ? "" : `${gitHub}${gitHubSuffix}`]);
  for (const slug of [documentedSlug(lower), olderSlug(lower), asciiSlug(lower)]) {
    if (slug !== "") aliases.add(`${slug}${suffix}`);
  }
  aliases.delete("");
  aliases.delete(`${canonicalSlug(lower)}${suffix}`);
  return [...aliases];
}

/** The id that GitHub gives a heading; empty if it drops all characters. */
export function createGitHubSlug(text: string): string {
  return gitHubSlug(normalize(text));
}

/** A heading in Latin letters and digits, e.g. as a file's name; empty if it has none. */
export function createAsciiSlug(text: string): string {
  return asciiSlug(normalize(text));
}

const caseChange = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu;
const separators = /[^\p{L}\p{N}]+/gu;

/** A field's name as a part of an id: `invoiceId` and `invoice_id` are both `invoice-id`. */
export function createFieldSlug(name: string): string {
  const words = name.replace(caseChange, "-").replace(separators, "-");
  return words.replace(/^-|-$/g, "").toLowerCase();
}

function normalize(text: string): string {
  return text.slice(0, maxLength).normalize("NFC").toLowerCase().trim();
}

function simpleSlug(lower: string): string {
  return lower.replaceAll(" ", "-");
}

function gitHubSlug(lower: string): string {
  return lower.replaceAll(droppedByGitHub, "").replaceAll(" ", "-");
}

/** The documented rules and nothing else. */
function documentedSlug(lower: string): string {
  return hyphenate(lower).replaceAll(/[()]+/g, "");
}

/** Until 2025 colons, commas and the like were kept. */
function olderSlug(lower: string): string {
  return tidy(hyphenate(lower).replaceAll(droppedByOldRule, ""));
}

function canonicalSlug(lower: string): string {
  return tidy(hyphenate(lower).replaceAll(dropped, "")) || "section";
}

function hyphenate(text: string): string {
  return text.replaceAll(/\s+/g, "-").replaceAll("'", "’").replaceAll(".", "-");
}

/** Runs of hyphens become one; none stay at the ends. */
function tidy(slug: string): string {
  return slug.replaceAll(/-{2,}/g, "-").replaceAll(/^-|-$/g, "");
}

/** Latin letters and digits in words; `_meta` is linked to as `meta`. */
function asciiSlug(lower: string): string {
  const letters = lower.normalize("NFKD").replaceAll(/[\p{M}'’]+/gu, "");
  return letters.replaceAll(/[^a-z0-9_]+/g, "-").replaceAll(/^[-_]+|[-_]+$/g, "");
}
