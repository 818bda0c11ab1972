import { escapeHtml } from "../markup/index.ts";
import type { NavDivision, NavbarLink } from "../site/index.ts";
import type { Frame } from "./frame.ts";
import { pageMode } from "./page-mode.ts";
import {
  choicesOf,
  divisionLabel,
  menuList,
  switches,
  type Choice,
  type SwitchKind,
} from "./switches.ts";
import { tagPill } from "./sidebar.ts";
import { hasSidebar } from "./theme-layout.ts";

/**
 * What stands at the top: logo, switches, search, links and tabs, in the order in which the layout shows
 * them. In the `sidebar` layout the links are at the foot of the column instead.
 */
export function header(frame: Frame, hasContents: boolean): string {
  const rows = choicesOf(frame, "tab");
  const isInline = frame.layout === "card" && fitInBar(rows);
  const row = [
    `<div class="navbar-start">${logo(frame)}${switches(frame, switchesInBar(frame))}</div>`,
    isInline ? tabs(frame, rows, " nav-tabs-inline") : "",
    searchButton(frame),
    frame.layout === "sidebar" ? "" : barEnd(frame),
    hasContents ? contentsButton(frame) : "",
    menuButton(frame),
  ].join("");
  return (
    `<header id="header"><div id="navbar"><div class="navbar-row">${row}</div>` +
    `${isInline ? "" : tabs(frame, rows, "")}</div></header>`
  );
}

/** What stands beside the logo; the rest is at the top of the sidebar, and all of it where there is none. */
export function switchesInBar({ layout, page }: Frame): readonly SwitchKind[] {
  if (layout === "sidebar") return [];
  return hasSidebar(pageMode(page)) ? ["version"] : ["product", "version"];
}

/** Links, languages and the switch between light and dark. */
export function barEnd(frame: Frame): string {
  return (
    '<div class="topbar-right-container">' +
    navbarLinks(frame) +
    switches(frame, ["language"]) +
    `${schemeToggle(frame)}</div>`
  );
}

function searchButton({ config, words }: Frame): string {
  const search = escapeHtml(config.searchPrompt ?? words.search);
  return (
    '<button id="search-bar-entry" class="search-button" type="button" aria-haspopup="dialog" ' +
    `aria-label="${search}"><i class="i i-search"></i><span>${search}</span><kbd>/</kbd></button>`
  );
}

/** Opens the table of contents where there is no room beside the article for it, also without scripts. */
function contentsButton({ words }: Frame): string {
  const label = escapeHtml(words.onThisPage);
  return (
    `<button class="contents-button icon-button" type="button" popovertarget="table-of-contents-content" ` +
    `aria-label="${label}" title="${label}"><i class="i i-toc"></i></button>`
  );
}

function menuButton({ words }: Frame): string {
  return `<a class="menu-button icon-button" href="#sidebar" aria-label="${escapeHtml(words.menu)}"><i class="i i-menu"></i></a>`;
}

export function schemeToggle({ config, words }: Frame): string {
  if (config.appearance.strict) return "";
  const label = escapeHtml(words.switchScheme);
  return (
    `<button class="scheme-toggle icon-button" type="button" data-component-name="theme-toggle" ` +
    `aria-label="${label}" title="${label}"><i class="i i-sun"></i><i class="i i-moon"></i></button>`
  );
}

function logo(frame: Frame): string {
  const { config, links } = frame;
  const home = homeHref(frame);
  const name = escapeHtml(config.name);
  const light = config.logo && links.toPicture(config.logo.light);
  const dark = config.logo && links.toPicture(config.logo.dark);
  if (light === undefined || dark === undefined) {
    return `<a class="nav-logo" href="${home}"><span class="nav-logo-name" dir="auto">${name}</span></a>`;
  }
  const image = (source: string, classes: string) =>
    `<img class="${classes}" src="${source}" alt="${name}">`;
  const images =
    light === dark
      ? image(light, "nav-logo")
      : image(light, "nav-logo only-light") + image(dark, "nav-logo only-dark");
  return `<a class="nav-logo-link" href="${home}">${images}</a>`;
}

