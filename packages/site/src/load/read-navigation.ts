import { cleanRelativePath, limits, omitUndefined, type ProblemLog } from "../core/index.ts";
import { createSuggestions, listOuterEntries } from "../site/index.ts";
import type { NavDivision, NavEntry, NavPosition } from "../site/index.ts";
import {
  findJsonItems,
  findJsonMembers,
  findJsonText,
  locateJsonNode,
  type JsonNode,
} from "../text/index.ts";
import type { PageGroup } from "./api/api-pages.ts";
import { apiKeys, type ApiSource } from "./api/api-source.ts";
import type { SiteApi } from "./api/index.ts";
import type { PageSource } from "./read-pages.ts";
import { readOverrides } from "./site-config.ts";
import { NavigationText } from "./navigation-text.ts";

/** One position of a page in the navigation, with the settings that it inherits there. */
export interface PageUse {
  readonly position: NavPosition;
  readonly hidden: boolean;
  /** Whether the page is in search and in the sitemap although it is hidden: `searchable: true` on a hidden level. */
  readonly discoverable: boolean;
  readonly searchable: boolean;
  readonly boost?: number;
  readonly language?: string;
  readonly version?: string;
  /** The `openapi` value of the nearest level that has one. */
  readonly openapi?: ApiSource;
}

export interface NavigationResult {
  readonly root: NavDivision;
  /** The uses of each page, by `SitePage.path`, in the order of the navigation. */
  readonly uses: ReadonlyMap<string, readonly PageUse[]>;
}

interface NavigationOptions {
  /** The pages, by path. */
  readonly pages: ReadonlyMap<string, PageSource>;
  readonly problems: ProblemLog;
  readonly api: SiteApi;
  /** Reports whether the ignore rules exclude the path of a missing page. */
  readonly isIgnored: (path: string) => boolean;
}

/** The keys of division lists, each with the key of an item's name. */
const divisionLists = [
  ["languages", "language"],
  ["versions", "version"],
  ["products", "product"],
  ["tabs", "tab"],
  ["dropdowns", "dropdown"],
  ["anchors", "anchor"],
  ["menu", "item"],
] as const;
type DivisionKind = (typeof divisionLists)[number][1];
const divisionKinds: ReadonlyMap<string, DivisionKind> = new Map(divisionLists);

/** The keys that request pages generated from descriptions of unsupported kinds. */
const unsupportedKeys = ["graphql", "sdk"] as const;
const nameKeys = [...divisionKinds.values(), "group"];
/**
 * The keys of an element's own content. An element with content of its own gets pages only for operations that it
 * names.
 */
const contentKeys = [...divisionKinds.keys(), "groups", "pages"];

/**
 * Reads `navigation` in all its forms. Reports an entry whose page does not exist as an error and omits it. Also omits
 * levels that are empty as a result.
 */
export function readNavigation(
  node: JsonNode | undefined,
  options: NavigationOptions,
): NavigationResult {
  const reader = new NavigationReader(options);
  return { root: reader.readRoot(node), uses: reader.uses };
}

/** The settings that a level inherits, and the indexes that lead to it. */
interface Level extends Omit<PageUse, "position"> {
  readonly divisions: readonly number[];
}

/** The position of an entry: the level of its division, and the indexes within the division. */
interface EntryLevel {
  readonly level: Level;
  readonly entries: readonly number[];
}

type Members = ReadonlyMap<string, JsonNode>;

/** The content of a division while it is being read. */
interface Contents {
  readonly divisions: NavDivision[];
  readonly entries: NavEntry[];
}

/** The codes of problems with files that exist but are not read. */
const unreadCodes: ReadonlySet<string> = new Set([
  "link_outside",
  "link_unused",
  "page_unreadable",
]);

const absentReason = "does not exist";

class NavigationReader {
  readonly uses = new Map<string, PageUse[]>();
  readonly #options: NavigationOptions;
  /** The search for similar names, which is created for the first missing page. */
  #suggest: ReturnType<typeof createSuggestions> | undefined;
  /** The number of uses of pages that show operations or schemas. */
  #apiPageUses = 0;
  readonly #texts: NavigationText;

