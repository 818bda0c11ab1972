import { escapeHtml } from "../markup/index.ts";
import type { NavDivision, NavEntry, NavGroup, Site, SitePage } from "../site/index.ts";
import type { Links } from "./link.ts";
import type { IconMarkup } from "./site-icons.ts";
import { methodBadge } from "./operation.ts";
import { operationOf } from "../site/index.ts";
import type { Trail } from "./trail.ts";
import type { FrameWords } from "../markup/index.ts";

/**
 * Entries up to which each page carries its division's whole sidebar (about 15 KB, 2 KB gzipped). In
 * larger ones a page carries the branch that it stands in, and `_octavo/nav/<id>.js` the rest.
 */
const wholeSidebarEntries = 150;

/** Of a longer list in such a division, the entries shown on each side of the page's own. */
const windowEntries = 40;

/** One division's navigation, prepared to be written into many pages. Markup holds `rootMark`. */
export interface Sidebar {
  readonly id: string;
  /** Pages carry a part only, and the reader's script loads the rest. */
  readonly isPartial: boolean;
  /** The list as a page shows it. `trail` leads to the page's own entry. */
  list(trail: readonly number[] | undefined): string;
  /** The list with nothing left out, for the nav script. */
  wholeList(): string;
}

export interface SidebarSources {
  readonly links: Links;
  readonly icon: IconMarkup;
}

interface SidebarContext extends SidebarSources {
  /** Of the division. */
  readonly id: string;
  /** Groups lead to their first page when clicked. */
  readonly drilldown: boolean;
  readonly moreLabel: string;
}

/** Name of a division's nav script: its indexes from the navigation's root, `0-2`, or `root`. */
function sidebarId(indexes: readonly number[]): string {
  return indexes.length === 0 ? "root" : indexes.join("-");
}

interface Leaf {
  readonly type: "leaf";
  /** Among the entries as the navigation has them; hidden ones leave gaps. */
  readonly index: number;
  readonly path: string;
  /** Readers who go there find this entry again: the page's canonical place is here. */
  readonly isOwn: boolean;
  /** Up to and with the `href`; whatever else the link carries comes between the two. */
  readonly start: string;
  readonly end: string;
}

interface Branch {
  readonly type: "branch";
  readonly index: number;
  readonly id: string;
  readonly label: string;
  /** `href` of the group's own page. */
  readonly rootHref: string | undefined;
  /** `href` of the group's own or first page. */
  readonly firstHref: string | undefined;
  /** `href` of the first page whose canonical place is in the group: its sidebar shows the group open. */
  readonly ownHref: string | undefined;
  readonly isExpanded: boolean;
  readonly nodes: readonly Node[];
}
type Node = Leaf | Branch;

/** Prepares the sidebar of each division once, when the first of its pages asks for it. */
export function createSidebars(site: Site, sources: SidebarSources) {
  const sidebars = new Map<NavDivision, Sidebar>();
  return function sidebarOf(
    trail: Pick<Trail, "divisions" | "indexes">,
    words: FrameWords,
  ): Sidebar {
    const division = trail.divisions.at(-1) ?? site.navigation;
    const known = sidebars.get(division);
    if (known !== undefined) return known;
    const sidebar = createSidebar(division, {
      ...sources,
      id: sidebarId(trail.indexes),
      drilldown: site.config.drilldown ?? false,
      moreLabel: words.more,
    });
    sidebars.set(division, sidebar);
    return sidebar;
  };
}

function createSidebar(division: NavDivision, context: SidebarContext): Sidebar {
  const nodes = prepare(division.entries, "", context);
  const isLarge = countNodes(nodes) > wholeSidebarEntries;
  const { id, drilldown, moreLabel } = context;
  const whole = { isLarge, isPartial: false, drilldown, moreLabel };
  const shown = { ...whole, isPartial: isLarge };
  return {
    id,
    isPartial: isLarge,
    list: (trail) => writeList(nodes, { trail, level: 0, style: shown }),
    wholeList: () => writeList(nodes, { trail: undefined, level: 0, style: whole }),
  };
}

function countNodes(nodes: readonly Node[]): number {
  let count = nodes.length;
  for (const node of nodes) if (node.type === "branch") count += countNodes(node.nodes);
  return count;
}

function prepare(entries: readonly NavEntry[], parent: string, context: SidebarContext): Node[] {
  const nodes: Node[] = [];
  for (const [index, entry] of entries.entries()) {
    const node = prepareEntry(entry, index, { parent, context });
    if (node !== undefined) nodes.push(node);
  }
  return nodes;
}

