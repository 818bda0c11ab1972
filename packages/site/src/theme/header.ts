import {
  escapeHtml,
  html,
  joinAttributes,
  joinClassNames,
  joinHtml,
  type Html,
} from "../markup/index.ts";
import type { NavDivision, NavbarLink } from "../site/index.ts";
import {
  listDivisionChoices,
  renderMenuList,
  renderSwitches,
  type DivisionChoice,
  type SwitchKind,
} from "./navigation/switches.ts";
import type { FrameContext } from "./frame-context.ts";
import { renderLayoutIcon } from "./layout-icons.ts";
import { getPageMode, hasSidebar } from "./theme-layout.ts";
import { renderNavLabel } from "./navigation/nav-label.ts";

/**
 * Renders the top of a page: the logo, switches, search, links and tabs, in the order of the layout. In the `sidebar`
 * layout, the links are at the bottom of the column instead.
 */
export function renderHeader(frame: FrameContext, hasContents: boolean): Html {
  const rows = listDivisionChoices(frame, "tab");
  const isInline = frame.layout === "card" && canFitInBar(rows, frame);
  const tabs = renderTabs(rows, frame, { isInline });
  const row = joinHtml([
    html`<div class="navbar-start">${renderLogo(frame)}${renderSwitches(frame, listBarSwitches(frame))}</div>`,
    isInline ? tabs : "",
    renderSearchButton(frame),
    frame.layout === "sidebar" ? "" : renderBarEnd(frame),
    hasContents ? renderContentsButton(frame) : "",
    renderMenuButton(frame),
  ]);
  const rowBelow = isInline ? "" : tabs;
  return html`<header id="header"><div id="navbar"><div class="navbar-row">${row}</div>${rowBelow}</div></header>`;
}

/** Lists the switches next to the logo. The other switches are at the top of the sidebar if there is one. */
export function listBarSwitches({ layout, page }: FrameContext): readonly SwitchKind[] {
  if (layout === "sidebar") return [];
  return hasSidebar(getPageMode(page)) ? ["version"] : ["product", "version"];
}

/** Renders the links, the language menu and the switch between light and dark. */
export function renderBarEnd(frame: FrameContext): Html {
  const switches = renderSwitches(frame, ["language"]);
  return html`<div class="topbar-right-container">${renderNavbarLinks(frame)}${switches}${renderSchemeToggle(frame)}</div>`;
}

function renderSearchButton({ config, words }: FrameContext): Html {
  const label = config.searchPrompt ?? words.search;
  const attributes = joinAttributes({
    id: "search-bar-entry",
    class: "search-button",
    type: "button",
    "aria-haspopup": "dialog",
    "aria-label": label,
  });
  return html`<button${attributes}>${renderLayoutIcon("search")}<span>${escapeHtml(label)}</span><kbd>/</kbd></button>`;
}

/**
 * Renders the button that opens the table of contents if there is no room for it next to the article. The button works
 * without scripts.
 */
function renderContentsButton({ words }: FrameContext): Html {
  const attributes = joinAttributes({
    class: "contents-button icon-button",
    type: "button",
    popovertarget: "table-of-contents-content",
    "aria-label": words.onThisPage,
    title: words.onThisPage,
  });
  return html`<button${attributes}>${renderLayoutIcon("toc")}</button>`;
}

function renderMenuButton({ words }: FrameContext): Html {
  const attributes = joinAttributes({
    class: "menu-button icon-button",
    href: "#sidebar",
    "aria-label": words.menu,
  });
  return html`<a${attributes}>${renderLayoutIcon("menu")}</a>`;
}

export function renderSchemeToggle({ config, words }: FrameContext): Html {
  if (config.appearance.strict) return "";
  const attributes = joinAttributes({
    class: "scheme-toggle icon-button",
    type: "button",
    "data-component-name": "theme-toggle",
    "aria-label": words.switchScheme,
    title: words.switchScheme,
  });
  return html`<button${attributes}>${renderLayoutIcon("sun")}${renderLayoutIcon("moon")}</button>`;
}

