import {
  joinAttributes,
  escapeHtml,
  html,
  joinHtml,
  wrapInElement,
  type Html,
} from "../markup/index.ts";
import type { NavDivision } from "../site/index.ts";
import {
  listDivisionChoices,
  renderSwitches,
  renderSwitchMenu,
  type SwitchKind,
} from "./navigation/switches.ts";
import type { FrameContext } from "./frame-context.ts";
import { renderNavbarLinks, renderSchemeToggle, listBarSwitches } from "./header.ts";
import { renderLayoutIcon } from "./layout-icons.ts";
import { renderTag } from "./navigation/nav-label.ts";
import type { Sidebar } from "./navigation/sidebar.ts";

/** Renders the panel beside the article; on phones, it also has the content that does not fit in the top bar. */
export function renderSidePanel(frame: FrameContext, sidebar: Sidebar): Html {
  const navigation = joinAttributes({
    id: "navigation-items",
    "aria-label": frame.words.navigation,
    "data-nav": sidebar.isPartial && sidebar.id,
  });
  const content = joinHtml([
    renderTop(frame),
    renderSwitchBoxes(frame),
    renderDropdowns(frame),
    renderAnchors(frame),
    html`<nav${navigation}>${sidebar.renderPart(frame.trail.entries)}</nav>`,
    wrapInElement("div", "sidebar-links only-phone", renderNavbarLinks(frame)),
  ]);
  return html`<div id="sidebar"><div id="sidebar-content">${content}</div></div>`;
}

/** Renders the top of the panel, shown only on phones, where the panel covers the page. */
function renderTop(frame: FrameContext): Html {
  const { navigation, close } = frame.words;
  const start = joinAttributes({ class: "menu-close icon-button", href: "#", "aria-label": close });
  const closeLink = html`<a${start}>${renderLayoutIcon("close")}</a>`;
  return html`<div class="sidebar-top"><span>${escapeHtml(navigation)}</span>${renderSchemeToggle(frame)}${closeLink}</div>`;
}

const switchKinds: readonly SwitchKind[] = ["product", "version", "language"];

/** Renders the switches that the bar does not show; on phones, where the bar does not show any, all switches. */
function renderSwitchBoxes(frame: FrameContext): Html {
  const inBar: readonly SwitchKind[] = [...listBarSwitches(frame), "language"];
  const others = switchKinds.filter((kind) => !inBar.includes(kind));
  return joinHtml([
    wrapInElement("div", "sidebar-switches", renderSwitches(frame, others)),
    wrapInElement("div", "sidebar-switches only-phone", renderSwitches(frame, inBar)),
  ]);
}

function renderDropdowns(frame: FrameContext): Html {
  const choices = [
    ...listDivisionChoices(frame, "dropdown"),
    ...listDivisionChoices(frame, "item"),
  ].filter(({ divisions, current }) => divisions.length > 1 && current !== undefined);
  const label = frame.words.navigation;
  const menus = choices.map((choice) => renderSwitchMenu(choice, frame, label));
  return wrapInElement("div", "sidebar-switches", joinHtml(menus));
}

/** Renders anchors, and dropdowns that do not contain the page: they lead elsewhere from every page. */
function renderAnchors(frame: FrameContext): Html {
  const away = listDivisionChoices(frame, "dropdown").filter(
    ({ current }) => current === undefined,
  );
  const items = [...away, ...listDivisionChoices(frame, "anchor")].flatMap(
    ({ divisions, current }) =>
      divisions.map((anchor) => renderAnchor(anchor, anchor === current, frame)),
  );
  return wrapInElement("ul", "nav-anchors", joinHtml(items));
}

function renderAnchor(anchor: NavDivision, isCurrent: boolean, frame: FrameContext): Html {
  const href = frame.divisionHref(anchor);
  if (href === undefined) return "";
  const state = joinAttributes({ "aria-current": isCurrent && "true" });
  const icon = frame.renderIcon(anchor.icon, anchor.iconType) || renderLayoutIcon("link");
  const content = joinHtml([
    html`<span class="nav-anchor-icon">${icon}</span>`,
    html`<span>${escapeHtml(frame.labelOf(anchor))}</span>${renderTag(anchor.tag)}`,
  ]);
  return html`<li><a class="nav-anchor" href="${href}"${state}>${content}</a></li>`;
}
