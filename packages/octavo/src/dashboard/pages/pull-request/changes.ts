import { formatCount } from "../../../core/index.ts";
import { parseDiff } from "../../../git/index.ts";
import type { DiffFile, MeasuredChange } from "../../../git/index.ts";
import type { Addresses } from "../../addresses.ts";
import {
  renderLineCounts,
  renderFileBody,
  renderFileTitle,
  tooManyLinesNote,
} from "../../diff/diff-view.ts";
import { isMarkdown } from "../../review/file-pages.ts";
import type { LineControls } from "../../diff/file-table.ts";
import type { ShownLine } from "../../diff/shown-lines.ts";
import { isLarge, splitIntoPages } from "../../review/file-pages.ts";
import {
  getCommentFieldName,
  formatLinePosition,
  getWholeFileFieldName,
} from "../../review/line-comments.ts";
import type { LineComment, LinePosition, ReviewDraft } from "../../review/line-comments.ts";
import { createSeenMark } from "../../review/seen-files.ts";
import { safeHtml } from "../../safe-html.ts";
import type { SafeHtml } from "../../safe-html.ts";
import { renderEmptyNote } from "../parts.ts";
import { createFileId, renderFileTree } from "./file-tree.ts";
import { renderPullRequestFrame } from "./frame.ts";
import type { PullRequestFrame } from "./frame.ts";
import { renderReplyFields } from "./reply.ts";
import type { ReplyView } from "./reply.ts";

export interface ChangesView extends PullRequestFrame {
  /** The number of the page of files, starting at 1. */
  readonly pageNumber: number;
  /** The unified diffs of the files on this page. A diff that is too large to show is undefined. */
  readonly diffs: readonly (string | undefined)[];
  /** The marks of the files that were viewed. */
  readonly seenMarks: readonly string[];
  readonly draft: ReviewDraft;
  readonly reply: ReplyView;
}

/** The maximum number of lines of one file on a page. Browsers lay out this many without a noticeable delay. */
const maxLines = 4_000;

export function renderChangesPage(addresses: Addresses, view: ChangesView): SafeHtml {
  const { page, draft, reply, canWrite } = view;
  const address = addresses.pull(view.project.id, page.pullRequest.number);
  const pages = splitIntoPages(page.files);
  const files = pages[view.pageNumber - 1] ?? [];
  const diffs = new Map(
    view.diffs
      .flatMap((diff) => (diff === undefined ? [] : parseDiff(diff)))
      .map((file) => [file.path, file]),
  );
  const seen = new Set(view.seenMarks);
  const form = { address, changesAddress: getChangesAddress(address, view.pageNumber), draft };
  const content = safeHtml`<div class="review" id="review">
    <nav class="tree" aria-label="Changed files">
      <p class="soft">${renderSummary(page.files, seen)}</p>
      ${renderTree(address, pages, seen)}
    </nav>
    <form class="review-files" method="post" action="${form.changesAddress}#on">
      <input type="hidden" name="tab" value="changes" />
      ${draft.wholeFiles.map((path) => safeHtml`<input type="hidden" name="${getWholeFileFieldName(path)}" value="on" />`)}
      ${page.files.length === 0 && renderEmptyNote("No changes.")}
      ${files.map((file) => renderFileSection({ ...form, file, diff: diffs.get(file.path), isSeen: seen.has(createSeenMark(file)) }))}
      ${renderOtherComments(draft, files)} ${renderPager(address, view.pageNumber, pages.length)}
      ${
        canWrite &&
        safeHtml`<section class="card prompt" id="reply" aria-labelledby="reply-title">
          <h2 id="reply-title">Reply</h2>
          ${renderReplyFields(address, reply, "What else should change?")}
        </section>`
      }
    </form>
  </div>`;
  return renderPullRequestFrame(addresses, view, { tab: "changes", content });
}

function getChangesAddress(address: string, pageNumber: number): string {
  return pageNumber === 1 ? `${address}/changes` : `${address}/changes?page=${pageNumber}`;
}

