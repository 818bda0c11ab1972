import {
  attributes,
  classNames,
  element,
  escapeHtml,
  html,
  joinHtml,
  wrap,
  type Html,
} from "../markup/index.ts";
import { contextualMenu } from "../site/index.ts";
import type { SitePage } from "../site/index.ts";
import type { FrameContext } from "./frame-context.ts";
import { layoutIcon } from "./layout-icons.ts";
import { feedAction, pageActions, type PageAction } from "./page-actions.ts";

/** Whether the author wants the actions below the table of contents. */
export function isMenuInContents({ config }: FrameContext, page: SitePage): boolean {
  return contextualMenu(config, page).display === "toc";
}

/** What readers can do with a page, beside its title: one button, and a menu of the rest. */
export function renderPageMenu(frame: FrameContext, page: SitePage, hasFeed: boolean): Html {
  const feed = feedAction(frame, page, hasFeed);
  const content = joinHtml([
    feed === undefined ? "" : renderFeedLink(feed),
    renderSplitButton(frame, pageActions(frame, page)),
  ]);
  return content === "" ? "" : html`<div id="page-context-menu">${content}</div>`;
}

/** The same below the table of contents, where there is room for all of it. */
export function renderPageActions(frame: FrameContext, page: SitePage, hasFeed: boolean): Html {
  const feed = feedAction(frame, page, hasFeed);
  const actions = [...pageActions(frame, page), ...(feed === undefined ? [] : [feed])];
  const items = joinHtml(actions.map((action) => renderItem(action, "page-action")));
  return items === "" ? "" : html`<ul id="page-context-menu">${items}</ul>`;
}

/** An icon alone. */
function renderFeedLink({ attributes: address, icon, label }: PageAction): Html {
  const name = attributes({ "aria-label": label, title: label });
  return html`<a class="page-feed"${address}${name}>${icon}</a>`;
}

function renderSplitButton(
  { words }: FrameContext,
  [first, ...others]: readonly PageAction[],
): Html {
  if (first === undefined) return "";
  const button = renderAction(first, "page-action");
  const menu = others.length === 0 ? "" : renderMenu(others, words.more);
  return wrap("div", "page-actions", html`${button}${menu}`);
}

function renderMenu(actions: readonly PageAction[], label: string): Html {
  const name = attributes({ "aria-label": label, title: label });
  const items = joinHtml(actions.map((action) => renderItem(action, "nav-dropdown-item")));
  const content = html`<summary${name}>${layoutIcon("down")}</summary><ul class="menu-list">${items}</ul>`;
  return html`<details class="menu page-menu" name="menu">${content}</details>`;
}

type ActionClass = "page-action" | "nav-dropdown-item";

function renderItem(action: PageAction, className: ActionClass): Html {
  return html`<li>${renderAction(action, className)}</li>`;
}

/** Only menus have room for descriptions. */
function renderAction(action: PageAction, className: ActionClass): Html {
  const { tag, icon, label, description } = action;
  const start = attributes({ class: classNames(className, action.className) });
  const name = html`<span>${escapeHtml(label)}</span>`;
  const text =
    description === undefined || className === "page-action"
      ? name
      : html`<span class="menu-text">${name}<small>${escapeHtml(description)}</small></span>`;
  return element(tag, html`${action.attributes}${start}`, html`${icon}${text}`);
}