function renderLogo(frame: FrameContext): Html {
  const { config, links } = frame;
  const home = chooseHomeHref(frame);
  const name = escapeHtml(config.name);
  const light = config.logo && links.toImage(config.logo.light);
  const dark = config.logo && links.toImage(config.logo.dark);
  if (light === undefined || dark === undefined) {
    return html`<a class="nav-logo" href="${home}"><span class="nav-logo-name" dir="auto">${name}</span></a>`;
  }
  const renderPicture = (source: Html, classes: string): Html =>
    html`<img${joinAttributes({ class: classes })} src="${source}" alt="${name}">`;
  const pictures =
    light === dark
      ? renderPicture(light, "nav-logo")
      : html`${renderPicture(light, "nav-logo only-light")}${renderPicture(dark, "nav-logo only-dark")}`;
  return html`<a class="nav-logo-link" href="${home}">${pictures}</a>`;
}

/**
 * Returns the target of the logo, which is the configured target or, if there is none, the first page of the reader's
 * language and version.
 */
function chooseHomeHref(frame: FrameContext): Html {
  const { config, links, trail } = frame;
  const configured = config.logo?.href;
  const href = configured === undefined ? undefined : links.toTarget(configured);
  if (href !== undefined) return href;
  const home = trail.divisions.find(
    ({ kind }) => kind === "language" || kind === "version" || kind === "product",
  );
  return (home && frame.findDivisionHref(home)) ?? links.toTarget("/") ?? "";
}

/** Renders the links and the button of the bar, which the menu on phones also contains. */
export function renderNavbarLinks(frame: FrameContext): Html {
  const { links, primary } = frame.config.navbar;
  const renderedLinks = links.map((link) => renderNavbarLink(link, frame));
  return joinHtml([
    ...renderedLinks,
    primary === undefined ? "" : renderPrimaryLink(primary, frame),
  ]);
}

function renderNavbarLink(link: NavbarLink, frame: FrameContext): Html {
  const href = frame.links.toTarget(link.href);
  if (href === undefined) return "";
  const label = getLinkLabel(link);
  const name = joinAttributes({ "aria-label": label === "" && removeScheme(link.href) });
  return html`<a class="navbar-link" href="${href}"${name}>${renderLinkIcon(link, frame)}${escapeHtml(label)}</a>`;
}

function renderPrimaryLink(link: NavbarLink, frame: FrameContext): Html {
  const href = frame.links.toTarget(link.href);
  if (href === undefined) return "";
  return html`<a class="navbar-primary" href="${href}">${renderLinkIcon(link, frame)}${escapeHtml(getLinkLabel(link))}</a>`;
}

function removeScheme(address: string): string {
  return address.replace(/^[a-z]+:(?:\/\/)?/i, "");
}

const platformNames = { github: "GitHub", discord: "Discord" } as const;

function getLinkLabel({ type, label }: NavbarLink): string {
  if (label !== "" || type === "link" || type === "button") return label;
  return platformNames[type];
}

function renderLinkIcon({ type, icon, iconType }: NavbarLink, { renderIcon }: FrameContext): Html {
  if (type === "github" || type === "discord") return renderLayoutIcon(type);
  return renderIcon(icon, iconType);
}

/** Renders the rows of tabs. `isInline` means that they are within the bar. */
function renderTabs(
  rows: readonly DivisionChoice[],
  frame: FrameContext,
  { isInline }: { readonly isInline: boolean },
): Html {
  if (rows.length === 0) return "";
  const attributes = joinAttributes({
    class: joinClassNames("nav-tabs", isInline && "nav-tabs-inline"),
    "aria-label": frame.words.sections,
    ...(isInline || frame.layout === "sidebar" ? {} : countTabRows(rows, frame)),
  });
  const tabs = rows.map(({ divisions, current }) =>
    joinHtml(divisions.map((tab) => renderTab(tab, tab === current, frame))),
  );
  const divider = html`<span class="nav-tabs-divider"></span>`;
  return html`<nav${attributes}>${joinHtml(tabs, divider)}</nav>`;
}

