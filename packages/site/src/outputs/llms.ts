import {
  createSortedLookup,
  createLazyFile,
  sha256,
  limits,
  type BundleFile,
  type FilePart,
  type Problem,
} from "../core/index.ts";
import { getFileAddress, type Site, type SitePage, type SiteConfig } from "../site/index.ts";
import type { FullTexts, OutputOptions, PageOutput } from "./output.ts";
import { orderPages, type ReadingOrder } from "./reading-order.ts";

/** The format's size limit for `llms.txt`, which language models read as a whole. */
const maxCharacters = 100_000;
/** The lengths to which descriptions are truncated. They are tried in order until the list fits. */
const descriptionLengths = [300, 100, 0] as const;
/** The number of characters reserved for the sentence about omitted entries. */
const maxNoteCharacters = 200;

/**
 * Creates `llms.txt` (llmstxt.org) with the site's name, its description and a list of its pages, each linked to its
 * Markdown. The file has at most 100,000 characters. To make it fit, descriptions are truncated first, and then entries
 * at the end are omitted. The last line states how many entries are omitted.
 */
export function createLlmsFiles(
  site: Site,
  pages: readonly PageOutput[],
  options: OutputOptions,
): BundleFile[] {
  const { baseUrl, siteFingerprint } = options;
  const render = memoize(() => listPages(site, getOrder(site, pages, options), baseUrl));
  return listPaths("llms.txt", baseUrl).map((path) =>
    createLazyFile(path, siteFingerprint, render),
  );
}

function memoize<Value extends string>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= make());
}

function getOrder(
  site: Site,
  pages: readonly PageOutput[],
  { order }: Pick<OutputOptions, "order">,
): ReadingOrder {
  if (order) return order;
  return orderPages(
    site,
    pages.map(({ page }) => page),
  );
}

function listPages(site: Site, order: ReadingOrder, baseUrl: string | undefined): string {
  const createLines = (descriptionLength: number) =>
    listLlmsLines(site, order, { baseUrl, descriptionLength });
  const length = descriptionLengths.find((one) => areWithin(createLines(one), maxCharacters)) ?? 0;
  return truncateLines(createLines(length), order);
}

/**
 * Creates `llms-full.txt` with the full text of the same pages, each below its title and address. Pages at the end that
 * would exceed the size limit are omitted, and the last line reports this.
 */
export function createLlmsFullFiles(
  site: Site,
  pages: readonly PageOutput[],
  options: OutputOptions,
): BundleFile[] {
  const { baseUrl, fullTexts = listFullTexts(site, pages, options) } = options;
  const instructions = formatAgentInstructions(site.config);
  const instructionParts =
    instructions === undefined ? [] : [buildTextPart("instructions", `${instructions}\n\n`)];
  const { included, omitted } = fullTexts;
  const parts: FilePart[] = [...instructionParts, ...included];
  if (omitted > 0) parts.push(buildTextPart("note", omissionNote));
  return listPaths("llms-full.txt", baseUrl).map((path) => ({
    path,
    parts,
    get content() {
      return Buffer.concat(parts.map((part) => part.bytes()));
    },
  }));
}

const omissionNote = "The remaining pages are omitted because the file would be too large.\n";

/** Returns a problem if `llms-full.txt` does not contain all pages. */
export function listFullTextProblems({ included, omitted }: FullTexts): Problem[] {
  if (omitted === 0) return [];
  const megabytes = limits.fullTextBytes / 1024 / 1024;
  const message =
    `It contains the text of ${included.length} of ${included.length + omitted} pages, because with all of them it would be larger than ` +
    `${megabytes} MB. The text of every page is in the page's own .md file.`;
  return [{ severity: "warning", code: "full_text_cut", message, file: "llms-full.txt" }];
}

/**
 * Returns the text of as many pages as fit, in reading order. `pages` must be sorted by path and contain all pages of
 * the reading order.
 */
export function listFullTexts(
  site: Site,
  pages: readonly PageOutput[],
  options: Pick<OutputOptions, "order" | "baseUrl">,
): FullTexts {
  const order = getOrder(site, pages, options);
  const ordered = order.sections.flatMap((section) => section.pages);
  const numberOf = createSortedLookup(pages.map(({ page }) => page.path));
  const included: FilePart[] = [];
  let bytes = 0;
  for (const { path } of ordered) {
    const part = buildFullTextPart(pages[numberOf(path) ?? -1] as PageOutput, options.baseUrl);
    bytes += part.maxBytes;
    if (bytes > limits.fullTextBytes) break;
    included.push(part);
  }
  return { included, omitted: ordered.length - included.length };
}

/**
 * Returns the site's instructions for agents as a block of Markdown without a final line break, or undefined if the
 * site has no instructions.
 */
export function formatAgentInstructions({
  agentInstructions: text,
}: SiteConfig): string | undefined {
  if (text === undefined) return undefined;
  return ["## Agent Instructions", ...text.split(/\r?\n/)]
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}

/**
 * Returns the paths at which a file is stored. Some programs read it from `.well-known/`, where its links to pages must
 * be absolute addresses.
 */
function listPaths(path: string, baseUrl: string | undefined): string[] {
  return baseUrl === undefined ? [path] : [path, `.well-known/${path}`];
}

