import type { PullRequestPage } from "../../codehost/index.ts";
import { parseDiff } from "../../git/index.ts";
import type { DiffFile, DiffHunk, DiffLine } from "../../git/index.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import { statusBadge, emptyNote } from "../pages/parts.ts";
import { formatCount } from "../words.ts";

/** Lines on a page: a browser lays out some thousands without a noticeable delay. */
const maxLines = 4000;
/** Files with more lines are collapsed at first. */
const maxOpenLines = 400;
/** In characters: a line of minified code could fill a page. */
const maxLineLength = 2000;
/** Files in the list; each is a row. */
const maxListedFiles = 500;

type Files = PullRequestPage["files"];

interface Difference {
  /** As git lists them; default: as the diff names them. */
  readonly files?: Files;
  /** Unified; undefined if it is too large to show. */
  readonly diff: string | undefined;
}

/** The changed files and the changes in each. */
export function renderDiff({ files: listed, diff }: Difference): SafeHtml {
  const shown = diff === undefined ? [] : parseDiff(diff);
  const files = listed ?? shown;
  let remaining = maxLines;
  const sections = shown.map((file, index) => {
    const lines = linesOf(file);
    const isShown = lines <= remaining;
    if (isShown) remaining -= lines;
    return fileSection({ file, title: titleOf(file, files, shown.length, index), isShown });
  });
  return safeHtml`<p class="soft">${summary(files, shown)}</p>
    ${diff === undefined ? fileList(files) : sections}
    ${diff !== undefined && files.length === 0 && emptyNote("No changes.")}`;
}

function summary(files: Files, shown: readonly DiffFile[]): SafeHtml {
  const added = shown.reduce((sum, file) => sum + file.added, 0);
  const removed = shown.reduce((sum, file) => sum + file.removed, 0);
  return safeHtml`${formatCount(files.length, "file")}
  changed${
    shown.length > 0 &&
    safeHtml`, <span class="plus">${formatCount(added, "line")} added</span>,
      <span class="minus">${formatCount(removed, "line")} removed</span>`
  }.`;
}

function fileList(files: Files): SafeHtml {
  const rest = files.length - maxListedFiles;
  return safeHtml`<p class="notice">The diff is too large to show here; fetch the branch to read it.</p>
    <ul class="rows">
      ${files.slice(0, maxListedFiles).map(
        ({ kind, path, from }) =>
          safeHtml`<li class="row">
            <div class="row-main">
              ${statusBadge("plain", kind.replace("_", " "))} <code>${path}</code>
            </div>
            ${from !== undefined && safeHtml`<span class="faint">from <code>${from}</code></span>`}
          </li>`,
      )}
    </ul>
    ${rest > 0 && safeHtml`<p class="soft">${formatCount(rest, "more file")}.</p>`}`;
}

/** Git's list and its diff have the same order; the names in the list are unquoted. */
function titleOf(file: DiffFile, files: Files, shown: number, index: number): SafeHtml {
  const named = files.length === shown ? files[index] : undefined;
  if (!named) return safeHtml`<code>${file.header}</code>`;
  const kind = named.kind === "modified" ? undefined : named.kind.replace("_", " ");
  return safeHtml`<code>${named.from !== undefined && `${named.from} → `}${named.path}</code>
    ${kind !== undefined && statusBadge("plain", kind)}`;
}

function linesOf({ hunks }: DiffFile): number {
  return hunks.reduce((sum, { lines }) => sum + lines.length + 1, 0);
}

interface FileSection {
  readonly file: DiffFile;
  readonly title: SafeHtml;
  readonly isShown: boolean;
}

function fileSection({ file, title, isShown }: FileSection): SafeHtml {
  const isOpen = isShown && linesOf(file) <= maxOpenLines;
  return safeHtml`<details class="file" ${isOpen && safeHtml`open`}>
    <summary>
      ${title}
      <span class="changes"
        ><span class="plus">+${file.added}</span> <span class="minus">−${file.removed}</span></span
      >
    </summary>
    ${isShown ? fileBody(file) : emptyNote("Too many lines for this page; fetch the branch to read them.")}
  </details>`;
}

function fileBody({ hunks, isBinary }: DiffFile): SafeHtml {
  if (isBinary) return emptyNote("A binary file.");
  if (hunks.length === 0) return emptyNote("No changed lines.");
  return safeHtml`<div class="diff" tabindex="0" role="region" aria-label="Changed lines">
    <table>
      <thead class="hidden">
        <tr>
          <th scope="col">Before</th>
          <th scope="col">After</th>
          <th scope="col">Line</th>
        </tr>
      </thead>
      <tbody>
        ${hunks.map((hunk) => hunkRows(hunk))}
      </tbody>
    </table>
  </div>`;
}

function hunkRows({ heading, lines }: DiffHunk): SafeHtml {
  const text = heading === "" ? "⋯" : heading;
  return safeHtml`<tr class="hunk">
      <td class="n"></td>
      <td class="n"></td>
      <td class="line">${text}</td>
    </tr>
    ${lines.map(lineRow)}`;
}

const signs = { added: "+", removed: "-", context: " ", note: " " } as const;

function lineRow({ kind, text, before, after }: DiffLine): SafeHtml {
  const isLong = text.length > maxLineLength;
  const shown = isLong ? `${text.slice(0, maxLineLength).toWellFormed()} …` : text;
  return safeHtml`<tr class="${kind}">
    <td class="n">${before}</td>
    <td class="n">${after}</td>
    <td class="line">${signs[kind]}${shown}</td>
  </tr>`;
}
