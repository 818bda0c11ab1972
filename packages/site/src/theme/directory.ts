import { escapeHtml } from "../markup/index.ts";
import type { NavDirectory, NavEntry, NavGroup } from "../site/index.ts";
import type { Frame } from "./frame.ts";
import { methodBadge } from "./operation.ts";
import { operationOf } from "../site/index.ts";
import { tagPill } from "./sidebar.ts";

/** What the group that a page is the root of holds, below the page's own content. Empty for other pages. */
export function directory(frame: Frame): string {
  const found = groupOf(frame);
  if (found === undefined) return "";
  const { group, kind } = found;
  const write = kind === "card" ? cards : folds;
  const list = write(group.entries, frame);
  const label = escapeHtml(group.label);
  return list === "" ? "" : `<nav id="page-directory" aria-label="${label}">${list}</nav>`;
}

/** The group whose root the page is at its canonical place, where the levels around it ask for a listing. */
function groupOf({ trail, page }: Frame): { group: NavGroup; kind: NavDirectory } | undefined {
  if (page === undefined || trail.entries === undefined) return undefined;
  let kind: NavDirectory = "none";
  for (const division of trail.divisions) kind = division.directory ?? kind;
  let entries = trail.divisions.at(-1)?.entries ?? [];
  let group: NavGroup | undefined;
  for (const index of trail.entries) {
    const entry: NavEntry | undefined = entries[index];
    if (entry?.type !== "group") return undefined;
    group = entry;
    kind = entry.directory ?? kind;
    ({ entries } = entry);
  }
  return group?.root === page.path && kind !== "none" ? { group, kind } : undefined;
}

/** What is shown of a page or a link in a listing. */
interface Item {
  readonly href: string;
  /** Icon, name and tag. */
  readonly label: string;
  readonly description: string | undefined;
}

function itemOf(entry: Exclude<NavEntry, NavGroup>, frame: Frame): Item | undefined {
  const { icon, links } = frame;
  if (entry.type === "link") {
    const href = links.toTarget(entry.href);
    if (href === undefined) return undefined;
    const label = icon(entry.icon, entry.iconType) + nameOf(entry.label, entry.tag);
    return { href, label, description: undefined };
  }
  const page = links.page(entry.path);
  if (page === undefined || page.hidden) return undefined;
  const { frontmatter, navTitle } = page;
  const operation = operationOf(frontmatter);
  const label =
    icon(frontmatter.icon, frontmatter.iconType) +
    (operation === undefined ? "" : methodBadge(operation.method)) +
    nameOf(navTitle, frontmatter.tag);
  return { href: links.toPage(page.path), label, description: frontmatter.description };
}

function nameOf(label: string, tag: string | undefined): string {
  return `<span>${escapeHtml(label)}</span>${tag === undefined ? "" : tagPill(tag)}`;
}

function groupLabel(group: NavGroup, { icon, links }: Frame): string {
  const label = icon(group.icon, group.iconType) + nameOf(group.label, group.tag);
  const root = group.root === undefined ? undefined : links.page(group.root);
  return root === undefined ? label : `<a href="${links.toPage(root.path)}">${label}</a>`;
}

/** Whether a group leads to a page though it may show no other. */
function isLink(group: NavGroup, { links }: Frame): group is NavGroup & { readonly root: string } {
  return !group.hidden && group.root !== undefined && links.page(group.root) !== undefined;
}

function card(entry: Exclude<NavEntry, NavGroup>, frame: Frame): string {
  const item = itemOf(entry, frame);
  if (item === undefined) return "";
  const { href, label, description } = item;
  const text = description === undefined ? "" : `<small>${escapeHtml(description)}</small>`;
  return `<li><a class="directory-card" href="${href}"><span class="directory-label">${label}</span>${text}</a></li>`;
}

/** Cards in a row for the pages, and below them each group's under its name. */
function cards(entries: readonly NavEntry[], frame: Frame): string {
  let items = "";
  let groups = "";
  for (const entry of entries) {
    if (entry.type === "group") {
      const inner = entry.hidden ? "" : cards(entry.entries, frame);
      if (inner !== "") {
        groups += `<p class="directory-title">${groupLabel(entry, frame)}</p>${inner}`;
      } else if (isLink(entry, frame)) items += card({ type: "page", path: entry.root }, frame);
      continue;
    }
    items += card(entry, frame);
  }
  return (items === "" ? "" : `<ul class="directory-cards">${items}</ul>`) + groups;
}

/** A list in which groups fold. */
function folds(entries: readonly NavEntry[], frame: Frame): string {
  let items = "";
  for (const entry of entries) {
    if (entry.type === "group") {
      const inner = entry.hidden ? "" : folds(entry.entries, frame);
      if (inner !== "") {
        items += `<li><details><summary>${groupLabel(entry, frame)}</summary>${inner}</details></li>`;
      } else if (isLink(entry, frame)) items += `<li>${groupLabel(entry, frame)}</li>`;
      continue;
    }
    const item = itemOf(entry, frame);
    if (item !== undefined) items += `<li><a href="${item.href}">${item.label}</a></li>`;
  }
  return items === "" ? "" : `<ul class="directory-list">${items}</ul>`;
}
