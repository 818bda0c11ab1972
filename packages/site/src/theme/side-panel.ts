import { escapeHtml } from "../markup/index.ts";
import type { Frame } from "./frame.ts";
import { navbarLinks, schemeToggle, switchesInBar } from "./header.ts";
import { tagPill, type Sidebar } from "./sidebar.ts";
import { choicesOf, divisionLabel, switches, switchMenu, type SwitchKind } from "./switches.ts";

const switchKinds: readonly SwitchKind[] = ["product", "version", "language"];

/** Everything beside the article: on phones also what the bar at the top has no room for. */
export function sidePanel(frame: Frame, sidebar: Sidebar): string {
  const { words } = frame;
  const label = escapeHtml(words.navigation);
  const links = navbarLinks(frame);
  const source = sidebar.isPartial ? ` data-nav="${sidebar.id}"` : "";
  return (
    `<div id="sidebar"><div id="sidebar-content">` +
    `<div class="sidebar-top"><span>${label}</span>${schemeToggle(frame)}` +
    `<a class="menu-close icon-button" href="#" aria-label="${escapeHtml(words.close)}"><i class="i i-close"></i></a></div>` +
    switchBoxes(frame) +
    dropdowns(frame) +
    anchors(frame) +
    `<nav id="navigation-items" aria-label="${label}"${source}>${sidebar.list(frame.trail.entries)}</nav>` +
    (links === "" ? "" : `<div class="sidebar-links only-phone">${links}</div>`) +
    `</div></div>`
  );
}

/** The switches that the bar does not show; on phones, where it shows none, all of them. */
function switchBoxes(frame: Frame): string {
  const inBar: readonly SwitchKind[] = [...switchesInBar(frame), "language"];
  const box = (classes: string, kinds: readonly SwitchKind[]) => {
    const menus = switches(frame, kinds);
    return menus === "" ? "" : `<div class="sidebar-switches${classes}">${menus}</div>`;
  };
  const own = switchKinds.filter((kind) => !inBar.includes(kind));
  return box("", own) + box(" only-phone", inBar);
}

function dropdowns(frame: Frame): string {
  const menus = [...choicesOf(frame, "dropdown"), ...choicesOf(frame, "item")].filter(
    ({ divisions, current }) => divisions.length > 1 && current !== undefined,
  );
  if (menus.length === 0) return "";
  const markup = menus.map((choice) => switchMenu(choice, frame, frame.words.navigation)).join("");
  return `<div class="sidebar-switches">${markup}</div>`;
}

/** Anchors, and dropdowns that the page stands in none of: they lead elsewhere from every page. */
function anchors(frame: Frame): string {
  let items = "";
  const away = choicesOf(frame, "dropdown").filter(({ current }) => current === undefined);
  for (const choice of [...away, ...choicesOf(frame, "anchor")]) {
    for (const anchor of choice.divisions) {
      const href = frame.hrefOf(anchor);
      if (href === undefined) continue;
      const current = anchor === choice.current ? ' aria-current="true"' : "";
      items +=
        `<li><a class="nav-anchor" href="${href}"${current}><span class="nav-anchor-icon">${frame.icon(anchor.icon, anchor.iconType) || '<i class="i i-link"></i>'}</span>` +
        `<span>${escapeHtml(divisionLabel(anchor))}</span>${anchor.tag === undefined ? "" : tagPill(anchor.tag)}</a></li>`;
    }
  }
  return items === "" ? "" : `<ul class="nav-anchors">${items}</ul>`;
}
