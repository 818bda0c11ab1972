import { toPlainText, readFenceLine, readHeadingLine } from "../text/index.ts";
import type { OpenFence } from "../text/index.ts";
import type { SitePage } from "./site.ts";
import { getBaseName } from "../core/index.ts";

/**
 * Derives a title from the last part of a path. For example, `getting-started` becomes `Getting started`, and
 * `2025-03-26` does not change.
 */
export function createTitleFromPath(path: string): string {
  const name = getBaseName(path);
  const words = name.replace(/(?<!\d)[-_\s]+|[-_\s]+(?!\d)/g, " ").trim();
  return words === "" ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

/** The maximum number of characters of a line that are searched for a heading. */
const maxLineLength = 1_000;
const underlinePattern = /^=+[ \t]*$/;
const htmlHeadingPattern = /<h1\b[^>]*>([^<]{1,300})<\/h1>/i;

/** A heading that was found by searching the source line by line. */
export interface FoundHeading {
  readonly text: string;
  /** The 1-based line of the heading's text in the searched source. */
  readonly line: number;
}

/**
 * Returns the first heading of a Markdown body, or undefined if there is none. Recognizes the usual forms at the start
 * of a README: `# Title`, a line underlined with `=`, and `<h1>`. Skips code.
 */
export function findFirstHeading(body: string): FoundHeading | undefined {
  let fence: OpenFence | undefined;
  let previous = "";
  for (const [index, fullLine] of body.split(/\r?\n/).entries()) {
    const line = fullLine.slice(0, maxLineLength);
    const fenceLine = readFenceLine(line, fence);
    fence = fenceLine.open;
    if (!fenceLine.isCode) {
      const isUnderline = underlinePattern.test(line);
      const text = isUnderline ? extractTitleText(previous) : findHeading(line);
      if (text) return { text, line: isUnderline ? index : index + 1 };
    }
    previous = line;
  }
  return undefined;
}

function findHeading(line: string): string | undefined {
  const heading = readHeadingLine(line);
  const isOwn = heading !== undefined && /^ {0,3}$/.test(heading.before);
  const text = isOwn ? heading.text : htmlHeadingPattern.exec(line)?.[1];
  return text === undefined ? undefined : extractTitleText(text);
}

/** Returns the text of a title without images, with which READMEs often begin. */
function extractTitleText(markdown: string): string {
  return toPlainText(markdown.replace(/!\[[^[\]]*\]\([^()]*\)/g, ""));
}

/**
 * Returns the Markdown document of a page, which consists of its title, its description and `markdown`. The title and
 * the description are not repeated if the text begins with them.
 */
export function formatTitledMarkdown(
  page: Pick<SitePage, "title" | "frontmatter">,
  markdown: string,
): string {
  const title = page.title.replaceAll(/\s+/g, " ").trim();
  const { heading = `# ${title}`, rest } = separateTitle(markdown.trim(), title);
  const description = page.frontmatter.description?.trim() ?? "";
  const hasDescription = rest === description || rest.startsWith(`${description}\n`);
  const parts = [heading, hasDescription ? "" : description, rest].filter((part) => part !== "");
  return `${parts.join("\n\n")}\n`;
}

/** Separates the heading with which `text` begins if it is the title. The heading keeps its markup. */
function separateTitle(text: string, title: string): { heading?: string; rest: string } {
  const [first = "", second = ""] = text.split("\n", 2);
  const found = findFirstHeading(`${first}\n${second}`);
  if (found === undefined || found.line !== 1 || found.text !== title) return { rest: text };
  const marks = /^#+[ \t]+/.exec(first)?.[0];
  const isUnderlined = marks === undefined && /^=+\s*$/.test(second);
  const length = isUnderlined ? first.length + 1 + second.length : first.length;
  const heading = marks === undefined ? `# ${title}` : `# ${first.slice(marks.length).trimEnd()}`;
  return { heading, rest: text.slice(length).trim() };
}
