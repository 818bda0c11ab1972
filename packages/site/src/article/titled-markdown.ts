import { firstHeading } from "../site/index.ts";
import type { SitePage } from "../site/index.ts";

/**
 * A page's text as its `.md` twin: under its title, on the first line, and its description, which stand in no text
 * but in the frontmatter. Each is there once, also where the text itself begins with it.
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

/** `text` without the heading that it begins with, where that says the title; an author's own markup in it stays. */
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
