import type { MeasuredChange } from "../../git/index.ts";

/** Files on one page, and the changed lines of all of them: what a browser shows at once, and git reads quickly. */
const maxFiles = 20;
const maxLines = 600;
/** A file with more changed lines is shown when somebody asks for it. */
export const maxOpenLines = 400;

/** Whether a file's changes are left out until somebody asks for them. */
export function isLarge({ added = 0, removed = 0 }: MeasuredChange): boolean {
  return added + removed > maxOpenLines;
}

/** Divides the files of a pull request into pages, in their order. There is always a first page. */
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