interface Surroundings {
  readonly parent: string;
  readonly context: SidebarContext;
}

function prepareEntry(entry: NavEntry, index: number, around: Surroundings): Node | undefined {
  if (entry.type === "group") return prepareGroup(entry, index, around);
  if (entry.type === "page") return preparePage(entry.path, index, around);
  const href = around.context.links.toTarget(entry.href);
  if (href === undefined) return undefined;
  const label = `${around.context.icon(entry.icon, entry.iconType)}<span>${escapeHtml(entry.label)}</span>${entry.tag === undefined ? "" : tagPill(entry.tag)}`;
  return {
    type: "leaf",
    index,
    path: "",
    isOwn: false,
    start: `<a href="${href}"`,
    end: ` class="external">${label}</a></li>`,
  };
}

function entryId(parent: string, index: number): string {
  return parent === "" ? String(index) : `${parent}.${index}`;
}

/** Whether the canonical place of a page is this one. */
function isOwnPlace(page: SitePage, id: string, { id: divisionId }: SidebarContext): boolean {
  const [place] = page.places;
  return place?.entries.join(".") === id && sidebarId(place.divisions) === divisionId;
}

function preparePage(path: string, index: number, around: Surroundings): Leaf | undefined {
  const { parent, context } = around;
  const page = context.links.page(path);
  if (page === undefined || page.hidden) return undefined;
  const { frontmatter, navTitle } = page;
  const operation = operationOf(frontmatter);
  const label = [
    context.icon(frontmatter.icon, frontmatter.iconType),
    operation === undefined ? "" : methodBadge(operation.method),
    `<span>${escapeHtml(navTitle)}</span>`,
    frontmatter.tag === undefined ? "" : tagPill(frontmatter.tag),
  ].join("");
  const href = context.links.toPage(path);
  const struck = frontmatter.deprecated === true ? ' class="deprecated"' : "";
  return {
    type: "leaf",
    index,
    path,
    isOwn: isOwnPlace(page, entryId(parent, index), context),
    start: `<a href="${href}"`,
    end: `${struck}>${label}</a></li>`,
  };
}

export function tagPill(tag: string): string {
  return `<span class="nav-tag-pill">${escapeHtml(tag)}</span>`;
}

function prepareGroup(group: NavGroup, index: number, around: Surroundings): Branch | undefined {
  if (group.hidden) return undefined;
  const { parent, context } = around;
  const id = entryId(parent, index);
  const nodes = prepare(group.entries, id, context);
  const root = group.root === undefined ? undefined : context.links.page(group.root);
  const rootHref = root && context.links.toPage(root.path);
  if (nodes.length === 0 && rootHref === undefined) return undefined;
  const isRootOwn = root !== undefined && isOwnPlace(root, id, context);
  return {
    type: "branch",
    index,
    id,
    label:
      context.icon(group.icon, group.iconType) +
      `<span>${escapeHtml(group.label)}</span>` +
      (group.tag === undefined ? "" : tagPill(group.tag)),
    rootHref,
    firstHref: rootHref ?? firstHref(nodes),
    ownHref: isRootOwn ? rootHref : ownHref(nodes),
    isExpanded: group.expanded,
    nodes,
  };
}

function firstHref(nodes: readonly Node[]): string | undefined {
  for (const node of nodes) {
    if (node.type === "branch") {
      if (node.firstHref !== undefined) return node.firstHref;
      continue;
    }
    if (node.path !== "") return hrefOf(node);
  }
  return undefined;
}

function hrefOf(leaf: Leaf): string {
  return leaf.start.slice('<a href="'.length, -1);
}

function ownHref(nodes: readonly Node[]): string | undefined {
  for (const node of nodes) {
    const href = node.type === "branch" ? node.ownHref : undefined;
    if (href !== undefined) return href;
    if (node.type === "leaf" && node.isOwn) return hrefOf(node);
  }
  return undefined;
}

interface Style {
  /** Groups of the first level can be closed too. */
  readonly isLarge: boolean;
  /** Only the branch that leads to the page is written. */
  readonly isPartial: boolean;
  readonly drilldown: boolean;
  readonly moreLabel: string;
}

/** How a list is being written; `trail` is undefined off the way to the page's own entry. */
interface Walk {
  readonly trail: readonly number[] | undefined;
  readonly level: number;
  readonly style: Style;
}

