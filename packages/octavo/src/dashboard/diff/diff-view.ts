import { parseDiff } from "../../git/index.ts";
import type { DiffFile, GitFileChange } from "../../git/index.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import { statusBadge, emptyNote } from "../pages/parts.ts";
import { formatCount } from "../words.ts";
import { fileTable } from "./file-table.ts";
import type { LineTools } from "./file-table.ts";

/** Lines on a page: a browser lays out some thousands without a noticeable delay. */
const maxLines = 4000;
/** Files with more lines are collapsed at first. */
const maxOpenLines = 400;

/** The files of a unified diff and the changes in each; undefined is a diff that is too large to show. */
export function renderDiff(diff: string | undefined): SafeHtml {
  if (diff === undefined) {
    return safeHtml`<p class="notice">The diff is too large to show here; fetch the branch to read it.</p>`;
  }
  const files = parseDiff(diff);
  let remaining = maxLines;
  const sections = files.map((file) => {
    const lines = linesOf(file);
    const isShown = lines <= remaining;
    if (isShown) remaining -= lines;
    return fileSection(file, isShown);
  });
  return safeHtml`<p class="soft">${summary(files)}</p>
    ${sections} ${files.length === 0 && emptyNote("No changes.")}`;
}

function summary(files: readonly DiffFile[]): SafeHtml {
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  return safeHtml`${formatCount(files.length, "file")} changed,
    <span class="plus">${formatCount(added, "line")} added</span>,
    <span class="minus">${formatCount(removed, "line")} removed</span>.`;
}

/** A file's name, with what became of it if it was not only modified. */
export function fileTitle({ kind, path, from }: GitFileChange): SafeHtml {
  return safeHtml`<code>${from !== undefined && `${from} → `}${path}</code>
    ${kind !== "modified" && statusBadge("plain", kind.replace("_", " "))}`;
}

function linesOf({ hunks }: DiffFile): number {
  return hunks.reduce((sum, { lines }) => sum + lines.length + 1, 0);
}

function fileSection(file: DiffFile, isShown: boolean): SafeHtml {
  const isOpen = isShown && linesOf(file) <= maxOpenLines;
  return safeHtml`<details class="file" ${isOpen && safeHtml`open`}>
    <summary>
      ${fileTitle(file)} ${changedLines(file)}
    </summary>
    ${isShown ? fileBody(file) : tooManyLines}
  </details>`;
}

export const tooManyLines = emptyNote(
  "Too many lines for this page; fetch the branch to read them.",
);

/** How many lines of a file changed. */
export function changedLines({
  added,
  removed,
}: {
  readonly added: number;
  readonly removed: number;
}): SafeHtml {
  return safeHtml`<span class="changes"
    ><span class="plus">+${added}</span> <span class="minus">−${removed}</span></span
  >`;
}

/** What a file's changes are, or why they are not shown. */
export function fileBody(file: DiffFile, tools?: LineTools): SafeHtml {
  if (file.isBinary) return emptyNote("A binary file.");
  if (file.hunks.length === 0) return emptyNote("No changed lines.");
  return fileTable(file, tools);
}
