import {
  findBodyStart,
  getFieldText,
  readFenceLine,
  readFrontmatterFields,
  type OpenFence,
} from "@octavo/site/text";
import { formatCount } from "../../../core/index.ts";
import type { DifferentPage, SiteDifference } from "../../../difference/index.ts";
import type { MeasuredChange } from "../../../git/index.ts";
import type { Addresses } from "../../addresses.ts";
import { renderLineCounts, renderFileTitle } from "../../diff/diff-view.ts";
import { safeHtml, type HtmlValue, type SafeHtml } from "../../safe-html.ts";
import { renderEmptyNote } from "../parts.ts";
import { renderFileTree } from "./file-tree.ts";
import { renderPullRequestFrame } from "./frame.ts";
import type { PullRequestFrame } from "./frame.ts";
import { diffArrays } from "../../diff/diff.bundled.ts";
import { compareWords, type WordPiece } from "../../diff/word-pieces.ts";
import { renderTokens, type WriteText, parseBlocks } from "../../markdown/markdown.ts";

export interface RenderedView extends PullRequestFrame {
  /** The changed Markdown and MDX pages. */
  readonly files: readonly MeasuredChange[];
  /** The shown file with both versions of its text; undefined if there is none. */
  readonly current: RenderedFile | undefined;
  /** Links to the exported versions of the site. */
  readonly sites: readonly { readonly href: string; readonly text: string }[];
}