  constructor(options: NavigationOptions) {
    this.#options = options;
    this.#texts = new NavigationText(options.problems);
  }

  readRoot(node: JsonNode | undefined): NavDivision {
    const level: Level = { divisions: [], hidden: false, discoverable: true, searchable: true };
    const contents: Contents = { divisions: [], entries: [] };
    const members = findJsonMembers(node);
    if (node && findJsonItems(node))
      this.#readEntries(node, contents.entries, { level, entries: [] });
    else if (node) {
      this.#readContents(node, contents, members ? this.#createLevel(members, level) : level);
    }
    const directory = node && this.#texts.readDirectory(node);
    return omitUndefined({
      kind: "root",
      label: "",
      hidden: false,
      isDefault: true,
      ...contents,
      directory,
    });
  }

  #readContents(node: JsonNode, contents: Contents, level: Level): void {
    const members = findJsonMembers(node);
    if (!members) {
      this.#reportInvalid(node, "Navigation must be an object or a list");
      return;
    }
    const apiPages = this.#apiPageUses;
    const kinds: string[] = [];
    for (const [key, child] of members) {
      const previousCount = contents.divisions.length;
      if (divisionKinds.has(key)) this.#readDivisions(key, child, { contents, level });
      const hasPages = contents.divisions
        .slice(previousCount)
        .some(({ href }) => href === undefined);
      if (isSidebarKey(key)) {
        this.#readEntries(child, contents.entries, { level, entries: [] });
        if (contents.entries.length > 0) this.#addKind(key, child, kinds);
      } else if (hasPages) {
        this.#addKind(key, child, kinds);
      }
    }
    if (this.#apiPageUses === apiPages) this.#warnOfUnusedDescription(members);
    this.#addGeneratedPages(node, contents.entries, { level, entries: [] });
    if (kinds.length > 1) this.#warnOfOuterEntries(node, contents.entries);
    // Global divisions come after the level's own content.
    const global = members.get("global");
    for (const [key, child] of findJsonMembers(global) ?? []) {
      if (divisionKinds.has(key)) this.#readDivisions(key, child, { contents, level });
    }
  }

