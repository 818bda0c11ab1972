import { joinAttributes, html, type Html } from "../../markup/index.ts";
import type { NavEntry, NavGroup, SitePage } from "../../site/index.ts";
import type { Links } from "../link.ts";
import { createPageNavLabel, renderNavLabel } from "./nav-label.ts";
import type { SiteIconRenderer } from "../site-icons.ts";

/** An entry of a sidebar, prepared for many pages; hidden and unknown pages do not have entries. */
export type SidebarNode = SidebarLeaf | SidebarBranch;

/** A page, or a link to another location. */
export interface SidebarLeaf {
  readonly type: "leaf";
  /** The index among the entries of the navigation; hidden entries leave gaps. */
  readonly index: number;
  /** The page's path; empty for a link. */
  readonly path: string;
  /** Whether this is the page's canonical position: the sidebar of the page then contains this entry. */
  readonly isOwn: boolean;
  readonly href: Html;
  /** Attributes of its link in addition to `href`. */
  readonly attributes: Html;
  readonly label: Html;
  /** The item as shown on other pages. Most of a sidebar consists of such items, so they are prepared. */
  readonly item: Html;
}

/** A group. */
export interface SidebarBranch {
  readonly type: "branch";
  readonly index: number;
  readonly id: string;
  /** The group's name alone. */
  readonly name: string;
  readonly label: Html;
  /** The `href` of the group's own page. */
  readonly rootHref: Html | undefined;
  /** The `href` of the group's own or first page. */
  readonly firstHref: Html | undefined;
  /** The `href` of the first page whose canonical position is in the group: its sidebar shows the group open. */
  readonly ownHref: Html | undefined;
  readonly isExpanded: boolean;
  /** The group's entries, prepared on first use: few pages of a large site show them. */
  readonly nodes: readonly SidebarNode[];
}

export interface SidebarSources {
  readonly links: Links;
  readonly renderIcon: SiteIconRenderer;
}

/** Returns the name of a division's nav script: its indexes from the navigation's root, `0-2`, or `root`. */
export function formatSidebarId(indexes: readonly number[]): string {
  return indexes.length === 0 ? "root" : indexes.join("-");
}

/** Prepares the entries of the division with this sidebar id. */
export function createSidebarTree(
  entries: readonly NavEntry[],
  divisionId: string,
  sources: SidebarSources,
): readonly SidebarNode[] {
  return new TreeBuilder(divisionId, sources).build(entries, "");
}

class TreeBuilder {
  readonly #divisionId: string;
  readonly #sources: SidebarSources;

  constructor(divisionId: string, sources: SidebarSources) {
    this.#divisionId = divisionId;
    this.#sources = sources;
  }

  /** Builds nodes; `parentId` is the id of the group, empty for the division's own entries. */
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
    return withItem({
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
    const page = links.page(path);
    if (page === undefined || page.hidden) return undefined;
    const isDeprecated = page.frontmatter.deprecated === true;
    return withItem({
      type: "leaf",
      index,
      path,
      isOwn: this.#isOwnPlace(page, id),
      href: links.toPage(path),
      attributes: joinAttributes({ class: isDeprecated && "deprecated" }),
      label: renderNavLabel(createPageNavLabel(page), renderIcon),
    });
  }

  #prepareGroup(group: NavGroup, index: number, id: string): SidebarBranch | undefined {
    if (group.hidden) return undefined;
    const { links, renderIcon } = this.#sources;
    const root = group.root === undefined ? undefined : links.page(group.root);
    const rootHref = root && links.toPage(root.path);
    if (rootHref === undefined && !this.#hasNodes(group.entries)) return undefined;
    const isRootOwn = root !== undefined && this.#isOwnPlace(root, id);
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
      if (entry.type === "page") return links.page(entry.path)?.hidden === false;
      if (entry.hidden) return false;
      const hasRoot = entry.root !== undefined && links.page(entry.root) !== undefined;
      return hasRoot || this.#hasNodes(entry.entries);
    });
  }

  /** Reports whether this is the canonical position of a page. */
  #isOwnPlace({ places: [place] }: SitePage, id: string): boolean {
    return place?.entries.join(".") === id && formatSidebarId(place.divisions) === this.#divisionId;
  }
}

function withItem(leaf: Omit<SidebarLeaf, "item">): SidebarLeaf {
  const { href, attributes: look, label } = leaf;
  return { ...leaf, item: html`<li><a href="${href}"${look}>${label}</a></li>` };
}

/** Returns the `href` of the first page among these nodes or below. */
export function findFirstHref(nodes: readonly SidebarNode[]): Html | undefined {
  for (const node of nodes) {
    if (node.type === "leaf" && node.path === "") continue;
    const href = node.type === "branch" ? node.firstHref : node.href;
    if (href !== undefined) return href;
  }
  return undefined;
}

/** Returns the `href` of the first page at its canonical position. */
export function findOwnHref(nodes: readonly SidebarNode[]): Html | undefined {
  for (const node of nodes) {
    if (node.type === "branch" && node.ownHref !== undefined) return node.ownHref;
    if (node.type === "leaf" && node.isOwn) return node.href;
  }
  return undefined;
}