/** Where the logo leads: as configured, else the first page of the reader's language and version. */
function homeHref(frame: Frame): string {
  const { config, links, trail } = frame;
  const configured = config.logo?.href;
  const href = configured === undefined ? undefined : links.toTarget(configured);
  if (href !== undefined) return href;
  const [home] = trail.divisions.filter(
    ({ kind }) => kind === "language" || kind === "version" || kind === "product",
  );
  return (home && frame.hrefOf(home)) ?? links.toTarget("/") ?? "";
}

const platformNames = { github: "GitHub", discord: "Discord" } as const;

function linkLabel(link: NavbarLink): string {
  if (link.label !== "" || link.type === "link" || link.type === "button") return link.label;
  return platformNames[link.type];
}

/** The links and the button of the bar; written into the phone's menu as well. */
export function navbarLinks({ icon, links, config: { navbar } }: Frame): string {
  let markup = "";
  for (const link of navbar.links) {
    const href = links.toTarget(link.href);
    if (href === undefined) continue;
    const glyph = platformIcon(link) || icon(link.icon, link.iconType);
    const label = linkLabel(link);
    const name =
      label === ""
        ? ` aria-label="${escapeHtml(link.href.replace(/^[a-z]+:(?:\/\/)?/i, ""))}"`
        : "";
    markup += `<a class="navbar-link" href="${href}"${name}>${glyph}${escapeHtml(label)}</a>`;
  }
  const { primary } = navbar;
  const href = primary && links.toTarget(primary.href);
  if (primary === undefined || href === undefined) return markup;
  const glyph = platformIcon(primary) || icon(primary.icon, primary.iconType);
  return `${markup}<a class="navbar-primary" href="${href}">${glyph}${escapeHtml(linkLabel(primary))}</a>`;
}

function platformIcon({ type }: NavbarLink): string {
  return type === "github" || type === "discord" ? `<i class="i i-${type}"></i>` : "";
}

function tabs(frame: Frame, rows: readonly Choice[], place: string): string {
  if (rows.length === 0) return "";
  const items = rows.map((row) =>
    row.divisions.map((tab) => tabItem(tab, tab === row.current, frame)).join(""),
  );
  return (
    `<nav class="nav-tabs${place}" aria-label="${escapeHtml(frame.words.navigation)}">` +
    `${items.join('<span class="nav-tabs-divider"></span>')}</nav>`
  );
}

/** Width of the tabs that a bar of 1280 pixels has room for beside logo, search and links; letters of about 7 pixels. */
const inlineTabsWidth = 440;

/** Whether all tabs fit between logo and search; others get a row of their own. */
function fitInBar(rows: readonly Choice[]): boolean {
  let width = 0;
  for (const { divisions } of rows) {
    for (const tab of divisions) {
      const hasMenu = tab.divisions.some(({ kind }) => kind === "item");
      const marks = Number(tab.icon !== undefined) + Number(hasMenu);
      width += 26 + 20 * marks + 7 * textWidth(divisionLabel(tab) + (tab.tag ?? ""));
    }
  }
  return width <= inlineTabsWidth;
}

/** In Latin letters; those of Chinese, Japanese and Korean are twice as wide. */
function textWidth(text: string): number {
  let width = 0;
  for (const letter of text) width += letter >= "\u1100" ? 2 : 1;
  return width;
}

function tabItem(tab: NavDivision, isCurrent: boolean, frame: Frame): string {
  const label =
    frame.icon(tab.icon, tab.iconType) +
    `<span>${escapeHtml(divisionLabel(tab))}</span>` +
    (tab.tag === undefined ? "" : tagPill(tab.tag));
  const menu = tab.divisions.filter(({ kind, hidden }) => kind === "item" && !hidden);
  if (menu.length > 0) {
    const current = menu.find((item) => frame.trail.divisions.includes(item));
    return (
      `<details class="menu nav-tabs-menu" name="menu"><summary class="nav-tabs-item"${isCurrent ? ' aria-current="true"' : ""}>` +
      `${label}<i class="i i-down"></i></summary>${menuList({ divisions: menu, current }, frame)}</details>`
    );
  }
  const href = frame.hrefOf(tab);
  if (href === undefined) return "";
  const current = isCurrent ? ' aria-current="true" data-active="true"' : "";
  return `<a class="nav-tabs-item" href="${href}"${current}>${label}</a>`;
}
