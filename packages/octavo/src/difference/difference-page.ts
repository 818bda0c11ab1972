import { readFile } from "node:fs/promises";
import type { DifferentPage, SiteDifference } from "./build-difference.ts";

/** The content of the bar on a marked page. */
export interface DifferenceView {
  readonly difference: SiteDifference;
  /** The page's file in the bundle. */
  readonly file: string;
  /** The address of a page, without a query. */
  readonly getAddress: (file: string) => string;
  /** The address of the folder with the style sheet and the script for the marks. */
  readonly assetsUrl: string;
  readonly layout: "inline" | "sides";
  /** The version with which the pages are compared, such as “the published version”. */
  readonly baseName: string;
}

/** Adds the bar, and links to its style sheet and script, to a marked page or a page without changes. */
export function addDifferenceBar(page: string, view: DifferenceView): string {
  const head = `<link rel="stylesheet" href="${escape(view.assetsUrl)}difference.css"><script defer src="${escape(view.assetsUrl)}difference.js"></script>`;
  const start = /<head\b[^>]*>(?:<meta charset="[^"]*">)?/i.exec(page);
  const headEnd = start ? start.index + start[0].length : 0;
  const withHead = page.slice(0, headEnd) + head + page.slice(headEnd);
  const end = withHead.toLowerCase().lastIndexOf("</body>");
  const bodyEnd = end < 0 ? withHead.length : end;
  return withHead.slice(0, bodyEnd) + renderBar(view) + withHead.slice(bodyEnd);
}

function renderBar({ difference, file, getAddress, layout, baseName }: DifferenceView): string {
  const currentPage = difference.pages.find((page) => page.file === file);
  const address = escape(getAddress(file));
  const count = currentPage?.changes ?? 0;
  const disabledAttribute = count > 0 ? "" : " disabled";
  const renderLayoutLink = (name: DifferenceView["layout"], text: string) =>
    `<a class="octavo-difference-sides" href="${address}?diff${name === "sides" ? "=sides" : ""}"${name === layout ? ' aria-current="true"' : ""}>${text}</a>`;
  const plainLink = currentPage?.kind === "removed" ? "" : `<a href="${address}">Plain page</a>`;
  return [
    `<div id="octavo-difference" role="region" aria-label="Changes" lang="en" dir="ltr" data-changes="${count}" data-view="${layout}">`,
    `<span id="octavo-difference-count" aria-live="polite">${describeCount(currentPage)}</span>`,
    `<button type="button" data-act="previous" aria-label="Previous change" aria-keyshortcuts="p k" title="Previous change (p)"${disabledAttribute}>${renderArrow("M4 10l4-4 4 4")}</button>`,
    `<button type="button" data-act="next" aria-label="Next change" aria-keyshortcuts="n j" title="Next change (n)"${disabledAttribute}>${renderArrow("M4 6l4 4 4-4")}</button>`,
    renderLayoutLink("inline", "Inline"),
    renderLayoutLink("sides", "Side by side"),
    renderList(difference, { file, getAddress, baseName }),
    plainLink,
    "</div>",
  ].join("");
}

function renderArrow(path: string): string {
  return `<svg viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${path}"/></svg>`;
}

function describeCount(page: DifferentPage | undefined): string {
  if (!page) return "No changes";
  if (page.kind !== "changed") return page.kind === "added" ? "New page" : "Deleted page";
  if (page.changes === null) return "Too large to compare";
  return formatNumber(page.changes, "change");
}

function formatNumber(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** The maximum number of pages that the bar lists. */
const maxBarPages = 500;

function renderList(
  { pages, omitted }: SiteDifference,
  { file, getAddress, baseName }: Pick<DifferenceView, "file" | "getAddress" | "baseName">,
): string {
  const items = pages.slice(0, maxBarPages).map((page) => {
    const current = page.file === file ? ' aria-current="page"' : "";
    const kind = page.kind === "changed" ? "" : ` data-difference="${page.kind}"`;
    return `<li><a href="${escape(getAddress(page.file))}?diff"${current}><span dir="auto">${escape(page.title)}</span><small${kind}>${describePage(page)}</small></a></li>`;
  });
  const hiddenCount = pages.length - items.length + omitted;
  const hiddenNote = hiddenCount > 0 ? `<p>${formatNumber(hiddenCount, "more page")}.</p>` : "";
  const list = items.length > 0 ? `<ul>${items.join("")}</ul>` : "";
  const total = formatNumber(pages.length + omitted, "changed page");
  return `<details><summary>${total}</summary><div><p>Compared with ${escape(baseName)}.</p>${list}${hiddenNote}</div></details>`;
}

function describePage({ kind, changes, formerFile }: DifferentPage): string {
  if (kind === "removed") return "deleted";
  if (kind === "added") return "new";
  const count = changes === null ? "not compared" : formatNumber(changes, "change");
  return formerFile === undefined ? count : `moved, ${count}`;
}

function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

const assetFiles: Readonly<Record<string, URL>> = {
  "difference.css": new URL("assets/difference.css", import.meta.url),
  "difference.js": new URL("assets/difference.js", import.meta.url),
};

/** Reads a file that pages with a bar load. Returns undefined for any other name. */
export async function readDifferenceAsset(name: string): Promise<string | undefined> {
  const url = Object.hasOwn(assetFiles, name) ? assetFiles[name] : undefined;
  return url && (await readFile(url, "utf8"));
}