  /** Records a kind of child that has its own pages. Reports it if the level already has a different kind. */
  #addKind(key: string, node: JsonNode, kinds: string[]): void {
    const [first] = kinds;
    kinds.push(key);
    if (first === undefined || (isSidebarKey(first) && isSidebarKey(key))) return;
    const message = `"${key}" and "${first}" are at the same level of the navigation, but a level can have only one kind of children. Both are shown as unrelated lists. Put one inside the other.`;
    this.#options.problems.warn("navigation_mixed", message, locateJsonNode(node));
  }

  /**
   * Reports groups and pages next to divisions if they are so many that pages in the divisions cannot link to all of
   * them.
   */
  #warnOfOuterEntries(node: JsonNode, entries: readonly NavEntry[]): void {
    const { length } = listOuterEntries(entries);
    if (length <= limits.outerEntries) return;
    const message = `This level of the navigation lists ${length} groups and pages beside other elements with pages, such as tabs; the pages in those link to only the first ${limits.outerEntries}. Put the groups and pages into an element of their own.`;
    this.#options.problems.warn("navigation_mixed", message, locateJsonNode(node));
  }

  /** Reports an `openapi` next to children that do not show any operation. */
  #warnOfUnusedDescription(members: Members): void {
    const node = members.get("openapi");
    const key = contentKeys.find((name) => (findJsonItems(members.get(name)) ?? []).length > 0);
    if (!node || key === undefined) return;
    const message = `"openapi" has no effect here, because "${key}" is at the same level and does not name any operations. Name operations, such as "GET /plants", in "pages", or put "openapi" into a group without "pages".`;
    this.#options.problems.warn("navigation_mixed", message, locateJsonNode(node));
  }

  #readDivisions(key: string, list: JsonNode, parent: { contents: Contents; level: Level }): void {
    const kind = divisionKinds.get(key);
    const items = findJsonItems(list);
    if (!kind || !items) {
      this.#reportInvalid(list, `"${key}" must be a list`);
      return;
    }
    const siblings: NavDivision[] = [];
    for (const item of items) {
      const position = [
        ...parent.level.divisions,
        parent.contents.divisions.length + siblings.length,
      ];
      const division = this.#readDivision(kind, item, { ...parent.level, divisions: position });
      if (division) siblings.push(division);
    }
    for (const division of markDefaultDivision(siblings)) parent.contents.divisions.push(division);
  }

  #readDivision(kind: DivisionKind, node: JsonNode, outerLevel: Level): NavDivision | undefined {
    const members = findJsonMembers(node);
    if (!members) {
      this.#reportInvalid(node, `Each ${kind} must be an object`);
      return undefined;
    }
    const label = this.#texts.readLabel(node, kind);
    const level: Level = {
      ...this.#createLevel(members, outerLevel),
      ...(kind === "language" ? { language: label } : {}),
      ...(kind === "version" ? { version: label } : {}),
    };
    const contents: Contents = { divisions: [], entries: [] };
    this.#readContents(node, contents, level);
    const isEmpty = contents.divisions.length === 0 && contents.entries.length === 0;
    const href = isEmpty ? this.#texts.readAddress(node) : undefined;
    if (isEmpty && href === undefined) {
      this.#reportEmpty(node, kind, label);
      return undefined;
    }
    return omitUndefined({
      kind,
      label,
      ...this.#texts.readDecoration(node),
      href,
      hidden: isHidden(members),
      isDefault: members.get("default")?.value === true,
      ...contents,
      directory: this.#texts.readDirectory(node),
      overrides: kind === "language" ? readOverrides(node, this.#options.problems) : undefined,
    });
  }

  #readEntries(list: JsonNode, target: NavEntry[], parent: EntryLevel): void {
    const items = findJsonItems(list);
    if (!items) {
      this.#reportInvalid(list, '"pages" and "groups" must be lists');
      return;
    }
    const listed = new Set<string>();
    for (const item of items) {
      const entries = [...parent.entries, target.length];
      const text = findJsonText(item);
      if (text !== undefined) this.#readPageEntry(item, target, { ...parent, entries, listed });
      else this.#readGroupEntry(item, target, { ...parent, entries });
    }
  }

  #readPageEntry(
    node: JsonNode,
    target: NavEntry[],
    parent: EntryLevel & { listed: Set<string> },
  ): void {
    const text = findJsonText(node) ?? "";
    if (/^https?:\/\//i.test(text)) {
      target.push({ type: "link", label: text, href: text });
      return;
    }
    const { api } = this.#options;
    const page = api.isOperation(text)
      ? api.findOperationPage(node, parent.level.openapi)
      : this.#findPage(text, node);
    if (!page) return;
    if (parent.listed.has(page.path)) {
      const message = `The page "${page.path}" is listed more than once here; the first entry is used.`;
      this.#options.problems.warn("navigation_duplicate", message, locateJsonNode(node));
      return;
    }
    parent.listed.add(page.path);
    if (this.#recordUse(page, parent.level, parent.entries)) target.push(createPageEntry(page));
  }

  /** Records the use of a page. Returns false if the page hides itself and must not get an entry. */
  #recordUse(page: PageSource, level: Level, entries: readonly number[]): boolean {
    const isShown = page.frontmatter.hidden !== true;
    const { openapi, "openapi-schema": model } = page.frontmatter;
    if ((openapi ?? model) !== undefined) this.#apiPageUses += 1;
    const { divisions, ...options } = level;
    const use: PageUse = { ...options, position: { divisions, entries: isShown ? entries : [] } };
    const uses = this.uses.get(page.path);
    if (uses) uses.push(use);
    else this.uses.set(page.path, [use]);
    return isShown;
  }

  #readGroupEntry(node: JsonNode, target: NavEntry[], parent: EntryLevel): void {
    const members = findJsonMembers(node);
    if (!members) {
      this.#reportInvalid(node, "An entry of the navigation must be a page or a group");
      return;
    }
    const list = members.get("pages") ?? members.get("groups");
    const hasApiPages = apiKeys.some((key) => members.has(key));
    const href = list || hasApiPages ? undefined : this.#texts.readAddress(node);
    if (href === undefined) {
      this.#readGroup(node, members, target, parent);
      return;
    }
    const { icon, iconType, tag } = this.#texts.readDecoration(node);
    const label = this.#texts.readLabel(node, "group");
    target.push(omitUndefined({ type: "link", label, href, icon, iconType, tag }));
  }

  #readGroup(node: JsonNode, members: Members, target: NavEntry[], parent: EntryLevel): void {
    const label = this.#texts.readLabel(node, "group");
    const level = this.#createLevel(members, parent.level);
    const rootNode = members.get("root");
    const rootPage = rootNode && this.#findPage(findJsonText(rootNode) ?? "", rootNode);
    const isRootShown = rootPage !== undefined && this.#recordUse(rootPage, level, parent.entries);
    const entries: NavEntry[] = [];
    const apiPages = this.#apiPageUses;
    for (const key of ["pages", "groups"]) {
      const list = members.get(key);
      if (list) this.#readEntries(list, entries, { level, entries: parent.entries });
    }
    if (this.#apiPageUses === apiPages) this.#warnOfUnusedDescription(members);
    this.#addGeneratedPages(node, entries, { level, entries: parent.entries });
    if (entries.length === 0 && !isRootShown) {
      this.#reportEmpty(node, "group", label);
      return;
    }
    const { icon, iconType, tag } = this.#texts.readDecoration(node);
    target.push(
      omitUndefined({
        type: "group",
        label,
        icon,
        iconType,
        tag,
        root: isRootShown ? rootPage.path : undefined,
        directory: this.#texts.readDirectory(node),
        expanded: isExpanded(members),
        hidden: isHidden(members),
        entries,
      }),
    );
  }

  #createLevel(members: Members, outerLevel: Level): Level {
    const isHiddenHere = isHidden(members);
    const searchable = members.get("searchable")?.value;
    const boost = members.get("boost")?.value;
    const hasSearchable = typeof searchable === "boolean";
    this.#warnOfRestrictedAccess(members.get("public"));
    return {
      ...outerLevel,
      hidden: outerLevel.hidden || isHiddenHere,
      discoverable: isHiddenHere
        ? searchable === true
        : outerLevel.discoverable || searchable === true,
      searchable: hasSearchable ? searchable : outerLevel.searchable,
      ...(typeof boost === "number" && boost >= 0 ? { boost } : {}),
      ...(members.has("openapi") ? this.#readOpenapi(members) : {}),
    };
  }

  #readOpenapi(members: Members): { openapi?: ApiSource } {
    return omitUndefined({ openapi: this.#options.api.sourceOf(members, "openapi") });
  }

  /**
   * Adds the pages that are generated from the descriptions that an element names. Always adds pages of channels; adds
   * pages of operations only if the element has no other content.
   */
  #addGeneratedPages(node: JsonNode, target: NavEntry[], parent: EntryLevel): void {
    const members = findJsonMembers(node);
    if (!members) return;
    const { api } = this.#options;
    const isEmpty = contentKeys.every(
      (key) => (findJsonItems(members.get(key)) ?? []).length === 0,
    );
    const sources = [
      isEmpty && members.has("openapi") ? parent.level.openapi : undefined,
      api.sourceOf(members, "asyncapi"),
    ];
    const [label = "API reference"] = nameKeys.flatMap(
      (key) => findJsonText(members.get(key)) ?? [],
    );
    for (const source of sources) {
      for (const group of source ? api.groupsOf(source, label) : [])
        this.#addGroup(group, target, parent);
    }
  }

  #addGroup({ label, pages }: PageGroup, target: NavEntry[], parent: EntryLevel): void {
    const entries: NavEntry[] = [];
    const list = label === undefined ? target : entries;
    const outerLevel = label === undefined ? parent.entries : [...parent.entries, target.length];
    for (const page of pages) {
      if (this.#recordUse(page, parent.level, [...outerLevel, list.length]))
        list.push(createPageEntry(page));
    }
    if (label === undefined || entries.length === 0) return;
    target.push({ type: "group", label, expanded: false, hidden: false, entries });
  }

  #warnOfRestrictedAccess(node: JsonNode | undefined): void {
    if (node?.value !== false) return;
    const message = `"public" has no effect: anyone who has the bundle can read these pages.`;
    this.#options.problems.warn("access_not_restricted", message, locateJsonNode(node));
  }

  /** Finds the page that an entry names: `guides/start`, `/guides/start.mdx`, or `guides` for the index of a folder. */
  #findPage(text: string, node: JsonNode): PageSource | undefined {
    const { pages, problems } = this.#options;
    const path = cleanRelativePath(text.trim());
    if (path === undefined) {
      const message = `${JSON.stringify(text.slice(0, 200))} is not a path in this site.`;
      problems.fail("page_missing", message, locateJsonNode(node));
      return undefined;
    }
    const pagePath = path.replace(/\.mdx?$/, "");
    const page =
      pages.get(path) ??
      pages.get(pagePath) ??
      pages.get(pagePath === "" ? "index" : `${pagePath}/index`);
    if (page) return page;
    const reason = this.#explainMissing(pagePath);
    const hint = reason === absentReason ? this.#suggestPage(pagePath) : "";
    const message = `The page "${pagePath.slice(0, 200)}" in the navigation ${reason}.${hint}`;
    problems.fail("page_missing", message, locateJsonNode(node));
    return undefined;
  }

  #explainMissing(pagePath: string): string {
    const { problems, isIgnored } = this.#options;
    if (isIgnored(pagePath)) return "is excluded by the site's ignore rules";
    const files = new Set([".md", ".mdx", "/index.md", "/index.mdx"].map((end) => pagePath + end));
    const isUnread = problems
      .listSorted()
      .some(({ code, file }) => unreadCodes.has(code) && files.has(file));
    return isUnread ? "cannot be read" : absentReason;
  }

  #suggestPage(pagePath: string): string {
    this.#suggest ??= createSuggestions([...this.#options.pages.keys()]);
    const found = this.#suggest(pagePath);
    return found === undefined ? "" : ` Did you mean ${JSON.stringify(found)}?`;
  }

  #reportEmpty(node: JsonNode, kind: string, label: string): void {
    const subject = label === "" ? `This ${kind}` : `The ${kind} "${label}"`;
    const { problems } = this.#options;
    const key = unsupportedKeys.find((unread) => findJsonMembers(node)?.has(unread));
    if (key === undefined) {
      const message = `${subject} has no pages and is omitted.`;
      problems.warn("navigation_empty", message, locateJsonNode(node));
      return;
    }
    const message = `${subject} is omitted: pages from "${key}" are not supported.`;
    problems.warn(`${key}_unsupported`, message, locateJsonNode(node));
  }

  #reportInvalid(node: JsonNode, rule: string): void {
    this.#options.problems.warn(
      "navigation_invalid",
      `${rule}; this part is ignored.`,
      locateJsonNode(node),
    );
  }
}

