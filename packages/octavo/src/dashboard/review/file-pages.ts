import type { MeasuredChange } from "../../git/index.ts";

/**
 * The maximum number of files on one page, and of changed lines in all of them, which a browser shows without delay and
 * git reads quickly.
 */
const maxFiles = 20;
const maxLines = 600;
/** A file with more changed lines is shown only on request. */
export const maxOpenLines = 400;

/** Reports whether a file's changes are left out until they are requested. */
export function isLarge({ added = 0, removed = 0 }: MeasuredChange): boolean {
  return added + removed > maxOpenLines;
}

/** Divides the files of a pull request into pages, in order. There is always a first page. */
export function toFilePages(
  files: readonly MeasuredChange[],
): readonly (readonly MeasuredChange[])[] {
  const pages: MeasuredChange[][] = [[]];
  let lines = 0;
  for (const file of files) {
    const own = isLarge(file) ? 1 : (file.added ?? 0) + (file.removed ?? 0);
    const page = pages.at(-1) ?? [];
    if (page.length > 0 && (page.length >= maxFiles || lines + own > maxLines)) {
      pages.push([file]);
      lines = own;
    } else {
      page.push(file);
      lines += own;
    }
  }
  return pages;
}