function renderTab(tab: NavDivision, isCurrent: boolean, frame: FrameContext): Html {
  const label = renderNavLabel({ ...tab, label: frame.getDivisionLabel(tab) }, frame.renderIcon);
  const divisions = tab.divisions.filter(({ kind, hidden }) => kind === "item" && !hidden);
  if (divisions.length > 0) {
    const current = divisions.find((item) => frame.trail.divisions.includes(item));
    const attributes = joinAttributes({
      class: "nav-tabs-item",
      "aria-current": isCurrent && "true",
    });
    const summary = html`<summary${attributes}>${label}${renderLayoutIcon("down")}</summary>`;
    const menu = renderMenuList({ divisions, current }, frame);
    return html`<details class="menu nav-tabs-menu" name="menu">${summary}${menu}</details>`;
  }
  const href = frame.findDivisionHref(tab);
  if (href === undefined) return "";
  const state = isCurrent ? html` aria-current="true" data-active="true"` : "";
  return html`<a class="nav-tabs-item" href="${href}"${state}>${label}</a>`;
}

/** The width available for a row of tabs below the bar, in pixels, in windows with a width of 1280 and 1024 pixels. */
const [rowWidth, narrowRowWidth] = [1216, 960];
const maxRows = 3;

/**
 * Renders the number of rows that the tabs below the bar occupy, for sticky elements below them. A count of one is
 * omitted.
 */
function countTabRows(rows: readonly DivisionChoice[], frame: FrameContext) {
  const width = estimateTabsWidth(rows, frame);
  const formatRowCount = (availableWidth: number) => {
    const count = Math.min(Math.ceil(width / availableWidth), maxRows);
    return count < 2 ? undefined : String(count);
  };
  return {
    "data-rows": formatRowCount(rowWidth),
    "data-narrow-rows": formatRowCount(narrowRowWidth),
  };
}

/** The width available for tabs next to the logo and the search, in pixels, in a bar with a width of 1280 pixels. */
const inlineTabsWidth = 440;
/** The width available for tabs and links together, in pixels, in the same bar. */
const inlineWidth = 720;

/** Reports whether all tabs fit between the logo and the search, including the links after the search. */
function canFitInBar(rows: readonly DivisionChoice[], frame: FrameContext): boolean {
  const tabs = estimateTabsWidth(rows, frame);
  return tabs <= inlineTabsWidth && tabs + estimateLinksWidth(frame) <= inlineWidth;
}

/** Estimates the width of the tabs. A letter is about 7 pixels wide. */
function estimateTabsWidth(
  rows: readonly DivisionChoice[],
  { getDivisionLabel }: FrameContext,
): number {
  let width = 0;
  for (const { divisions } of rows) {
    for (const tab of divisions) {
      const hasMenu = tab.divisions.some(({ kind }) => kind === "item");
      const icons = Number(tab.icon !== undefined) + Number(hasMenu);
      width += 26 + 20 * icons + 7 * measureTextWidth(getDivisionLabel(tab) + (tab.tag ?? ""));
    }
  }
  return width;
}

/** Estimates the width of the links at the end of the bar. */
function estimateLinksWidth({ config }: FrameContext): number {
  const { links, primary } = config.navbar;
  const shownLinks = primary === undefined ? links : [...links, primary];
  let width = 0;
  for (const { label, icon } of shownLinks) {
    width += 26 + (icon === undefined ? 0 : 20) + 7 * measureTextWidth(label);
  }
  return width;
}

/**
 * Measures text in Latin letters. Chinese, Japanese and Korean characters count double because they are twice as wide.
 */
function measureTextWidth(text: string): number {
  let width = 0;
  for (const letter of text) width += letter >= "\u1100" ? 2 : 1;
  return width;
}