function renderSummary(files: readonly MeasuredChange[], seen: ReadonlySet<string>): SafeHtml {
  const sumLines = (name: "added" | "removed") =>
    files.reduce((total, { [name]: lines = 0 }) => total + lines, 0);
  const seenCount = files.filter((file) => seen.has(createSeenMark(file))).length;
  return safeHtml`${formatCount(files.length, "file")}
    <span class="plus">+${sumLines("added")}</span> <span class="minus">−${sumLines("removed")}</span>, ${seenCount} seen`;
}

function renderTree(
  address: string,
  pages: readonly (readonly MeasuredChange[])[],
  seen: ReadonlySet<string>,
): SafeHtml {
  return renderFileTree(
    pages.flatMap((files, index) =>
      files.map((file) => ({
        file,
        href: `${getChangesAddress(address, index + 1)}#${createFileId(file.path)}`,
        isSeen: seen.has(createSeenMark(file)),
      })),
    ),
  );
}

interface FileSection {
  /** The address of the pull request. */
  readonly address: string;
  /** The address of the current page of its changes. */
  readonly changesAddress: string;
  readonly draft: ReviewDraft;
  readonly file: MeasuredChange;
  readonly diff: DiffFile | undefined;
  readonly isSeen: boolean;
}

function renderFileSection(section: FileSection): SafeHtml {
  const { address, changesAddress, file, isSeen } = section;
  const id = createFileId(file.path);
  const { added = 0, removed = 0, path } = file;
  return safeHtml`<section class="file" id="${id}" aria-label="${path}">
    <div class="file-head">
      ${renderFileTitle(file)} ${renderLineCounts({ added, removed })}
      ${isMarkdown(path) && safeHtml`<a href="${address}/preview?page=${encodeURIComponent(path)}">Rendered</a>`}
      <button
        class="quiet seen"
        type="submit"
        name="seen"
        value="${createSeenMark(file)}"
        aria-pressed="${isSeen ? "true" : "false"}"
        aria-label="Seen: ${path}"
        formaction="${changesAddress}#${id}"
        ${renderLiveAttributes(changesAddress)}
      >
        Seen
      </button>
    </div>
    ${isSeen ? renderHiddenComments(section) : renderShownFile(section)}
  </section>`;
}

/**
 * Returns the attributes with which a button updates the review in place. Without scripts, the button loads the page.
 */
function renderLiveAttributes(changesAddress: string): SafeHtml {
  return safeHtml`hx-post="${changesAddress}" hx-target="#review" hx-select="#review" hx-swap="outerMorph"`;
}

function renderShownFile(section: FileSection): SafeHtml {
  const { file, diff, draft } = section;
  const isShownWhole = draft.wholeFiles.includes(file.path);
  if (isLarge(file) && !isShownWhole) {
    const lines = (file.added ?? 0) + (file.removed ?? 0);
    return safeHtml`<p class="empty">
        ${formatCount(lines, "line")} changed.
        ${renderWholeButton(section, "Show them")}
      </p>
      ${renderHiddenComments(section)}`;
  }
  if (!diff) return safeHtml`${tooManyLinesNote} ${renderHiddenComments(section)}`;
  const lines = diff.hunks.reduce((total, hunk) => total + hunk.lines.length, 0);
  if (lines > maxLines) return safeHtml`${tooManyLinesNote} ${renderHiddenComments(section)}`;
  const shownPositions = new Set<string>();
  const body = renderFileBody(diff, createLineTools(section, isShownWhole, shownPositions));
  const isHidden = (comment: LineComment) => !shownPositions.has(formatLinePosition(comment));
  return safeHtml`${body} ${renderHiddenComments(section, isHidden)}`;
}

