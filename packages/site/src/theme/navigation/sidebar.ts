import {
  escapeHtml,
  html,
  joinAttributes,
  joinHtml,
  type FrameWords,
  type Html,
} from "../../markup/index.ts";
import type { NavDivision, NavEntry, NavGroup, Site, SitePage } from "../../site/index.ts";
import type { Links } from "../link.ts";
import type { SiteIconRenderer } from "../site-icons.ts";
import type { Trail } from "./trail.ts";
import { createPageNavLabel, renderNavLabel, renderCollapsibleLink } from "./nav-label.ts";

/**
 * The maximum number of entries with which each page contains its division's whole sidebar (about 15 KB, 2 KB gzipped).
 * In larger divisions, a page contains only its own branch, and `_octavo/nav/<id>.js` contains the rest.
 */
const maxWholeEntries = 150;

/** The number of entries that a long list in a larger division shows on each side of the page's own entry. */
const windowRadius = 40;

/** The navigation of one division with `rootMark`, prepared for many pages. */
export interface Sidebar {
  readonly id: string;
  /** Whether pages contain only a part of the sidebar, and the reader's script loads the rest. */
  readonly isPartial: boolean;
  /** Renders the list for a page. `trail` leads to the page's own entry. */
  renderPart(trail: readonly number[] | undefined): Html;
  /** Renders the list without omissions, for the nav script. */
  renderWhole(): Html;
}

/** Returns a function that prepares the sidebar of each division once, when it is first used. */
export function createSidebars(site: Site, sources: SidebarSources) {
  const sidebars = new Map<NavDivision, Sidebar>();
  return function getSidebar(
    trail: Pick<Trail, "divisions" | "divisionIndexes">,
    words: FrameWords,
  ): Sidebar {
    const division = trail.divisions.at(-1) ?? site.navigation;
    const cachedSidebar = sidebars.get(division);
    if (cachedSidebar !== undefined) return cachedSidebar;
    const id = formatSidebarId(trail.divisionIndexes);
    const nodes = new TreeBuilder(id, sources).build(division.entries, "");
    const isLarge = countNodes(nodes, maxWholeEntries) > maxWholeEntries;
    const style = { isLarge, drilldown: site.config.drilldown ?? false, moreLabel: words.more };
    const sidebar = createSidebar(id, nodes, style);
    sidebars.set(division, sidebar);
    return sidebar;
  };
}

function createSidebar(
  id: string,
  nodes: readonly SidebarNode[],
  style: Omit<ListStyle, "isPartial">,
): Sidebar {
  const isPartial = style.isLarge;
  const render = (trail: readonly number[] | undefined, isPart: boolean): Html =>
    renderList(nodes, { trail, level: 0, style: { ...style, isPartial: isPart } });
  return {
    id,
    isPartial,
    renderPart: (trail) => render(trail, isPartial),
    renderWhole: () => render(undefined, false),
  };
}

/** Counts nodes. Stops just above `maxCount`, so that a large sidebar does not have to be prepared as a whole. */
function countNodes(nodes: readonly SidebarNode[], maxCount: number): number {
  let count = nodes.length;
  for (const node of nodes) {
    if (count > maxCount) break;
    if (node.type === "branch") count += countNodes(node.nodes, maxCount - count);
  }
  return count;
}

interface ListStyle {
  /** Whether top-level groups can also be collapsed. */
  readonly isLarge: boolean;
  /** Whether only the branch that leads to the page is rendered. */
  readonly isPartial: boolean;
  /** Whether clicking a group leads to its first page. */
  readonly drilldown: boolean;
  readonly moreLabel: string;
}

/** The position of a list in the sidebar. */
interface ListPosition {
  /** The trail to the page's own entry; undefined if the list does not contain it. */
  readonly trail: readonly number[] | undefined;
  readonly level: number;
  readonly style: ListStyle;
}

