import { indexPages, findSamePage } from "@octavo/site";
import type { NavDivision, NavEntry, Site, SitePage } from "@octavo/site";
import { getBaseName } from "@octavo/site/core";
import { isGuide } from "../content.ts";
import { formatPathLabel, formatLabel } from "./quoted.ts";

/** A node of the site's map: a tab, a group or a folder. */
export interface MapNode {
  readonly label: string;
  /** The common folder of the node's pages, with a trailing slash; empty if they have no common folder. */
  readonly folder: string;
  /** The node's own pages, as the map names them. Generated pages are combined. */
  readonly items: readonly MapItem[];
  readonly children: readonly MapNode[];
  /** The number of pages, including the pages of all nodes below it. */
  readonly pageCount: number;
  /** The difference from the sibling that is shown, which replaces the node's content: `12 as in en; it adds faq`. */
  readonly difference?: string;
  /** Whether the node is shown only if there is room left. */
  readonly isShownLast?: true;
}

interface MapItem {
  readonly text: string;
  readonly pageCount: number;
}

const maxNamedPages = 6;
const maxTitleLength = 60;
const maxUngroupedPages = 24;

/** Builds the map's tree: the navigation, and the pages outside it by folder. */
export function buildMapTree(site: Site): MapNode {
  const pages = indexPages(site);
  const root = createDivisionNode({ site, pages }, site.navigation);
  const unlisted = listUnlistedPages(site);
  if (unlisted.length === 0) return root;
  const outsideNode = createOutsideNode(unlisted, listSiteLanguages(site));
  const children = [...root.children, outsideNode];
  return { ...root, children, pageCount: root.pageCount + outsideNode.pageCount };
}

/** Returns the pages that are not in the navigation, except guides for agents, which some sites show as pages. */
export function listUnlistedPages({ pages, configFile }: Site): readonly SitePage[] {
  const isPlain = configFile === "none";
  return pages.filter(
    ({ positions, file }) => positions.length === 0 && !isGuide(file, { isPlain }),
  );
}

interface MapSource {
  readonly site: Site;
  readonly pages: ReadonlyMap<string, SitePage>;
}

function createDivisionNode(source: MapSource, division: NavDivision): MapNode {
  const { kind, label, isDefault, href } = division;
  const directPages = listDirectPages(division.entries, source.pages);
  const divisionLabel =
    kind === "root" ? "" : `[${kind}] ${formatLabel(label)}${isDefault ? " (default)" : ""}`;
  return createNode({
    label: href === undefined ? divisionLabel : `${divisionLabel} → ${formatPathLabel(href)}`,
    pages: directPages,
    children: [
      ...createDivisionNodes(source, division.divisions),
      ...createGroupNodes(source, division.entries),
    ],
  });
}

/** The division that is shown, and one that is described by its difference. */
type Variants = readonly [shown: NavDivision, other: NavDivision];

/** Shows one of several languages or versions. The others are described by their differences from it. */
function createDivisionNodes(source: MapSource, divisions: readonly NavDivision[]): MapNode[] {
  return divisions.map((division) => {
    const node = createDivisionNode(source, division);
    const isVariant = division.kind === "language" || division.kind === "version";
    const siblings = divisions.filter(({ kind }) => kind === division.kind);
    const shownDivision = siblings.find(({ isDefault }) => isDefault) ?? siblings[0];
    if (!isVariant || !shownDivision || shownDivision === division) return node;
    return createVariantNode(source, node, [shownDivision, division]);
  });
}

function createVariantNode(source: MapSource, node: MapNode, [shown, other]: Variants): MapNode {
  const { site, pages } = source;
  const [matched, missing] = [new Set<string>(), [] as SitePage[]];
  const shownPages = new Set(listAllPages(shown, pages));
  for (const page of shownPages) {
    const counterpart = findSamePage(site, page, other);
    if (counterpart === undefined) missing.push(page);
    else matched.add(counterpart);
  }
  const otherPages = [...new Set(listAllPages(other, pages))];
  const added = otherPages.filter(({ path }) => !matched.has(path));
  const unsharedPages = otherPages.filter((page) => !shownPages.has(page));
  const folder = findCommonFolder(unsharedPages.map(({ path }) => getFolder(path)));
  const difference = [
    `${matched.size === otherPages.length && missing.length === 0 ? "the same" : matched.size} as in ${formatLabel(shown.label)}`,
    ...listShownNames("it lacks", missing),
    ...listShownNames("it adds", added),
  ].join("; ");
  return { ...node, folder, items: [], children: [], difference };
}

/** Lists pages without their common folder. */
function listShownNames(label: string, pages: readonly SitePage[]): string[] {
  if (pages.length === 0) return [];
  const writtenPages = pages.filter(({ isGenerated }) => !isGenerated);
  const folder = findCommonFolder(writtenPages.map(({ path }) => getFolder(path)));
  const names = writtenPages
    .slice(0, maxNamedPages)
    .map(({ path }) => formatPathLabel(path.slice(folder.length)));
  const omittedCount = writtenPages.length - names.length;
  if (omittedCount > 0) names.push(`${omittedCount} more`);
  if (writtenPages.length < pages.length)
    names.push(`${pages.length - writtenPages.length} generated`);
  return [`${label} ${names.join(", ")}`];
}

function listAllPages(division: NavDivision, pages: MapSource["pages"]): SitePage[] {
  const nestedPages = division.divisions.flatMap((child) => listAllPages(child, pages));
  return [...listEntryPages(division.entries, pages), ...nestedPages];
}

