import type { Site, SitePage } from "@octavo/site";
import type { ChangedFile } from "./changes/text-changes.ts";
import { listUnlistedPages } from "./prompt/map-tree.ts";
import {
  formatBoundedList,
  formatInertCode,
  formatInertLink,
} from "./pull-request/sanitize-markdown.ts";
import type { SiteView } from "./site-view.ts";

interface ChangedPagesInput {
  /** Paths from the repository's root. */
  readonly changes: readonly ChangedFile[];
  readonly pages: SitePages;
  /** The site's folder in the repository; `.` for the root. */
  readonly directory: string;
  /** Returns the address of a page in the preview. */
  readonly previewUrl?: ((page: string) => string) | undefined;
}

const listLength = 8_000;
const unlistedLength = 2_000;
const titleLength = 100;
const pathLength = 250;
const titlesShown = 5;

/** The path and title by which readers know a page. */
export type PageName = Pick<SitePage, "path" | "title">;

/** The pages that readers see from a site's files. Paths of files are relative to the site's folder. */
export interface SitePages {
  /** The page of each file, including files that the work removed. */
  readonly byFile: ReadonlyMap<string, PageName>;
  /** Titles of the pages that use a file that is not a page itself, such as a snippet. */
  readonly shownOn: ReadonlyMap<string, readonly string[]>;
  /** The files of pages that no navigation names although their frontmatter does not hide them. */
  readonly unlisted: ReadonlySet<string>;
}

export const emptySitePages: SitePages = {
  byFile: new Map(),
  shownOn: new Map(),
  unlisted: new Set(),
};

/** Returns the files of new pages that no navigation names. Paths of changes are relative to the site's folder. */
export function listNewUnlisted(
  changes: readonly ChangedFile[],
  { unlisted }: SitePages,
): readonly string[] {
  const added = changes.filter(({ kind }) => kind === "added");
  return added.flatMap(({ path }) => (unlisted.has(path) ? [path] : []));
}

/** Lists the new pages of a branch that no navigation names; empty if there are none. */
export function formatUnlistedPages({ changes, pages, directory }: ChangedPagesInput): string {
  const inSite = changes.map((change) => ({ ...change, path: fileInSite(change.path, directory) }));
  const files = listNewUnlisted(inSite, pages);
  if (files.length === 0) return "";
  const lines = files.map((file) => formatInertCode(file, pathLength));
  const list = formatBoundedList(lines, {
    maxLength: unlistedLength,
    total: lines.length,
    rest: "more",
  });
  return `No navigation names these new pages, so readers find them only by search or links:\n\n${list}`;
}

/** Lists the changes page by page. Files that are not pages come last, together with the pages that show them. */
export function formatChangedPages(input: ChangedPagesInput): string {
  const { changes, pages, directory } = input;
  const pageLines: string[] = [];
  const fileLines: string[] = [];
  for (const change of changes) {
    const page = pages.byFile.get(fileInSite(change.path, directory));
    if (page) pageLines.push(pageLine(input, change, page));
    else fileLines.push(fileLine(input, change));
  }
  const parts = [
    section("Pages", pageLines, "more pages"),
    section("Other files", fileLines, "more files"),
  ].filter((part) => part !== "");
  return parts.length === 0 ? "Nothing." : parts.join("\n\n");
}

function section(title: string, lines: readonly string[], rest: string): string {
  if (lines.length === 0) return "";
  const list = formatBoundedList(lines, { maxLength: listLength, total: lines.length, rest });
  return `**${title}** (${lines.length})\n\n${list}`;
}

/** Returns the path within the site. A file outside the site's folder does not belong to any page. */
function fileInSite(path: string, directory: string): string {
  if (directory === ".") return path;
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : "";
}

const kindWords = {
  added: "New",
  modified: "Changed",
  deleted: "Removed",
  moved: "Moved",
} as const;

function pageLine(
  { pages, directory, previewUrl }: ChangedPagesInput,
  { path, kind, from }: ChangedFile,
  page: PageName,
): string {
  const isThere = kind !== "deleted";
  const title =
    previewUrl && isThere
      ? formatInertLink(page.title, previewUrl(page.path), titleLength)
      : formatInertCode(page.title, titleLength);
  const address = formatInertCode(toPageAddress(page.path), pathLength);
  const file = formatInertCode(path, pathLength);
  if (from === undefined) return `${kindWords[kind]}: ${title} at ${address}, in ${file}`;
  const before = pages.byFile.get(fileInSite(from, directory));
  const oldAddress = before
    ? formatInertCode(toPageAddress(before.path), pathLength)
    : formatInertCode(from, pathLength);
  return `${kindWords[kind]}: ${title} from ${oldAddress} to ${address}, in ${file}`;
}

function toPageAddress(page: string): string {
  return page === "index" ? "/" : `/${page}`;
}

function fileLine(
  { pages, directory }: ChangedPagesInput,
  { path, kind, from }: ChangedFile,
): string {
  const origin = from === undefined ? "" : `${formatInertCode(from, pathLength)} to `;
  const line = `${kindWords[kind]}: ${origin}${formatInertCode(path, pathLength)}`;
  const titles = pages.shownOn.get(fileInSite(path, directory)) ?? [];
  if (titles.length === 0) return line;
  const shown = titles.slice(0, titlesShown).map((title) => formatInertCode(title, titleLength));
  const rest = titles.length - shown.length;
  return `${line}, shown on ${shown.join(", ")}${rest > 0 ? ` and ${rest} more pages` : ""}`;
}

/**
 * Describes the pages. `before` and `after` are the site before and after the work; undefined if there was no valid
 * site.
 */
export function describePages(
  view: SiteView,
  before: Site | undefined,
  after: Site | undefined,
): SitePages {
  const byFile = new Map<string, PageName>();
  const titles = new Map<string, string>();
  for (const { file, path, title } of before?.pages ?? []) byFile.set(file, { path, title });
  for (const { file, path, title } of after?.pages ?? []) {
    byFile.set(file, { path, title });
    titles.set(path, title);
  }
  const shownOn = new Map<string, readonly string[]>();
  for (const [file, paths] of view.pagesOfFiles()) {
    if (byFile.has(file)) continue;
    shownOn.set(file, paths.flatMap((path) => titles.get(path) ?? []).toSorted());
  }
  return { byFile, shownOn, unlisted: findUnlisted(after) };
}

function findUnlisted(site: Site | undefined): ReadonlySet<string> {
  const pages = site ? listUnlistedPages(site) : [];
  const shown = pages.filter(({ frontmatter }) => frontmatter.hidden !== true);
  return new Set(shown.map(({ file }) => file));
}