function renderWholeButton({ changesAddress, file }: FileSection, text: string): SafeHtml {
  return safeHtml`<button
    class="quiet"
    type="submit"
    name="${getWholeFileFieldName(file.path)}"
    value="on"
    formaction="${changesAddress}#${createFileId(file.path)}"
    ${renderLiveAttributes(changesAddress)}
  >
    ${text}
  </button>`;
}

/**
 * Returns the controls for a file's lines. When they render the field of a comment, they add its position to
 * `shownPositions`.
 */
function createLineTools(
  section: FileSection,
  isShownWhole: boolean,
  shownPositions: Set<string>,
): LineControls {
  const { path } = section.file;
  const comments = new Map(
    section.draft.comments
      .filter((comment) => comment.path === path)
      .map((comment) => [formatLinePosition(comment), comment]),
  );
  return {
    renderNumber: (line, number) =>
      safeHtml`<button
        type="submit"
        name="on"
        value="${formatLinePosition(toLinePosition(path, line, number))}"
        aria-label="Comment on line ${number}"
        >${number}</button
      >`,
    renderRowBelow: (line) => {
      const position = formatLinePosition(
        toLinePosition(path, line, line.after ?? line.before ?? 0),
      );
      const comment = comments.get(position);
      if (!comment || shownPositions.has(position)) return false;
      shownPositions.add(position);
      return safeHtml`<tr class="comment-row">
        <td colspan="4">${renderCommentField(comment)}</td>
      </tr>`;
    },
    collapsedContent: !isShownWhole && renderWholeButton(section, "Show all lines"),
    hasWholeLines: isShownWhole,
  };
}

function toLinePosition(path: string, { kind }: ShownLine, line: number): LinePosition {
  return { path, line, side: kind === "removed" ? "before" : "after" };
}

/** Renders a comment's field. A comment is empty if its line number was just clicked. */
function renderCommentField(comment: LineComment): SafeHtml {
  const isNew = comment.text === "";
  return safeHtml`<label
    >Comment on line ${comment.line}
    <textarea
      ${isNew && safeHtml`id="on" autofocus`}
      name="${getCommentFieldName(comment)}"
      rows="2"
      placeholder="What should change here?"
    >
${comment.text}</textarea>
  </label>`;
}

/** Renders hidden fields for comments on lines that are not shown. */
function renderHiddenComments(
  { draft, file }: Pick<FileSection, "draft" | "file">,
  isHidden: (comment: LineComment) => boolean = () => true,
): SafeHtml {
  const hiddenComments = draft.comments.filter(
    (comment) => comment.path === file.path && comment.text !== "" && isHidden(comment),
  );
  return safeHtml`${hiddenComments.map(renderHiddenComment)}`;
}

function renderHiddenComment(comment: LineComment): SafeHtml {
  return safeHtml`<input type="hidden" name="${getCommentFieldName(comment)}" value="${comment.text}" />`;
}

/** Renders hidden fields for comments on files on other pages. */
function renderOtherComments(
  { comments }: ReviewDraft,
  files: readonly MeasuredChange[],
): SafeHtml | false {
  const shownPaths = new Set(files.map(({ path }) => path));
  const otherComments = comments.filter(({ path, text }) => !shownPaths.has(path) && text !== "");
  return (
    otherComments.length > 0 &&
    safeHtml`<p class="notice">With ${formatCount(otherComments.length, "comment")} on files on other pages.</p>
      ${otherComments.map(renderHiddenComment)}`
  );
}

/** Renders the pager with submit buttons, so that comments are preserved when the user opens another page. */
function renderPager(address: string, current: number, count: number): SafeHtml | false {
  if (count <= 1) return false;
  const renderButton = (number: number, text: string) =>
    safeHtml`<button type="submit" formaction="${getChangesAddress(address, number)}#review">
      ${text}
    </button>`;
  return safeHtml`<div class="actions pager">
    ${current > 1 && renderButton(current - 1, "Previous files")}
    <span class="soft">Page ${current} of ${count}</span>
    ${current < count && renderButton(current + 1, "Next files")}
  </div>`;
}