function writeList(nodes: readonly Node[], walk: Walk): string {
  const current = walk.trail?.[walk.level];
  const { start, end } = walk.style.isPartial
    ? windowAround(nodes, current)
    : { start: 0, end: nodes.length };
  let markup = `<ul>${moreItem(nodes, start - 1, -1, walk)}`;
  for (const node of nodes.slice(start, end)) {
    const isOnTrail = node.index === current;
    if (node.type === "branch") markup += writeBranch(node, walk, isOnTrail);
    else if (isOnTrail) {
      markup += `<li data-active="true">${node.start} aria-current="page"${node.end}`;
    } else markup += `<li>${node.start}${node.end}`;
  }
  return `${markup}${moreItem(nodes, end, 1, walk)}</ul>`;
}

interface Window {
  readonly start: number;
  readonly end: number;
}

/** The entries around `current`, so that the size of a page does not grow with its neighbours' number. */
function windowAround(nodes: readonly Node[], current: number | undefined): Window {
  if (nodes.length <= wholeSidebarEntries) return { start: 0, end: nodes.length };
  const at = current === undefined ? 0 : positionOf(nodes, current);
  const end = Math.min(at + windowEntries + 1, nodes.length);
  return { start: Math.max(0, at - windowEntries), end };
}

/** Where the node with this index stands, or would; nodes are in the order of their indexes. */
function positionOf(nodes: readonly Node[], index: number): number {
  let [low, high] = [0, nodes.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((nodes[middle]?.index ?? 0) < index) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Leads on to the next entry that was left out, the one at `from` or behind it; the reader's script puts
 * the whole list there instead.
 */
function moreItem(nodes: readonly Node[], from: number, step: 1 | -1, walk: Walk): string {
  let href: string | undefined;
  for (let at = from; at >= 0 && at < nodes.length; at += step) {
    const node = nodes[at];
    const own = node && ownHref([node]);
    href = own ?? href ?? (node && firstHref([node]));
    if (own !== undefined) break;
  }
  if (href === undefined) return "";
  return `<li><a class="sidebar-more" data-branch="" href="${href}">${escapeHtml(walk.style.moreLabel)}</a></li>`;
}

/** A group that was left out: without the reader's script its link leads to where it stands open. */
function writeBranchLink(branch: Branch, href: string, level: number): string {
  const group = level === 0 ? ' class="sidebar-group"' : "";
  const link = `class="sidebar-branch" data-branch="${branch.id}" href="${href}"`;
  return `<li${group}><a ${link}>${branch.label}</a></li>`;
}

function writeBranch(branch: Branch, walk: Walk, isOnTrail: boolean): string {
  const inside = branch.ownHref ?? branch.firstHref;
  if (walk.style.isPartial && !isOnTrail && inside !== undefined) {
    return writeBranchLink(branch, inside, walk.level);
  }
  const isCurrent = isOnTrail && walk.trail?.length === walk.level + 1;
  const name = branchName(branch, walk, isCurrent);
  if (branch.nodes.length > 0) return writeOpenBranch(branch, name, { ...walk, isOnTrail });
  if (walk.level > 0) return `<li${itemAttributes(walk.level, isCurrent)}>${name}</li>`;
  return `<li${itemAttributes(0, isOnTrail)}><div class="sidebar-group-header">${name}</div></li>`;
}

function writeOpenBranch(
  branch: Branch,
  name: string,
  { isOnTrail, level, style, trail }: Walk & { readonly isOnTrail: boolean },
): string {
  const inner = { trail: isOnTrail ? trail : undefined, level: level + 1, style };
  const list = writeList(branch.nodes, inner);
  const item = `<li${itemAttributes(level, level === 0 && isOnTrail)}>`;
  if (level === 0 && !style.isLarge) {
    return `${item}<div class="sidebar-group-header">${name}</div>${list}</li>`;
  }
  const open = isOnTrail || branch.isExpanded ? " open" : "";
  return `${item}<details data-branch-id="${branch.id}"${open}><summary>${name}</summary>${list}</details></li>`;
}

function itemAttributes(level: number, isActive: boolean): string {
  return (level === 0 ? ' class="sidebar-group"' : "") + (isActive ? ' data-active="true"' : "");
}

function branchName(branch: Branch, { level, style }: Walk, isCurrent: boolean): string {
  const isFolding = level > 0 || style.isLarge;
  const href = style.drilldown && isFolding ? branch.firstHref : branch.rootHref;
  if (href === undefined) return branch.label;
  return `<a href="${href}"${isCurrent ? ' aria-current="page"' : ""}>${branch.label}</a>`;
}