function listEntryPages(entries: readonly NavEntry[], pages: MapSource["pages"]): SitePage[] {
  return entries.flatMap((entry) => {
    if (entry.type === "group")
      return [...findRootPages(entry, pages), ...listEntryPages(entry.entries, pages)];
    return entry.type === "page" ? findPage(entry.path, pages) : [];
  });
}

function createGroupNodes(source: MapSource, entries: readonly NavEntry[]): MapNode[] {
  return entries.flatMap((entry) => {
    if (entry.type !== "group") return [];
    const groupPages = [
      ...findRootPages(entry, source.pages),
      ...listDirectPages(entry.entries, source.pages),
    ];
    const children = createGroupNodes(source, entry.entries);
    return [createNode({ label: formatLabel(entry.label), pages: groupPages, children })];
  });
}

function listDirectPages(entries: readonly NavEntry[], pages: MapSource["pages"]): SitePage[] {
  return entries.flatMap((entry) => (entry.type === "page" ? findPage(entry.path, pages) : []));
}

function findRootPages(
  { root }: { readonly root?: string },
  pages: MapSource["pages"],
): SitePage[] {
  return root === undefined ? [] : findPage(root, pages);
}

function findPage(path: string, pages: MapSource["pages"]): SitePage[] {
  const page = pages.get(path);
  return page ? [page] : [];
}

/**
 * Creates the node of the pages outside the navigation. Many pages are grouped by folder; translations are only
 * counted.
 */
function createOutsideNode(unlisted: readonly SitePage[], languages: ReadonlySet<string>): MapNode {
  const label = "Pages outside the navigation";
  const isUntranslated = ({ path }: SitePage) => !languages.has(path.slice(0, path.indexOf("/")));
  const [pages, translations] = [
    unlisted.filter(isUntranslated),
    unlisted.filter((page) => !isUntranslated(page)),
  ];
  const translationNodes = translations.length === 0 ? [] : [createTranslationsNode(translations)];
  if (pages.length <= maxUngroupedPages) {
    return { ...createNode({ label, pages, children: translationNodes }), isShownLast: true };
  }
  const folders = Map.groupBy(pages, ({ path }) => path.slice(0, path.indexOf("/") + 1));
  const children = Array.from(folders, ([folder, own]) =>
    createNode({
      label: folder === "" ? "At the root" : formatPathLabel(folder),
      pages: own,
      children: [],
    }),
  );
  return {
    ...createNode({ label, pages: [], children: [...children, ...translationNodes] }),
    isShownLast: true,
  };
}

function createTranslationsNode(pages: readonly SitePage[]): MapNode {
  const folders = new Set(pages.map(({ path }) => path.slice(0, path.indexOf("/") + 1)));
  const label = `Translations in ${[...folders].join(", ")}`;
  return { ...createNode({ label, pages, children: [] }), items: [], folder: "" };
}

interface NodeContent {
  readonly label: string;
  readonly pages: readonly SitePage[];
  readonly children: readonly MapNode[];
}

function createNode({ label, pages, children }: NodeContent): MapNode {
  const uniquePages = [...new Set(pages)];
  const ownFolders = uniquePages.map(({ path }) => getFolder(path));
  const childFolders = children
    .filter(({ pageCount }) => pageCount > 0)
    .map(({ folder }) => folder);
  const folder = findCommonFolder(ownFolders.length > 0 ? ownFolders : childFolders);
  const count = children.reduce((sum, { pageCount }) => sum + pageCount, uniquePages.length);
  return { label, folder, items: listItems(uniquePages, folder), children, pageCount: count };
}

function listItems(pages: readonly SitePage[], folder: string): MapItem[] {
  const writtenPages = pages.filter(({ isGenerated }) => !isGenerated);
  const generated = Map.groupBy(
    pages.filter(({ isGenerated }) => isGenerated),
    ({ file }) => file,
  );
  return [
    ...writtenPages.map((page) => ({ text: formatPageText(page, folder), pageCount: 1 })),
    ...Array.from(generated, ([file, { length }]) => ({
      text: `${length} generated from ${formatPathLabel(file)}`,
      pageCount: length,
    })),
  ];
}

/** Returns a page's path relative to its group's folder, with the title if the path does not express it. */
function formatPageText({ path, title }: SitePage, folder: string): string {
  const name = path.startsWith(folder) ? path.slice(folder.length) : `/${path}`;
  const baseName = getBaseName(path);
  return matchesTitle(baseName, title)
    ? formatPathLabel(name)
    : `${formatPathLabel(name)} "${formatLabel(title, maxTitleLength).replaceAll('"', "'")}"`;
}

/** Reports whether a name contains all words of a title, apart from short words. */
function matchesTitle(name: string, title: string): boolean {
  const normalizedName = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
  const longWords = (title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter(
    ({ length }) => length > 3,
  );
  const isShort = longWords.length === 0;
  return isShort
    ? normalizedName === title.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "")
    : longWords.every((word) => normalizedName.includes(word.replace(/s$/, "")));
}

function getFolder(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

function findCommonFolder(folders: readonly string[]): string {
  const [first = ""] = folders;
  let common = first;
  while (common !== "" && !folders.every((folder) => folder.startsWith(common))) {
    common = getFolder(common.slice(0, -1));
  }
  return common;
}

/** Returns the codes of the languages that the navigation switches between, except the default language. */
export function listSiteLanguages(site: Site): ReadonlySet<string> {
  const languages = new Set<string>();
  const queue: NavDivision[] = [site.navigation];
  for (let division = queue.pop(); division; division = queue.pop()) {
    for (const { kind, label, isDefault } of division.divisions) {
      if (kind === "language" && !isDefault) languages.add(label);
    }
    queue.push(...division.divisions);
  }
  return languages;
}