export interface RenderedFile {
  readonly file: MeasuredChange;
  /** The text before the change; undefined if the page did not exist or is too large to render. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly isTooLarge: boolean;
}

/** The number of unchanged blocks shown next to a changed block. */
const contextBlocks = 2;
/** The minimum number of unchanged blocks that are collapsed. */
const minCollapsedBlocks = 3;

export function renderComparedPage(addresses: Addresses, view: RenderedView): SafeHtml {
  const { project, page, files, current, sites } = view;
  const address = `${addresses.pull(project.id, page.pullRequest.number)}/preview`;
  const tree = files.map((file) => ({
    file,
    href: `${address}?page=${encodeURIComponent(file.path)}`,
    isSeen: false,
    isCurrent: file.path === current?.file.path,
  }));
  const content = safeHtml`<div class="review" id="review">
    <nav class="tree" aria-label="Changed pages">
      <p class="soft">${formatCount(files.length, "page")} changed</p>
      ${renderFileTree(tree)}
    </nav>
    <div class="review-files">
      ${
        sites.length > 0 &&
        safeHtml`<div class="actions">
          ${sites.map(({ href, text }) => safeHtml`<a class="button" href="${href}">${text}</a>`)}
        </div>`
      }
      ${current ? renderFile(current) : renderEmptyNote("No pages were changed.")}
    </div>
  </div>`;
  return renderPullRequestFrame(addresses, view, { tab: "preview", content });
}

function renderFile({ file, before, after, isTooLarge }: RenderedFile): SafeHtml {
  const { added = 0, removed = 0 } = file;
  return safeHtml`<section class="file" aria-label="${file.path}">
    <h2 class="hidden">${file.path}</h2>
    <div class="file-head">${renderFileTitle(file)} ${renderLineCounts({ added, removed })}</div>
    ${
      isTooLarge
        ? renderEmptyNote(
            "This page is too large to render here. The Changes tab shows it line by line.",
          )
        : safeHtml`<div class="sides">
            <p class="side-name">Before</p>
            <p class="side-name">After</p>
            ${renderBlocks(comparePages(before, after))}
          </div>`
    }
  </section>`;
}

/** Renders the blocks as rows. Unchanged blocks far from a change are collapsed. */
function renderBlocks(blocks: readonly ComparedBlock[]): readonly SafeHtml[] {
  const rows: SafeHtml[] = [];
  for (let start = 0; start < blocks.length;) {
    let to = start;
    while (blocks[to]?.kind === "same") to += 1;
    if (to === start) {
      rows.push(...blocks.slice(start, start + 1).map(renderBlockRow));
      start += 1;
      continue;
    }
    const from = start === 0 ? start : start + contextBlocks;
    const end = to === blocks.length ? to : to - contextBlocks;
    if (end - from < minCollapsedBlocks) {
      rows.push(...blocks.slice(start, to).map(renderBlockRow));
    } else {
      rows.push(
        ...blocks.slice(start, from).map(renderBlockRow),
        renderCollapsedBlocks(blocks.slice(from, end)),
        ...blocks.slice(end, to).map(renderBlockRow),
      );
    }
    start = to;
  }
  return rows;
}

function renderCollapsedBlocks(blocks: readonly ComparedBlock[]): SafeHtml {
  return safeHtml`<details class="folded-blocks">
    <summary>${formatCount(blocks.length, "unchanged block")}</summary>
    <div class="sides">${blocks.map(renderBlockRow)}</div>
  </details>`;
}

function renderBlockRow({ kind, before, after }: ComparedBlock): SafeHtml {
  return safeHtml`${renderSide(`side-before is-${kind}`, before)}${renderSide(`side-after is-${kind}`, after)}`;
}

function renderSide(name: string, content: HtmlValue): SafeHtml {
  return safeHtml`<div class="side prose ${name}${content === undefined && " is-absent"}">${content}</div>`;
}

export interface DifferenceTabView extends PullRequestFrame {
  readonly difference: SiteDifference;
  /** The name of the site with which the branch is compared, for use in a sentence. */
  readonly base: string;
  /** Returns the address at which a page's changes are shown. */
  readonly getHref: (page: DifferentPage) => string;
  /** The page that is shown here; undefined if pages are shown at their own address. */
  readonly current: { readonly file: string; readonly address: string } | undefined;
}

/** The maximum number of pages that the tab lists. */
const maxListedPages = 500;

/** Renders the pages that readers will see differently, and one of them with its changes marked. */
export function renderDifferenceTab(addresses: Addresses, view: DifferenceTabView): SafeHtml {
  const { difference, base, current } = view;
  const { pages, omitted } = difference;
  const listedPages = pages.slice(0, maxListedPages);
  const unlistedCount = pages.length - listedPages.length + omitted;
  const content = safeHtml`<div class="review" id="review">
    <nav class="tree" aria-label="Changed pages">
      <p class="soft">${formatCount(pages.length + omitted, "page")} changed, compared with ${base}.</p>
      <ul>
        ${listedPages.map((page) => renderItem(view, page))}
      </ul>
      ${unlistedCount > 0 && safeHtml`<p class="faint">And ${formatCount(unlistedCount, "more page")}.</p>`}
    </nav>
    <div class="review-files">
      ${pages.length === 0 && renderEmptyNote("Readers will see no difference.")}
      ${
        current &&
        safeHtml`<iframe class="preview difference" title="The page with its changes" sandbox="allow-scripts" src="${current.address}"></iframe>`
      }
    </div>
  </div>`;
  return renderPullRequestFrame(addresses, view, { tab: "preview", content });
}

function renderItem({ current, getHref }: DifferenceTabView, page: DifferentPage): SafeHtml {
  const isCurrent = page.file === current?.file;
  return safeHtml`<li>
    <a href="${getHref(page)}" ${isCurrent && safeHtml`aria-current="page"`}>
      ${page.title} <span class="faint">${describeChange(page)}</span>
    </a>
  </li>`;
}

function describeChange({ kind, changes, formerFile }: DifferentPage): string {
  if (kind === "added") return "new";
  if (kind === "removed") return "deleted";
  const count = changes === null ? "not compared" : formatCount(changes, "change");
  return formerFile === undefined ? count : `moved, ${count}`;
}

/** A rendered block of a page before and after the change, with the changed words marked. */
interface ComparedBlock {
  readonly kind: "same" | "changed" | "added" | "removed";
  readonly before: SafeHtml | undefined;
  readonly after: SafeHtml | undefined;
}

/** The maximum number of differing blocks. Pages with more are shown as fully replaced. */
const maxEdits = 2_000;
/** The maximum distance, in blocks, between a changed block and its counterpart. */
const maxDistance = 4;

/** Compares the blocks of two versions of a page, to show them side by side. A missing version has no blocks. */
function comparePages(
  before: string | undefined,
  after: string | undefined,
): readonly ComparedBlock[] {
  const oldBlocks = before === undefined ? [] : parsePageBlocks(before);
  const newBlocks = after === undefined ? [] : parsePageBlocks(after);
  const changes = diffArrays(listSources(oldBlocks), listSources(newBlocks), {
    maxEditLength: maxEdits,
  }) ?? [
    { removed: true, added: false, count: oldBlocks.length },
    { removed: false, added: true, count: newBlocks.length },
  ];
  const compared: ComparedBlock[] = [];
  let [oldIndex, newIndex] = [0, 0];
  let removed: readonly PageBlock[] = [];
  for (const { removed: isRemoved, added: isAdded, count } of changes) {
    if (isRemoved) {
      removed = [...removed, ...oldBlocks.slice(oldIndex, oldIndex + count)];
      oldIndex += count;
    } else if (isAdded) {
      compared.push(...compareBlocks(removed, newBlocks.slice(newIndex, newIndex + count)));
      removed = [];
      newIndex += count;
    } else {
      compared.push(
        ...compareBlocks(removed, []),
        ...newBlocks.slice(newIndex, newIndex + count).map(buildSameBlock),
      );
      removed = [];
      [oldIndex, newIndex] = [oldIndex + count, newIndex + count];
    }
  }
  return [...compared, ...compareBlocks(removed, [])];
}

function listSources(blocks: readonly PageBlock[]): string[] {
  return blocks.map(({ source }) => source);
}

function compareBlocks(
  removed: readonly PageBlock[],
  added: readonly PageBlock[],
): readonly ComparedBlock[] {
  const compared: ComparedBlock[] = [];
  let nextIndex = 0;
  for (const [index, block] of removed.entries()) {
    const endIndex = Math.min(added.length, index + maxDistance, nextIndex + maxDistance);
    const match = findSimilarBlock(block, added, { from: nextIndex, to: endIndex });
    if (match) {
      compared.push(...added.slice(nextIndex, match.at).map(buildAddedBlock), match.pair);
      nextIndex = match.at + 1;
    } else {
      compared.push({ kind: "removed", before: renderBlock(block), after: undefined });
    }
  }
  return [...compared, ...added.slice(nextIndex).map(buildAddedBlock)];
}

function findSimilarBlock(
  block: PageBlock,
  added: readonly PageBlock[],
  { from, to }: { readonly from: number; readonly to: number },
) {
  for (let index = from; index < to; index += 1) {
    const addedBlock = added[index];
    if (!addedBlock || addedBlock.kind !== block.kind) continue;
    const pieces = compareWords(getBlockText(block), getBlockText(addedBlock));
    if (!pieces) continue;
    const [before, after] = [
      renderMarkedBlock(block, pieces, "removed"),
      renderMarkedBlock(addedBlock, pieces, "added"),
    ];
    return { at: index, pair: { kind: "changed", before, after } as const };
  }
  return undefined;
}

function buildSameBlock(block: PageBlock): ComparedBlock {
  const rendered = renderBlock(block);
  return { kind: "same", before: rendered, after: rendered };
}

function buildAddedBlock(block: PageBlock): ComparedBlock {
  return { kind: "added", before: undefined, after: renderBlock(block) };
}

function renderBlock(block: PageBlock): SafeHtml {
  return block.render((text) => text);
}

/** Renders one side of a changed block. Joined in order, the pieces of that side are the block's text. */
function renderMarkedBlock(
  block: PageBlock,
  pieces: readonly WordPiece[],
  side: "added" | "removed",
): SafeHtml {
  const sidePieces = pieces.filter(({ kind }) => kind === "same" || kind === side);
  let pieceIndex = 0;
  let usedLength = 0;
  const write: WriteText = (text) => {
    const parts: SafeHtml[] = [];
    for (let remaining = text; remaining !== "";) {
      const { kind, text: pieceText } = sidePieces[pieceIndex] ?? { kind: "same", text: remaining };
      const part = remaining.slice(0, Math.max(1, pieceText.length - usedLength));
      parts.push(renderMarkedPart(part, kind));
      remaining = remaining.slice(part.length);
      usedLength += part.length;
      if (usedLength >= pieceText.length) [pieceIndex, usedLength] = [pieceIndex + 1, 0];
    }
    return parts;
  };
  return block.render(write);
}

function renderMarkedPart(text: string, kind: WordPiece["kind"]): SafeHtml {
  if (kind === "added") return safeHtml`<ins>${text}</ins>`;
  return kind === "removed" ? safeHtml`<del>${text}</del>` : safeHtml`${text}`;
}

/** A top-level block of a page (e.g. a paragraph or a list), a tag around such blocks, or a frontmatter field. */
interface PageBlock {
  readonly kind: "field" | "tag" | "markdown";
  /** The block's source text, for comparison. */
  readonly source: string;
  readonly render: (write: WriteText) => SafeHtml;
}

const tagLine = /^\s*(?:<\/?[A-Za-z>][^<>]{0,300}\/?>\s*)+$|^(?:import|export)\s/;
const maxTagLength = 600;

/**
 * Returns the blocks of a Markdown or MDX page in the form that people read. Components are not rendered. Their tags
 * appear on separate lines, and the content between the tags is rendered as Markdown.
 */
function parsePageBlocks(page: string): readonly PageBlock[] {
  const source = page.replaceAll("\r\n", "\n");
  const blocks: PageBlock[] = readFrontmatterFields(source).map((field) =>
    createFieldBlock(field.key, getFieldText(source, field) ?? ""),
  );
  let textLines: string[] = [];
  let fence: OpenFence | undefined;
  function flushText(): void {
    blocks.push(...parseMarkdownBlocks(textLines));
    textLines = [];
  }
  for (const line of source.slice(findBodyStart(source)).split("\n")) {
    const fenceLine = readFenceLine(line, fence);
    fence = fenceLine.open;
    if (!fenceLine.isCode && line.length <= maxTagLength && tagLine.test(line)) {
      flushText();
      blocks.push(createTagBlock(line.trim()));
    } else {
      textLines.push(line);
    }
  }
  flushText();
  return blocks;
}

function createFieldBlock(key: string, value: string): PageBlock {
  const render = (write: WriteText): SafeHtml =>
    safeHtml`<p class="page-field"><span class="faint">${key}</span> ${write(value)}</p>`;
  return { kind: "field", source: `${key}: ${value}`, render };
}

function createTagBlock(line: string): PageBlock {
  const render = (write: WriteText): SafeHtml =>
    safeHtml`<p class="page-tag"><code>${write(line)}</code></p>`;
  return { kind: "tag", source: line, render };
}

/** Parses lines that share an indentation, such as those between two tags. */
function parseMarkdownBlocks(indented: readonly string[]): readonly PageBlock[] {
  const nonBlankLines = indented.filter((line) => line.trim() !== "");
  const indent = Math.min(...nonBlankLines.map((line) => line.length - line.trimStart().length));
  const lines = Number.isFinite(indent) ? indented.map((line) => line.slice(indent)) : [];
  return parseBlocks(lines.join("\n")).map((tokens): PageBlock => {
    const [from = 0, to = 0] = tokens[0]?.map ?? [];
    return {
      kind: "markdown",
      source: lines.slice(from, to).join("\n").trimEnd(),
      render: (write) => safeHtml`${renderTokens(tokens, write)}`,
    };
  });
}

/** Returns the concatenated text of a block in the order in which `render` writes it. */
function getBlockText(block: PageBlock): string {
  let blockText = "";
  block.render((text): HtmlValue => {
    blockText += text;
    return text;
  });
  return blockText;
}
