import { escapeHtml } from "../components/html.ts";
import type { NavDivision } from "../site/site.ts";
import type { NavbarLink } from "../site/config.ts";
import type { Frame } from "./frame.ts";
import { choicesOf, divisionLabel, menuList, switches } from "./switches.ts";
import { tagPill } from "./sidebar.ts";

/** The bar at the top: logo, switches, search, links and the row of tabs. */
export function header(frame: Frame): string {
  const { words, config } = frame;
  const search = escapeHtml(config.searchPrompt ?? words.search);
  const toggle = schemeToggle(frame);
  return (
    '<header id="header"><div id="navbar"><div class="navbar-row">' +
    `<div class="navbar-start">${logo(frame)}${switches(frame, ["product", "version"])}</div>` +
    '<button id="search-bar-entry" class="search-button" type="button" aria-haspopup="dialog" ' +
    `aria-label="${search}"><i class="i i-search"></i><span>${search}</span><kbd>/</kbd></button>` +
    '<div class="topbar-right-container">' +
    navbarLinks(frame) +
    switches(frame, ["language"]) +
    `${toggle}</div>` +
    `<a class="menu-button icon-button" href="#sidebar" aria-label="${escapeHtml(words.menu)}"><i class="i i-menu"></i></a>` +
    `</div>${tabs(frame)}</div></header>`
  );
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
    return `<a class="nav-logo" href="${home}"><span class="nav-logo-name">${name}</span></a>`;
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

function tabs(frame: Frame): string {
  const rows = choicesOf(frame, "tab");
  if (rows.length === 0) return "";
  const items = rows.map((row) =>
    row.divisions.map((tab) => tabItem(tab, tab === row.current, frame)).join(""),
  );
  return (
    `<nav class="nav-tabs" aria-label="${escapeHtml(frame.words.navigation)}">` +
    `${items.join('<span class="nav-tabs-divider"></span>')}</nav>`
  );
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
