import {
  joinAttributes,
  escapeHtml,
  html,
  joinHtml,
  type FrameWords,
  type Html,
} from "../../markup/index.ts";
import type { NavDivision, Site } from "../../site/index.ts";
import { renderLinkedFold } from "./linked-fold.ts";
import {
  createSidebarTree,
  findFirstHref,
  findOwnHref,
  formatSidebarId,
  type SidebarBranch,
  type SidebarLeaf,
  type SidebarNode,
  type SidebarSources,
} from "./sidebar-tree.ts";
import type { Trail } from "./trail.ts";

/**
 * Up to this number of entries, each page contains its division's whole sidebar (about 15 KB, 2 KB gzipped). In larger
 * divisions, a page contains its own branch, and `_octavo/nav/<id>.js` the rest.
 */
const maxWholeEntries = 150;

/** In larger divisions, a long list shows this number of entries on each side of the page's own entry. */
const windowEntries = 40;

/** One division's navigation, prepared for many pages, with `rootMark`. */
export interface Sidebar {
  readonly id: string;
  /** Whether pages contain part of it, and the reader's script loads the rest. */
  readonly isPartial: boolean;
  /** Renders the list for a page. `trail` leads to the page's own entry. */
  renderPart(trail: readonly number[] | undefined): Html;
  /** Renders the list without omissions, for the nav script. */
  renderWhole(): Html;
}

/** Prepares the sidebar of each division once, on first use. */
export function createSidebars(site: Site, sources: SidebarSources) {
  const sidebars = new Map<NavDivision, Sidebar>();
  return function sidebarOf(
    trail: Pick<Trail, "divisions" | "indexes">,
    words: FrameWords,
  ): Sidebar {
    const division = trail.divisions.at(-1) ?? site.navigation;
    const prepared = sidebars.get(division);
    if (prepared !== undefined) return prepared;
    const id = formatSidebarId(trail.indexes);
    const nodes = createSidebarTree(division.entries, id, sources);
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

/** Counts nodes, but stops just over `max`, so that a large sidebar does not have to be prepared as a whole. */
function countNodes(nodes: readonly SidebarNode[], max: number): number {
  let count = nodes.length;
  for (const node of nodes) {
    if (count > max) break;
    if (node.type === "branch") count += countNodes(node.nodes, max - count);
  }
  return count;
}

interface ListStyle {
  /** Whether groups of the first level can also be closed. */
  readonly isLarge: boolean;
  /** Whether only the branch that leads to the page is rendered. */
  readonly isPartial: boolean;
  /** Whether clicking a group leads to its first page. */
  readonly drilldown: boolean;
  readonly moreLabel: string;
}

/** The position of a list in the sidebar. */
interface ListPosition {
  /** The trail to the page's own entry; undefined if the list does not lead to it. */
  readonly trail: readonly number[] | undefined;
  readonly level: number;
  readonly style: ListStyle;
}

function renderList(nodes: readonly SidebarNode[], place: ListPosition): Html {
  const current = place.trail?.[place.level];
  const { start, end } = place.style.isPartial
    ? windowAround(nodes, current)
    : { start: 0, end: nodes.length };
  const items = nodes.slice(start, end).map((node) => {
    const isOnTrail = node.index === current;
    if (node.type === "branch") return renderBranch(node, place, isOnTrail);
    return isOnTrail ? renderCurrentItem(node) : node.item;
  });
  const before = renderMoreItem(nodes, start - 1, -1, place);
  const after = renderMoreItem(nodes, end, 1, place);
  return html`<ul>${before}${joinHtml(items)}${after}</ul>`;
}

interface Window {
  readonly start: number;
  readonly end: number;
}

/** Returns the entries around `current`, so that the size of a page does not grow with the number of its neighbors. */
function windowAround(nodes: readonly SidebarNode[], current: number | undefined): Window {
  if (nodes.length <= maxWholeEntries) return { start: 0, end: nodes.length };
  const at = current === undefined ? 0 : findPosition(nodes, current);
  const end = Math.min(at + windowEntries + 1, nodes.length);
  return { start: Math.max(0, at - windowEntries), end };
}

/** Returns the position of the node with this index, or where it would be; nodes are in the order of their indexes. */
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
 * Renders a link to the next omitted entry, from `from` on in the direction of `step`; the reader's script shows the
 * whole list instead.
 */
function renderMoreItem(
  nodes: readonly SidebarNode[],
  from: number,
  step: 1 | -1,
  { style }: ListPosition,
): Html {
  let href: Html | undefined;
  for (let at = from; at >= 0 && at < nodes.length; at += step) {
    const node = nodes[at];
    const own = node && findOwnHref([node]);
    href = own ?? href ?? (node && findFirstHref([node]));
    if (own !== undefined) break;
  }
  if (href === undefined) return "";
  return html`<li><a class="sidebar-more" data-branch="" href="${href}">${escapeHtml(style.moreLabel)}</a></li>`;
}

function renderCurrentItem({ href, attributes: look, label }: SidebarLeaf): Html {
  return html`<li data-active="true"><a href="${href}" aria-current="page"${look}>${label}</a></li>`;
}

function renderBranch(branch: SidebarBranch, place: ListPosition, isOnTrail: boolean): Html {
  const { trail, level, style } = place;
  const inside = branch.ownHref ?? branch.firstHref;
  if (style.isPartial && !isOnTrail && inside !== undefined) {
    return renderClosedBranch(branch, inside, level);
  }
  const isCurrent = isOnTrail && trail?.length === level + 1;
  if (branch.nodes.length > 0) return renderOpenBranch(branch, { ...place, isOnTrail, isCurrent });
  const name = renderBranchName(branch, findBranchLink(branch, place), isCurrent);
  if (level > 0) return html`<li${itemAttributes(level, isCurrent)}>${name}</li>`;
  return html`<li${itemAttributes(0, isOnTrail)}><div class="sidebar-group-header">${name}</div></li>`;
}

/** Renders a group without its entries; its link leads to a page with the open group, unless the script loads them. */
function renderClosedBranch({ id, label }: SidebarBranch, href: Html, level: number): Html {
  const start = joinAttributes({ class: "sidebar-branch", "data-branch": id });
  return html`<li${itemAttributes(level, false)}><a${start} href="${href}">${label}</a></li>`;
}

interface OpenBranchPosition extends ListPosition {
  readonly isOnTrail: boolean;
  readonly isCurrent: boolean;
}

function renderOpenBranch(branch: SidebarBranch, place: OpenBranchPosition): Html {
  const { isOnTrail, isCurrent, level, style, trail } = place;
  const inner = { trail: isOnTrail ? trail : undefined, level: level + 1, style };
  const list = renderList(branch.nodes, inner);
  const item = itemAttributes(level, level === 0 && isOnTrail);
  const link = findBranchLink(branch, place);
  if (level === 0 && !style.isLarge) {
    const name = renderBranchName(branch, link, isCurrent);
    return html`<li${item}><div class="sidebar-group-header">${name}</div>${list}</li>`;
  }
  const fold = { "data-branch-id": branch.id, open: isOnTrail || branch.isExpanded };
  if (link !== undefined) {
    return html`<li${item}>${renderLinkedFold(branch, { href: link, isCurrent, fold, list })}</li>`;
  }
  return html`<li${item}><details${joinAttributes(fold)}><summary>${branch.label}</summary>${list}</details></li>`;
}

function itemAttributes(level: number, isActive: boolean): Html {
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