function renderList(nodes: readonly SidebarNode[], position: ListPosition): Html {
  const current = position.trail?.[position.level];
  const { start, end } = position.style.isPartial
    ? computeWindow(nodes, current)
    : { start: 0, end: nodes.length };
  const items = nodes.slice(start, end).map((node) => {
    const isOnTrail = node.index === current;
    if (node.type === "branch") return renderBranch(node, position, isOnTrail);
    return isOnTrail ? renderCurrentItem(node) : node.item;
  });
  const before = renderMoreItem(nodes, start - 1, -1, position);
  const after = renderMoreItem(nodes, end, 1, position);
  return html`<ul>${before}${joinHtml(items)}${after}</ul>`;
}

interface Window {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the entries around `current`. The size of a page therefore does not grow with the number of its neighbors.
 */
function computeWindow(nodes: readonly SidebarNode[], current: number | undefined): Window {
  if (nodes.length <= maxWholeEntries) return { start: 0, end: nodes.length };
  const position = current === undefined ? 0 : findPosition(nodes, current);
  const end = Math.min(position + windowRadius + 1, nodes.length);
  return { start: Math.max(0, position - windowRadius), end };
}

/**
 * Returns the position of the node with this index, or the position at which it would be. Nodes are in the order of
 * their indexes.
 */
function findPosition(nodes: readonly SidebarNode[], index: number): number {
  let [low, high] = [0, nodes.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((nodes[middle]?.index ?? 0) < index) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Renders a link to the next omitted entry, searching from `from` in the direction of `step`. The reader's script shows
 * the whole list instead of following the link.
 */
function renderMoreItem(
  nodes: readonly SidebarNode[],
  from: number,
  step: 1 | -1,
  { style }: ListPosition,
): Html {
  let href: Html | undefined;
  for (let position = from; position >= 0 && position < nodes.length; position += step) {
    const node = nodes[position];
    const ownHref = node && findOwnHref([node]);
    href = ownHref ?? href ?? (node && findFirstHref([node]));
    if (ownHref !== undefined) break;
  }
  if (href === undefined) return "";
  return html`<li><a class="sidebar-more" data-branch="" href="${href}">${escapeHtml(style.moreLabel)}</a></li>`;
}

function renderCurrentItem({ href, attributes: linkAttributes, label }: SidebarLeaf): Html {
  return html`<li data-active="true"><a href="${href}" aria-current="page"${linkAttributes}>${label}</a></li>`;
}

function renderBranch(branch: SidebarBranch, position: ListPosition, isOnTrail: boolean): Html {
  const { trail, level, style } = position;
  const innerHref = branch.ownHref ?? branch.firstHref;
  if (style.isPartial && !isOnTrail && innerHref !== undefined) {
    return renderClosedBranch(branch, innerHref, level);
  }
  const isCurrent = isOnTrail && trail?.length === level + 1;
  if (branch.nodes.length > 0)
    return renderOpenBranch(branch, { ...position, isOnTrail, isCurrent });
  const name = renderBranchName(branch, findBranchLink(branch, position), isCurrent);
  if (level > 0) return html`<li${renderItemAttributes(level, isCurrent)}>${name}</li>`;
  return html`<li${renderItemAttributes(0, isOnTrail)}><div class="sidebar-group-header">${name}</div></li>`;
}

/**
 * Renders a group without its entries. Its link leads to a page on which the group is expanded, unless the script loads
 * the entries.
 */
function renderClosedBranch({ id, label }: SidebarBranch, href: Html, level: number): Html {
  const attributes = joinAttributes({ class: "sidebar-branch", "data-branch": id });
  return html`<li${renderItemAttributes(level, false)}><a${attributes} href="${href}">${label}</a></li>`;
}

interface OpenBranchPosition extends ListPosition {
  readonly isOnTrail: boolean;
  readonly isCurrent: boolean;
}

function renderOpenBranch(branch: SidebarBranch, position: OpenBranchPosition): Html {
  const { isOnTrail, isCurrent, level, style, trail } = position;
  const inner = { trail: isOnTrail ? trail : undefined, level: level + 1, style };
  const list = renderList(branch.nodes, inner);
  const item = renderItemAttributes(level, level === 0 && isOnTrail);
  const link = findBranchLink(branch, position);
  if (level === 0 && !style.isLarge) {
    const name = renderBranchName(branch, link, isCurrent);
    return html`<li${item}><div class="sidebar-group-header">${name}</div>${list}</li>`;
  }
  const fold = { "data-branch-id": branch.id, open: isOnTrail || branch.isExpanded };
  if (link !== undefined) {
    return html`<li${item}>${renderCollapsibleLink(branch, { href: link, isCurrent, fold, list })}</li>`;
  }
  return html`<li${item}><details${joinAttributes(fold)}><summary>${branch.label}</summary>${list}</details></li>`;
}

function renderItemAttributes(level: number, isActive: boolean): Html {
  return joinAttributes({
    class: level === 0 && "sidebar-group",
    "data-active": isActive && "true",
  });
}

/** Returns the target of a group's name. */
function findBranchLink(branch: SidebarBranch, { level, style }: ListPosition): Html | undefined {
  const isFolding = level > 0 || style.isLarge;
  return style.drilldown && isFolding ? branch.firstHref : branch.rootHref;
}

function renderBranchName(
  { label }: Pick<SidebarBranch, "label">,
  href: Html | undefined,
  isCurrent: boolean,
): Html {
  if (href === undefined) return label;
  const state = joinAttributes({ "aria-current": isCurrent && "page" });
  return html`<a href="${href}"${state}>${label}</a>`;
}

/** An entry of a sidebar, prepared for many pages. Hidden and unknown pages have no entries. */
type SidebarNode = SidebarLeaf | SidebarBranch;

/** An entry for a page or for a link to another location. */
interface SidebarLeaf {
  readonly type: "leaf";
  /** The entry's index in the navigation. Hidden entries leave gaps. */
  readonly index: number;
  /** The page's path; an empty string for a link. */
  readonly path: string;
  /** Whether this is the page's canonical position, in which case the sidebar of the page contains this entry. */
  readonly isOwn: boolean;
  readonly href: Html;
  /** The attributes of the entry's link in addition to `href`. */
  readonly attributes: Html;
  readonly label: Html;
  /** The item for other pages. It is prepared because most of a sidebar consists of such items. */
  readonly item: Html;
}

interface SidebarBranch {
  readonly type: "branch";
  readonly index: number;
  readonly id: string;
  /** The group's name without an icon or a tag. */
  readonly name: string;
  readonly label: Html;
  /** The `href` of the group's own page. */
  readonly rootHref: Html | undefined;
  /** The `href` of the group's own or first page. */
  readonly firstHref: Html | undefined;
  /**
   * The `href` of the first page whose canonical position is in the group. The group is expanded in the sidebar of this
   * page.
   */
  readonly ownHref: Html | undefined;
  readonly isExpanded: boolean;
  /** The group's entries. They are prepared when they are first used, because few pages of a large site show them. */
  readonly nodes: readonly SidebarNode[];
}

interface SidebarSources {
  readonly links: Links;
  readonly renderIcon: SiteIconRenderer;
}

/**
 * Returns the name of a division's nav script, which consists of its indexes from the navigation's root, e.g. `0-2`, or
 * is `root`.
 */
function formatSidebarId(indexes: readonly number[]): string {
  return indexes.length === 0 ? "root" : indexes.join("-");
}

class TreeBuilder {
  readonly #divisionId: string;
  readonly #sources: SidebarSources;

  constructor(divisionId: string, sources: SidebarSources) {
    this.#divisionId = divisionId;
    this.#sources = sources;
  }

  /** Builds nodes. `parentId` is the id of the group, or an empty string for the division's own entries. */
  build(entries: readonly NavEntry[], parentId: string): SidebarNode[] {
    return entries.flatMap((entry, index) => {
      const id = parentId === "" ? String(index) : `${parentId}.${index}`;
      return this.#prepare(entry, index, id) ?? [];
    });
  }

  #prepare(entry: NavEntry, index: number, id: string): SidebarNode | undefined {
    if (entry.type === "group") return this.#prepareGroup(entry, index, id);
    if (entry.type === "page") return this.#preparePage(entry.path, index, id);
    const { links, renderIcon } = this.#sources;
    const href = links.toTarget(entry.href);
    if (href === undefined) return undefined;
    return addItem({
      type: "leaf",
      index,
      path: "",
      isOwn: false,
      href,
      attributes: joinAttributes({ class: "external" }),
      label: renderNavLabel(entry, renderIcon),
    });
  }

  #preparePage(path: string, index: number, id: string): SidebarLeaf | undefined {
    const { links, renderIcon } = this.#sources;
    const page = links.findPage(path);
    if (page === undefined || page.hidden) return undefined;
    const isDeprecated = page.frontmatter.deprecated === true;
    return addItem({
      type: "leaf",
      index,
      path,
      isOwn: this.#isOwnPosition(page, id),
      href: links.toPage(path),
      attributes: joinAttributes({ class: isDeprecated && "deprecated" }),
      label: renderNavLabel(createPageNavLabel(page), renderIcon),
    });
  }

  #prepareGroup(group: NavGroup, index: number, id: string): SidebarBranch | undefined {
    if (group.hidden) return undefined;
    const { links, renderIcon } = this.#sources;
    const root = group.root === undefined ? undefined : links.findPage(group.root);
    const rootHref = root && links.toPage(root.path);
    if (rootHref === undefined && !this.#hasNodes(group.entries)) return undefined;
    const isRootOwn = root !== undefined && this.#isOwnPosition(root, id);
    const build = () => this.build(group.entries, id);
    let nodes: readonly SidebarNode[] | undefined;
    return {
      type: "branch",
      index,
      id,
      name: group.label,
      label: renderNavLabel(group, renderIcon),
      rootHref,
      isExpanded: group.expanded,
      get firstHref() {
        return rootHref ?? findFirstHref(this.nodes);
      },
      get ownHref() {
        return isRootOwn ? rootHref : findOwnHref(this.nodes);
      },
      get nodes() {
        return (nodes ??= build());
      },
    };
  }

  /** Reports whether `build` would return any nodes. */
  #hasNodes(entries: readonly NavEntry[]): boolean {
    const { links } = this.#sources;
    return entries.some((entry) => {
      if (entry.type === "link") return links.toTarget(entry.href) !== undefined;
      if (entry.type === "page") return links.findPage(entry.path)?.hidden === false;
      if (entry.hidden) return false;
      const hasRoot = entry.root !== undefined && links.findPage(entry.root) !== undefined;
      return hasRoot || this.#hasNodes(entry.entries);
    });
  }

  /** Reports whether the entry with this id is at the canonical position of a page. */
  #isOwnPosition({ positions: [position] }: SitePage, id: string): boolean {
    return (
      position?.entries.join(".") === id && formatSidebarId(position.divisions) === this.#divisionId
    );
  }
}

function addItem(leaf: Omit<SidebarLeaf, "item">): SidebarLeaf {
  const { href, attributes: linkAttributes, label } = leaf;
  return { ...leaf, item: html`<li><a href="${href}"${linkAttributes}>${label}</a></li>` };
}

/** Returns the `href` of the first page among these nodes and their descendants. */
function findFirstHref(nodes: readonly SidebarNode[]): Html | undefined {
  for (const node of nodes) {
    if (node.type === "leaf" && node.path === "") continue;
    const href = node.type === "branch" ? node.firstHref : node.href;
    if (href !== undefined) return href;
  }
  return undefined;
}

/** Returns the `href` of the first page at its canonical position. */
function findOwnHref(nodes: readonly SidebarNode[]): Html | undefined {
  for (const node of nodes) {
    if (node.type === "branch" && node.ownHref !== undefined) return node.ownHref;
    if (node.type === "leaf" && node.isOwn) return node.href;
  }
  return undefined;
}
