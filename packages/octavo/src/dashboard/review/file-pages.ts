import type { MeasuredChange } from "../../git/index.ts";

/** The maximum number of files on one page. Browsers show this many without delay, and git reads them quickly. */
const maxFiles = 20;
/** The maximum number of changed lines in all files on one page. */
const maxLines = 600;
/** The maximum number of changed lines in a file whose changes are initially shown. */
export const maxOpenLines = 400;

/** Reports whether a file's changes are hidden until the user asks for them. */
export function isLarge({ added = 0, removed = 0 }: MeasuredChange): boolean {
  return added + removed > maxOpenLines;
}

/** Divides the files of a pull request into pages, in order. There is always a first page. */
export function splitIntoPages(
  files: readonly MeasuredChange[],
): readonly (readonly MeasuredChange[])[] {
  const pages: MeasuredChange[][] = [[]];
  let lines = 0;
  for (const file of files) {
    const lineCount = isLarge(file) ? 1 : (file.added ?? 0) + (file.removed ?? 0);
    const page = pages.at(-1) ?? [];
    if (page.length > 0 && (page.length >= maxFiles || lines + lineCount > maxLines)) {
      pages.push([file]);
      lines = lineCount;
    } else {
      page.push(file);
      lines += lineCount;
    }
  }
  return pages;
}

/** Reports whether a file is Markdown. In Markdown files, git uses arbitrary lines as hunk headings. */
export function isMarkdown(path: string): boolean {
  return /\.mdx?$/i.test(path);
}
