import { parseDiff } from "../../git/index.ts";
import type { DiffFile, GitFileChange } from "../../git/index.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import { statusBadge, emptyNote } from "../pages/parts.ts";
import { formatCount } from "../words.ts";
import { fileTable } from "./file-table.ts";
import type { LineTools } from "./file-table.ts";

/** The maximum number of lines on a page: browsers lay out a few thousand without a noticeable delay. */
const maxLines = 4000;
/** Files with more lines start collapsed. */
const maxOpenLines = 400;

/** Renders the files of a unified diff with their changes. Undefined means that the diff is too large to show. */
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

/** Renders a file's name, with the kind of change unless the file was only modified. */
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

/** Renders the number of added and removed lines of a file. */
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

/** Renders a file's changes, or why they are not shown. */
export function fileBody(file: DiffFile, tools?: LineTools): SafeHtml {
  if (file.isBinary) return emptyNote("This is a binary file.");
  if (file.hunks.length === 0) return emptyNote("No changed lines.");
  return fileTable(file, tools);
}