/** Creates the navigation entry of a page: a link if its frontmatter has `url`. */
export function createPageEntry(page: PageSource): NavEntry {
  const { url, icon, iconType, tag } = page.frontmatter;
  if (url === undefined) return { type: "page", path: page.path };
  return omitUndefined({ type: "link", label: page.navTitle, href: url, icon, iconType, tag });
}

/**
 * Reports whether a key lists entries of the sidebar. The two keys that list entries have the same kind of children.
 */
function isSidebarKey(key: string): boolean {
  return key === "groups" || key === "pages";
}

function isHidden(members: Members): boolean {
  return members.get("hidden")?.value === true;
}

/** Reads `expanded`, or its older opposite `collapsed`. */
function isExpanded(members: Members): boolean {
  const expanded = members.get("expanded")?.value;
  return typeof expanded === "boolean" ? expanded : members.get("collapsed")?.value === false;
}

/**
 * Makes exactly one sibling the default: the first that is marked as default, or the first visible sibling if no
 * sibling is marked.
 */
function markDefaultDivision(siblings: readonly NavDivision[]): NavDivision[] {
  const markedIndex = siblings.findIndex((division) => division.isDefault);
  const shownIndex = siblings.findIndex(
    (division) => !division.hidden && division.href === undefined,
  );
  const chosenIndex = markedIndex === -1 ? Math.max(shownIndex, 0) : markedIndex;
  return siblings.map((division, index) => ({ ...division, isDefault: index === chosenIndex }));
}
