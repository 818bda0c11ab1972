import { sha256, limits } from "../core/index.ts";
import type { BundleFile, FilePart } from "../core/index.ts";
import type { Site, SitePage } from "../site/index.ts";
import { agentInstructions } from "./agent-instructions.ts";
import { fileAddress } from "../site/index.ts";
import type { OutputOptions, PageOutput } from "./output.ts";
import { orderPages, type ReadingOrder } from "./reading-order.ts";

/** The format's limit for `llms.txt`, which language models read in one piece. */
const maxCharacters = 100_000;
/** Descriptions are truncated to these lengths in turn until the list fits. */
const descriptionLengths = [300, 100, 0] as const;
/** Characters reserved for the sentence about omitted entries. */
const noteCharacters = 200;

/**
 * `llms.txt` (llmstxt.org): the site's name and description and a list of its pages, each linked to
 * its Markdown. At most 100,000 characters: descriptions are truncated first, then entries are
 * omitted at the end, and the last line says how many.
 */
export function llmsFiles(
  site: Site,
  pages: readonly PageOutput[],
  { baseUrl }: OutputOptions,
): BundleFile[] {
  const order = orderPages(
    site,
    pages.map(({ page }) => page),
  );
  for (const length of descriptionLengths) {
    const lines = llmsLines(site, order, { baseUrl, descriptionLength: length });
    if (charactersOf(lines) <= maxCharacters || length === 0) {
      const content = truncateLines(lines, maxCharacters);
      return pathsOf("llms.txt", baseUrl).map((path) => ({ path, content }));
    }
  }
  return [];
}

/** `llms-full.txt`: the same pages with their full text, each under its title and address. */
export function llmsFullFiles(
  site: Site,
  pages: readonly PageOutput[],
  { baseUrl }: OutputOptions,
): BundleFile[] {
  const order = orderPages(
    site,
    pages.map(({ page }) => page),
  );
  const outputs = new Map(pages.map((output) => [output.page.path, output]));
  const ordered = order.sections.flatMap((section) =>
    section.pages.flatMap(({ path }) => outputs.get(path) ?? []),
  );
  const instructions = agentInstructions(site.config);
  const top = instructions === undefined ? [] : [textPart(`${instructions}\n\n`)];
  const texts = withinLimit(ordered.map((output) => fullTextPart(output, baseUrl)));
  const parts = [...top, ...texts];
  return pathsOf("llms-full.txt", baseUrl).map((path) => ({
    path,
    parts,
    get content() {
      return Buffer.concat(parts.map((part) => part.bytes()));
    },
  }));
}

/** Some programs look in `.well-known/`, where only absolute addresses lead to the pages. */
function pathsOf(path: string, baseUrl: string | undefined): string[] {
  return baseUrl === undefined ? [path] : [path, `.well-known/${path}`];
}

interface TextPart extends FilePart {
  /** Upper bound of its size, known without `bytes`, which may read a file. */
  readonly maxBytes: number;
}

function textPart(text: string): TextPart {
  const bytes = Buffer.from(text);
  return { fingerprint: sha256(bytes), maxBytes: bytes.length, bytes: () => bytes };
}

function withinLimit(parts: readonly TextPart[]): readonly FilePart[] {
  const maxTotal = parts.reduce((sum, { maxBytes }) => sum + maxBytes, 0);
  if (maxTotal <= limits.fullTextBytes) return parts;
  const included: FilePart[] = [];
  let bytes = 0;
  for (const part of parts) {
    bytes += part.bytes().length;
    if (bytes > limits.fullTextBytes) {
      return [
        ...included,
        textPart("The remaining pages are left out: the file would grow too large.\n"),
      ];
    }
    included.push(part);
  }
  return included;
}

const end = Buffer.from("\n\n");

/** A page's text with its address below the title, as bytes: a large site has many megabytes. */
function fullTextPart(
  { page, rendered, fingerprint }: PageOutput,
  baseUrl: string | undefined,
): TextPart {
  const source = Buffer.from(`\n\nSource: ${markdownAddress(page, baseUrl)}\n\n`);
  const ownBytes = rendered.markdownBytes ?? rendered.markdown.length;
  return {
    fingerprint,
    maxBytes: ownBytes + source.length + end.length,
    bytes() {
      const { markdown } = rendered;
      const lineEnd = markdown.indexOf(0x0a);
      const title = markdown.subarray(0, lineEnd);
      return Buffer.concat([title, source, trimBytes(markdown.subarray(lineEnd)), end]);
    },
  };
}

/** Like `trim` on the text, which is decoded only if it may have other spaces than those of ASCII at its ends. */
function trimBytes(text: Uint8Array): Uint8Array {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text[start])) start += 1;
  while (end > start && isSpace(text[end - 1])) end -= 1;
  const rest = text.subarray(start, end);
  const isAscii = (rest[0] ?? 0) < 0x80 && (rest.at(-1) ?? 0) < 0x80;
  return isAscii ? rest : Buffer.from(new TextDecoder().decode(rest).trim());
}

/** Space, tab, and line and page breaks. */
function isSpace(byte = 0): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

function llmsLines(
  site: Site,
  order: ReadingOrder,
  options: { readonly baseUrl: string | undefined; readonly descriptionLength: number },
): string[] {
  const { name, description } = site.config;
  const lines = [`# ${oneLine(name)}`, ""];
  if (description !== undefined) lines.push(`> ${oneLine(description)}`, "");
  const instructions = agentInstructions(site.config);
  if (instructions !== undefined) lines.push(...instructions.split("\n"), "");
  for (const { heading, pages } of order.sections) {
    lines.push(`## ${oneLine(heading)}`, "");
    for (const page of pages) lines.push(pageLine(page, options));
    lines.push("");
  }
  if (order.links.length === 0) return lines;
  lines.push("## Optional", "");
  for (const { label, href } of order.links) lines.push(`- [${linkText(label || href)}](${href})`);
  lines.push("");
  return lines;
}

function pageLine(
  page: SitePage,
  options: { readonly baseUrl: string | undefined; readonly descriptionLength: number },
): string {
  const link = `- [${linkText(page.title)}](${markdownAddress(page, options.baseUrl)})`;
  const description = firstParagraph(page.frontmatter.description ?? "", options.descriptionLength);
  return description === "" ? link : `${link}: ${description}`;
}

function markdownAddress(page: SitePage, baseUrl: string | undefined): string {
  // Parentheses would end a link of Markdown.
  return fileAddress(`${page.path}.md`, baseUrl).replaceAll("(", "%28").replaceAll(")", "%29");
}

/** The first paragraph, truncated between words. */
function firstParagraph(description: string, length: number): string {
  const [paragraph = ""] = description.trim().split(/\n\s*\n/, 1);
  const line = oneLine(paragraph);
  if (line.length <= length || length === 0) return length === 0 ? "" : line;
  const cut = line.slice(0, length - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), length >> 1)).toWellFormed()}…`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function linkText(text: string): string {
  return oneLine(text).replace(/[[\]\\]/g, "\\$&");
}

function charactersOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

function truncateLines(lines: readonly string[], characters: number): string {
  if (charactersOf(lines) <= characters) return `${lines.join("\n").trimEnd()}\n`;
  const included: string[] = [];
  let left = characters - noteCharacters;
  for (const line of lines) {
    left -= line.length + 1;
    if (left < 0) break;
    included.push(line);
  }
  const omitted = lines.slice(included.length).filter((line) => line.startsWith("- ")).length;
  const note = `${omitted} more pages are not listed here; sitemap.xml lists them all.`;
  return `${included.join("\n").trimEnd()}\n\n${note}\n`;
}
