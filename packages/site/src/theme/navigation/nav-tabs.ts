import { joinAttributes, joinClassNames, html, joinHtml, type Html } from "../../markup/index.ts";
import type { NavDivision } from "../../site/index.ts";
import { renderMenuList, type DivisionChoice } from "./switches.ts";
import type { FrameContext } from "../frame-context.ts";
import { renderLayoutIcon } from "../layout-icons.ts";
import { renderNavLabel } from "./nav-label.ts";

/** Renders the tabs of each row, one row after the other; `isInline` if they are within the bar. */
export function renderTabs(
  rows: readonly DivisionChoice[],
  frame: FrameContext,
  { isInline }: { readonly isInline: boolean },
): Html {
  if (rows.length === 0) return "";
  const start = joinAttributes({
    class: joinClassNames("nav-tabs", isInline && "nav-tabs-inline"),
    "aria-label": frame.words.sections,
    ...(isInline || frame.layout === "sidebar" ? {} : splitRows(rows, frame)),
  });
  const tabs = rows.map(({ divisions, current }) =>
    joinHtml(divisions.map((tab) => renderTab(tab, tab === current, frame))),
  );
  const divider = html`<span class="nav-tabs-divider"></span>`;
  return html`<nav${start}>${joinHtml(tabs, divider)}</nav>`;
}

function renderTab(tab: NavDivision, isCurrent: boolean, frame: FrameContext): Html {
  const label = renderNavLabel({ ...tab, label: frame.labelOf(tab) }, frame.renderIcon);
  const divisions = tab.divisions.filter(({ kind, hidden }) => kind === "item" && !hidden);
  if (divisions.length > 0) {
    const current = divisions.find((item) => frame.trail.divisions.includes(item));
    const start = joinAttributes({ class: "nav-tabs-item", "aria-current": isCurrent && "true" });
    const summary = html`<summary${start}>${label}${renderLayoutIcon("down")}</summary>`;
    const menu = renderMenuList({ divisions, current }, frame);
    return html`<details class="menu nav-tabs-menu" name="menu">${summary}${menu}</details>`;
  }
  const href = frame.divisionHref(tab);
  if (href === undefined) return "";
  const state = isCurrent ? html` aria-current="true" data-active="true"` : "";
  return html`<a class="nav-tabs-item" href="${href}"${state}>${label}</a>`;
}

/** Room in pixels for a row of tabs below the bar, in windows of 1280 and 1024 pixels. */
const [rowWidth, narrowRowWidth] = [1216, 960];
const maxRows = 3;

/** Renders the number of rows of the tabs below the bar, for sticky elements below them; omits a count of one. */
function splitRows(rows: readonly DivisionChoice[], frame: FrameContext) {
  const width = widthOfTabs(rows, frame);
  const formatRowCounts = (room: number) => {
    const count = Math.min(Math.ceil(width / room), maxRows);
    return count < 2 ? undefined : String(count);
  };
  return {
    "data-rows": formatRowCounts(rowWidth),
    "data-narrow-rows": formatRowCounts(narrowRowWidth),
  };
}

/** Room in pixels, beside logo and search in a bar of 1280 pixels, for tabs, and for tabs and links together. */
const inlineTabsWidth = 440;
const inlineWidth = 720;

/** Reports whether all tabs fit between logo and search, also together with the links after the search. */
export function canFitInBar(rows: readonly DivisionChoice[], frame: FrameContext): boolean {
  const tabs = widthOfTabs(rows, frame);
  return tabs <= inlineTabsWidth && tabs + widthOfLinks(frame) <= inlineWidth;
}

/** Estimates the width of the tabs: letters are about 7 pixels wide. */
function widthOfTabs(rows: readonly DivisionChoice[], { labelOf }: FrameContext): number {
  let width = 0;
  for (const { divisions } of rows) {
    for (const tab of divisions) {
      const hasMenu = tab.divisions.some(({ kind }) => kind === "item");
      const icons = Number(tab.icon !== undefined) + Number(hasMenu);
      width += 26 + 20 * icons + 7 * textWidth(labelOf(tab) + (tab.tag ?? ""));
    }
  }
  return width;
}

/** Estimates the width of the links at the end of the bar. */
function widthOfLinks({ config }: FrameContext): number {
  const { links, primary } = config.navbar;
  const shown = primary === undefined ? links : [...links, primary];
  let width = 0;
  for (const { label, icon } of shown) {
    width += 26 + (icon === undefined ? 0 : 20) + 7 * textWidth(label);
  }
  return width;
}

/** Measures text in Latin letters; Chinese, Japanese and Korean characters are twice as wide. */
function textWidth(text: string): number {
  let width = 0;
  for (const letter of text) width += letter >= "\u1100" ? 2 : 1;
  return width;
}
