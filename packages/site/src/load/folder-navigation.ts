import { createTitleFromPath, type NavEntry } from "../site/index.ts";
import { compareCodeUnits, getBaseName } from "../core/index.ts";
import { createPageEntry, type PageUse, type NavigationResult } from "./read-navigation.ts";
import { stripOrderNumber, type PageSource } from "./read-pages.ts";

interface Folder {
  readonly path: string;
  readonly folders: Map<string, Folder>;
  readonly pages: PageSource[];
}

/**
 * Creates the navigation of a folder without configuration. Folders become groups, and pages become their entries. In
 * each folder, the index comes first, then numbered names (`02-install`), then the other names in alphabetical order. A
 * group's name links to the index of its folder.
 */
export function buildFolderNavigation(pages: readonly PageSource[]): NavigationResult {
  const uses = new Map<string, PageUse[]>();
  const root = createFolder("");
  for (const page of pages) ensureFolder(root, page.path).pages.push(page);
  const entries = buildEntries(root, [], uses);
  return {
    root: { kind: "root", label: "", hidden: false, isDefault: true, divisions: [], entries },
    uses,
  };
}

function createFolder(path: string): Folder {
  return { path, folders: new Map(), pages: [] };
}

function ensureFolder(root: Folder, path: string): Folder {
  let folder = root;
  for (const name of path.split("/").slice(0, -1)) {
    let next = folder.folders.get(name);
    if (!next) {
      next = createFolder(folder.path === "" ? name : `${folder.path}/${name}`);
      folder.folders.set(name, next);
    }
    folder = next;
  }
  return folder;
}

type Uses = Map<string, PageUse[]>;

function buildEntries(folder: Folder, position: readonly number[], uses: Uses): NavEntry[] {
  const isIndex = (item: Folder | PageSource) =>
    "file" in item && getBaseName(item.path) === "index";
  const items = [...folder.pages, ...folder.folders.values()]
    .filter((item) => folder.path === "" || !isIndex(item))
    .toSorted(compareItems);
  const entries: NavEntry[] = [];
  for (const item of items) {
    const entryPosition = [...position, entries.length];
    const entry =
      "file" in item
        ? addPageEntry(item, entryPosition, uses)
        : createGroupEntry(item, entryPosition, uses);
    if (entry) entries.push(entry);
  }
  return entries;
}

function addPageEntry(
  page: PageSource,
  position: readonly number[],
  uses: Uses,
): NavEntry | undefined {
  const isShown = page.frontmatter.hidden !== true;
  uses.set(page.path, [
    {
      position: { divisions: [], entries: isShown ? position : [] },
      hidden: false,
      discoverable: true,
      searchable: true,
    },
  ]);
  if (!isShown) return undefined;
  return createPageEntry(page);
}

function createGroupEntry(
  folder: Folder,
  position: readonly number[],
  uses: Uses,
): NavEntry | undefined {
  const index = folder.pages.find((page) => getBaseName(page.path) === "index");
  const root = index && addPageEntry(index, position, uses);
  const entries = buildEntries(folder, position, uses);
  if (entries.length === 0 && !root) return undefined;
  return {
    type: "group",
    label: createTitleFromPath(stripOrderNumber(folder.path)),
    ...(root?.type === "page" ? { root: root.path } : {}),
    expanded: false,
    hidden: false,
    entries,
  };
}

function compareItems(a: Folder | PageSource, b: Folder | PageSource): number {
  const [nameA, nameB] = [getBaseName(a.path), getBaseName(b.path)];
  return (
    getOrderNumber(nameA) - getOrderNumber(nameB) ||
    compareCodeUnits(nameA.toLowerCase(), nameB.toLowerCase()) ||
    compareCodeUnits(nameA, nameB)
  );
}

function getOrderNumber(name: string): number {
  if (name === "index" || name.toLowerCase() === "readme") return -1;
  const digits = /^(\d{1,6})(?:[-_. ]|$)/.exec(name)?.[1];
  return digits === undefined ? Number.MAX_SAFE_INTEGER : Number(digits);
}
