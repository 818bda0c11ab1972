import { firstHeading } from "./page-title.ts";
import type { SitePage } from "./site.ts";

/**
 * The `.md` twin of a page: its title, its description, then `markdown`. Title and description are not repeated
 * if the text begins with them.
 */
export function titledMarkdown(
  page: Pick<SitePage, "title" | "frontmatter">,
  markdown: string,
): string {
  const title = page.title.replaceAll(/\s+/g, " ").trim();
  const { heading = `# ${title}`, rest } = withoutTitle(markdown.trim(), title);
  const description = page.frontmatter.description?.trim() ?? "";
  const hasDescription = rest === description || rest.startsWith(`${description}\n`);
  const parts = [heading, hasDescription ? "" : description, rest].filter((part) => part !== "");
  return `${parts.join("\n\n")}\n`;
}

/** Splits off the heading that `text` begins with, if it is the title; keeps its markup. */
function withoutTitle(text: string, title: string): { heading?: string; rest: string } {
  const [first = "", second = ""] = text.split("\n", 2);
  const found = firstHeading(`${first}\n${second}`);
  if (found === undefined || found.line !== 1 || found.text !== title) return { rest: text };
  const marks = /^#+[ \t]+/.exec(first)?.[0];
  const isUnderlined = marks === undefined && /^=+\s*$/.test(second);
  const length = isUnderlined ? first.length + 1 + second.length : first.length;
  const heading = marks === undefined ? `# ${title}` : `# ${first.slice(marks.length).trimEnd()}`;
  return { heading, rest: text.slice(length).trim() };
}
