import { formatCount } from "../../core/index.ts";
import { parseDiff } from "../../git/index.ts";
import type { DiffFile, GitFileChange } from "../../git/index.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import { renderStatusBadge, renderEmptyNote } from "../pages/parts.ts";
import { renderFileTable } from "./file-table.ts";
import type { LineControls } from "./file-table.ts";

/** The maximum number of lines on a page. Browsers lay out a few thousand lines without a noticeable delay. */
const maxLines = 4000;
/** The maximum number of lines in a file that is initially expanded. */
const maxOpenLines = 400;

/** Renders the files of a unified diff with their changes. The diff is undefined if it is too large to show. */
export function renderDiff(diff: string | undefined): SafeHtml {
  if (diff === undefined) {
    return safeHtml`<p class="notice">The diff is too large to show here; fetch the branch to read it.</p>`;
  }
  const files = parseDiff(diff);
  let remaining = maxLines;
  const sections = files.map((file) => {
    const lines = countLines(file);
    const isShown = lines <= remaining;
    if (isShown) remaining -= lines;
    return renderFileSection(file, isShown);
  });
  return safeHtml`<p class="soft">${renderSummary(files)}</p>
    ${sections} ${files.length === 0 && renderEmptyNote("No changes.")}`;
}

function renderSummary(files: readonly DiffFile[]): SafeHtml {
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  return safeHtml`${formatCount(files.length, "file")} changed,
    <span class="plus">${formatCount(added, "line")} added</span>,
    <span class="minus">${formatCount(removed, "line")} removed</span>.`;
}

/** Renders a file's name and, unless the file was only modified, the kind of change. */
export function renderFileTitle({ kind, path, from }: GitFileChange): SafeHtml {
  return safeHtml`<code>${from !== undefined && `${from} → `}${path}</code>
    ${kind !== "modified" && renderStatusBadge("plain", kind.replace("_", " "))}`;
}

function countLines({ hunks }: DiffFile): number {
  return hunks.reduce((sum, { lines }) => sum + lines.length + 1, 0);
}

function renderFileSection(file: DiffFile, isShown: boolean): SafeHtml {
  const isOpen = isShown && countLines(file) <= maxOpenLines;
  return safeHtml`<details class="file" ${isOpen && safeHtml`open`}>
    <summary>
      ${renderFileTitle(file)} ${renderLineCounts(file)}
    </summary>
    ${isShown ? renderFileBody(file) : tooManyLinesNote}
  </details>`;
}

export const tooManyLinesNote = renderEmptyNote(
  "Too many lines for this page; fetch the branch to read them.",
);

/** Renders the numbers of added and removed lines in a file. */
export function renderLineCounts({
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

/** Renders a file's changes, or the reason why they are not shown. */
export function renderFileBody(file: DiffFile, controls?: LineControls): SafeHtml {
  if (file.isBinary) return renderEmptyNote("This is a binary file.");
  if (file.hunks.length === 0) return renderEmptyNote("No changed lines.");
  return renderFileTable(file, controls);
}