interface TextPart extends FilePart {
  /** An upper bound on the size, available without calling `bytes`, which may read a file. */
  readonly maxBytes: number;
}

function buildTextPart(name: string, text: string): FilePart {
  const bytes = Buffer.from(text);
  return { name, fingerprint: sha256(bytes), bytes: () => bytes };
}

const pageEnd = Buffer.from("\n\n");

/**
 * Returns a page's text with its address below the title. The text is in bytes, because the texts of a large site have
 * many megabytes.
 */
function buildFullTextPart(
  { page, rendered, fingerprint }: PageOutput,
  baseUrl: string | undefined,
): TextPart {
  const source = `\n\nSource: ${getMarkdownAddress(page, baseUrl)}\n\n`;
  const ownBytes = rendered.markdownBytes ?? rendered.markdown.length;
  return {
    name: page.path,
    fingerprint,
    maxBytes: ownBytes + Buffer.byteLength(source) + pageEnd.length,
    bytes() {
      const { markdown } = rendered;
      const lineEnd = markdown.indexOf(0x0a);
      const title = markdown.subarray(0, lineEnd);
      return Buffer.concat([
        title,
        Buffer.from(source),
        trimBytes(markdown.subarray(lineEnd)),
        pageEnd,
      ]);
    },
  };
}

/**
 * Removes leading and trailing white space as `trim` does. Decodes the text only if it may begin or end with non-ASCII
 * white space.
 */
function trimBytes(text: Uint8Array): Uint8Array {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text[start])) start += 1;
  while (end > start && isSpace(text[end - 1])) end -= 1;
  const trimmed = text.subarray(start, end);
  const isAscii = (trimmed[0] ?? 0) < 0x80 && (trimmed.at(-1) ?? 0) < 0x80;
  return isAscii ? trimmed : Buffer.from(new TextDecoder().decode(trimmed).trim());
}

/** Reports whether a byte is a space, tab, line break or form feed. */
function isSpace(byte = 0): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** Yields lines one at a time, because only a few lines of a large site are used. */
function* listLlmsLines(
  site: Site,
  order: ReadingOrder,
  options: { readonly baseUrl: string | undefined; readonly descriptionLength: number },
): Generator<string> {
  const { name, description } = site.config;
  yield* [`# ${collapseLines(name)}`, ""];
  if (description !== undefined) yield* [`> ${collapseLines(description)}`, ""];
  const instructions = formatAgentInstructions(site.config);
  if (instructions !== undefined) yield* [...instructions.split("\n"), ""];
  for (const { heading, pages } of order.sections) {
    yield* [`## ${collapseLines(heading)}`, ""];
    for (const page of pages) yield formatPageLine(page, options);
    yield "";
  }
  if (order.links.length === 0) return;
  yield* ["## Optional", ""];
  for (const { label, href } of order.links) yield `- [${escapeLinkText(label || href)}](${href})`;
  yield "";
}

function formatPageLine(
  page: SitePage,
  options: { readonly baseUrl: string | undefined; readonly descriptionLength: number },
): string {
  const link = `- [${escapeLinkText(page.title)}](${getMarkdownAddress(page, options.baseUrl)})`;
  const description = shortenDescription(
    page.frontmatter.description ?? "",
    options.descriptionLength,
  );
  return description === "" ? link : `${link}: ${description}`;
}

function getMarkdownAddress(page: SitePage, baseUrl: string | undefined): string {
  // Parentheses would end a Markdown link.
  return getFileAddress(`${page.path}.md`, baseUrl).replaceAll("(", "%28").replaceAll(")", "%29");
}

/** Returns the first paragraph, truncated at a word boundary. */
function shortenDescription(description: string, length: number): string {
  const [paragraph = ""] = description.trim().split(/\n\s*\n/, 1);
  const line = collapseLines(paragraph);
  if (line.length <= length || length === 0) return length === 0 ? "" : line;
  const truncated = line.slice(0, length - 1);
  return `${truncated.slice(0, Math.max(truncated.lastIndexOf(" "), length >> 1)).toWellFormed()}…`;
}

function collapseLines(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function escapeLinkText(text: string): string {
  return collapseLines(text).replace(/[[\]\\]/g, "\\$&");
}

function areWithin(lines: Iterable<string>, characters: number): boolean {
  let remaining = characters;
  for (const line of lines) {
    remaining -= line.length + 1;
    if (remaining < 0) return false;
  }
  return true;
}

/** Joins the lines. If there are too many lines, a note at the end says how many entries are omitted. */
function truncateLines(lines: Iterable<string>, { sections, links }: ReadingOrder): string {
  const all: string[] = [];
  let length = 0;
  let keptCount = 0;
  for (const line of lines) {
    length += line.length + 1;
    if (length <= maxCharacters - maxNoteCharacters) keptCount += 1;
    all.push(line);
    if (length > maxCharacters) break;
  }
  if (length <= maxCharacters) return `${all.join("\n").trimEnd()}\n`;
  const included = all.slice(0, keptCount);
  const listed = included.filter((line) => line.startsWith("- ")).length;
  const entries = sections.reduce((sum, { pages }) => sum + pages.length, links.length);
  const note = `${entries - listed} more pages are not listed here; sitemap.xml lists them all.`;
  return `${included.join("\n").trimEnd()}\n\n${note}\n`;
}
