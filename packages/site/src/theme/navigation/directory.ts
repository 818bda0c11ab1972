import { escapeHtml, html, joinHtml, wrapInElement, type Html } from "../../markup/index.ts";
import type { NavDirectory, NavEntry, NavGroup } from "../../site/index.ts";
import type { FrameContext } from "../frame-context.ts";
import { getPlainDescription } from "../inline-markdown.ts";
import { createPageNavLabel, renderNavLabel, renderCollapsibleLink } from "./nav-label.ts";

/** Renders the list of a group's contents below the group's root page. Returns an empty string for other pages. */
export function renderDirectory(frame: FrameContext): Html {
  const directory = findGroup(frame);
  if (directory === undefined) return "";
  const { group, kind } = directory;
  const list =
    kind === "card" ? renderCards(group.entries, frame) : renderFolds(group.entries, frame);
  const label = escapeHtml(group.label);
  return list === "" ? "" : html`<nav id="page-directory" aria-label="${label}">${list}</nav>`;
}

/**
 * Finds the group whose root, at its canonical position, is the page, if the levels around the group request a listing.
 */
function findGroup({
  trail,
  page,
}: FrameContext): { group: NavGroup; kind: NavDirectory } | undefined {
  if (page === undefined || trail.entryIndexes === undefined) return undefined;
  let kind: NavDirectory = "none";
  for (const division of trail.divisions) kind = division.directory ?? kind;
  let entries = trail.divisions.at(-1)?.entries ?? [];
  let group: NavGroup | undefined;
  for (const index of trail.entryIndexes) {
    const entry: NavEntry | undefined = entries[index];
    if (entry?.type !== "group") return undefined;
    group = entry;
    kind = entry.directory ?? kind;
    ({ entries } = entry);
  }
  return group?.root === page.path && kind !== "none" ? { group, kind } : undefined;
}

/** A page or a link as the directory lists it. */
interface DirectoryItem {
  readonly href: Html;
  readonly label: Html;
  readonly description: string | undefined;
}

function createItem(
  entry: Exclude<NavEntry, NavGroup>,
  frame: FrameContext,
): DirectoryItem | undefined {
  const { renderIcon, links } = frame;
  if (entry.type === "link") {
    const href = links.toTarget(entry.href);
    if (href === undefined) return undefined;
    return { href, label: renderNavLabel(entry, renderIcon), description: undefined };
  }
  const page = links.findPage(entry.path);
  if (page === undefined || page.hidden) return undefined;
  const { description } = page.frontmatter;
  return {
    href: links.toPage(page.path),
    label: renderNavLabel(createPageNavLabel(page), renderIcon),
    description,
  };
}

function renderGroupLabel(group: NavGroup, frame: FrameContext): Html {
  const label = renderNavLabel(group, frame.renderIcon);
  const href = findRootHref(group, frame);
  return href === undefined ? label : html`<a href="${href}">${label}</a>`;
}

function findRootHref({ root }: NavGroup, { links }: FrameContext): Html | undefined {
  const page = root === undefined ? undefined : links.findPage(root);
  return page && links.toPage(page.path);
}

/** Reports whether a group has a root page, which is listed if the group has no listed entries. */
function hasRootPage(
  group: NavGroup,
  { links }: FrameContext,
): group is NavGroup & { readonly root: string } {
  return !group.hidden && group.root !== undefined && links.findPage(group.root) !== undefined;
}

function renderCard(entry: Exclude<NavEntry, NavGroup>, frame: FrameContext): Html {
  const item = createItem(entry, frame);
  if (item === undefined) return "";
  const { href, label, description } = item;
  const name = html`<span class="directory-label">${label}</span>`;
  const text =
    description === undefined
      ? ""
      : html`<small>${escapeHtml(getPlainDescription(description))}</small>`;
  return html`<li><a class="directory-card" href="${href}">${name}${text}</a></li>`;
}

/** Renders the pages as a row of cards, followed by the groups, each under its name. */
function renderCards(entries: readonly NavEntry[], frame: FrameContext): Html {
  const cards: Html[] = [];
  const groups: Html[] = [];
  for (const entry of entries) {
    if (entry.type !== "group") {
      cards.push(renderCard(entry, frame));
      continue;
    }
    const inner = entry.hidden ? "" : renderCards(entry.entries, frame);
    if (inner !== "") {
      groups.push(html`<p class="directory-title">${renderGroupLabel(entry, frame)}</p>${inner}`);
    } else if (hasRootPage(entry, frame)) {
      cards.push(renderCard({ type: "page", path: entry.root }, frame));
    }
  }
  return html`${wrapInElement("ul", "directory-cards", joinHtml(cards))}${joinHtml(groups)}`;
}

/** Renders a list with collapsible groups. */
function renderFolds(entries: readonly NavEntry[], frame: FrameContext): Html {
  const items = entries.map((entry) =>
    entry.type === "group" ? renderFold(entry, frame) : renderCollapsibleItem(entry, frame),
  );
  return wrapInElement("ul", "directory-list", joinHtml(items));
}

function renderFold(group: NavGroup, frame: FrameContext): Html {
  const inner = group.hidden ? "" : renderFolds(group.entries, frame);
  if (inner !== "") {
    const href = findRootHref(group, frame);
    const label = renderNavLabel(group, frame.renderIcon);
    if (href === undefined) {
      return html`<li><details><summary>${label}</summary>${inner}</details></li>`;
    }
    const name = group.label;
    return html`<li>${renderCollapsibleLink({ name, label }, { href, list: inner })}</li>`;
  }
  return hasRootPage(group, frame) ? html`<li>${renderGroupLabel(group, frame)}</li>` : "";
}

function renderCollapsibleItem(entry: Exclude<NavEntry, NavGroup>, frame: FrameContext): Html {
  const item = createItem(entry, frame);
  return item === undefined ? "" : html`<li><a href="${item.href}">${item.label}</a></li>`;
}
