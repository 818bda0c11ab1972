import {
  joinAttributes,
  joinClassNames,
  buildElement,
  escapeHtml,
  html,
  joinHtml,
  wrapInElement,
  fillPlaceholders,
  type Html,
} from "../markup/index.ts";
import {
  getContextualMenu,
  assistants,
  getFeedPath,
  type SitePage,
  type ContextualOption,
} from "../site/index.ts";
import type { FrameContext } from "./frame-context.ts";
import { renderLayoutIcon } from "./layout-icons.ts";
import { renderFileHref, getFileUrl, getPublicFileUrl } from "./link.ts";

/** An action that a reader can take on a page. */
interface PageAction {
  /** The name of the element, which is a link or a button of the reader's script. */
  readonly tag: "a" | "button";
  /** The attributes of the element except its class. */
  readonly attributes: Html;
  readonly className?: string;
  readonly icon: Html;
  readonly label: string;
  readonly description?: string | undefined;
}

/** Reports whether the author placed the actions below the table of contents. */
export function isMenuInContents({ config }: FrameContext, page: SitePage): boolean {
  return getContextualMenu(config, page).display === "toc";
}

/** Renders the page's actions next to its title, as one button and a menu with the remaining actions. */
export function renderPageMenu(frame: FrameContext, page: SitePage, hasFeed: boolean): Html {
  const feed = createFeedAction(frame, page, hasFeed);
  const content = joinHtml([
    feed === undefined ? "" : renderFeedLink(feed),
    renderSplitButton(frame, listPageActions(frame, page)),
  ]);
  return content === "" ? "" : html`<div id="page-context-menu">${content}</div>`;
}

/** Renders the page's actions below the table of contents, where there is room for all of them. */
export function renderPageActions(frame: FrameContext, page: SitePage, hasFeed: boolean): Html {
  const feed = createFeedAction(frame, page, hasFeed);
  const actions = [...listPageActions(frame, page), ...(feed === undefined ? [] : [feed])];
  const items = joinHtml(actions.map((action) => renderItem(action, "page-action")));
  return items === "" ? "" : html`<ul id="page-context-menu">${items}</ul>`;
}

/** Renders the link to the feed as an icon without text. */
function renderFeedLink({ attributes: address, icon, label }: PageAction): Html {
  const name = joinAttributes({ "aria-label": label, title: label });
  return html`<a class="page-feed"${address}${name}>${icon}</a>`;
}

function renderSplitButton(
  { words }: FrameContext,
  [first, ...others]: readonly PageAction[],
): Html {
  if (first === undefined) return "";
  const button = renderAction(first, "page-action");
  const menu = others.length === 0 ? "" : renderMenu(others, words.more);
  return wrapInElement("div", "page-actions", html`${button}${menu}`);
}

function renderMenu(actions: readonly PageAction[], label: string): Html {
  const name = joinAttributes({ "aria-label": label, title: label });
  const items = joinHtml(actions.map((action) => renderItem(action, "nav-dropdown-item")));
  const content = html`<summary${name}>${renderLayoutIcon("down")}</summary><ul class="menu-list">${items}</ul>`;
  return html`<details class="menu page-menu" name="menu">${content}</details>`;
}

type ActionClass = "page-action" | "nav-dropdown-item";

function renderItem(action: PageAction, className: ActionClass): Html {
  return html`<li>${renderAction(action, className)}</li>`;
}

/** Renders an action. Only menus have room for its description. */
function renderAction(action: PageAction, className: ActionClass): Html {
  const { tag, icon, label, description } = action;
  const attributes = joinAttributes({ class: joinClassNames(className, action.className) });
  const name = html`<span>${escapeHtml(label)}</span>`;
  const text =
    description === undefined || className === "page-action"
      ? name
      : html`<span class="menu-text">${name}<small>${escapeHtml(description)}</small></span>`;
  return buildElement(tag, html`${action.attributes}${attributes}`, html`${icon}${text}`);
}

/**
 * Lists the actions: the page as Markdown, in the clipboard or as a file, the site's own entries, and assistants, which
 * require an address that they can reach. Omits entries that require a service (the format's own assistant, MCP
 * servers, PDF).
 */
function listPageActions(frame: FrameContext, page: SitePage): readonly PageAction[] {
  const { options } = getContextualMenu(frame.config, page);
  return options.flatMap((option) => {
    const action =
      typeof option === "string"
        ? createBuiltInAction(option, frame, page)
        : createOwnAction(option, frame, page);
    return action ?? [];
  });
}

/** Creates the link to the feed if the page requests it. `hasFeed` indicates whether the bundle has a feed. */
function createFeedAction(
  { words }: FrameContext,
  { path, frontmatter }: SitePage,
  hasFeed: boolean,
): PageAction | undefined {
  if (!hasFeed || frontmatter.rss !== true) return undefined;
  const attributes = html` href="${renderFileHref(getFeedPath(path))}" type="application/rss+xml"`;
  return { tag: "a", attributes, icon: renderLayoutIcon("rss"), label: words.feed };
}

/** Creates a built-in action. Returns undefined for entries that a bundle cannot offer. */
function createBuiltInAction(
  option: string,
  frame: FrameContext,
  page: SitePage,
): PageAction | undefined {
  const { words } = frame;
  const markdown = renderFileHref(`${page.path}.md`);
  if (option === "copy") {
    return {
      tag: "button",
      attributes: html` type="button" data-source="${markdown}"`,
      className: "copy-page",
      icon: renderLayoutIcon("copy"),
      label: words.copyPage,
    };
  }
  if (option === "view") {
    const attributes = html` href="${markdown}"`;
    return {
      tag: "a",
      attributes,
      icon: renderLayoutIcon("file"),
      label: words.viewAsMarkdown,
    };
  }
  return createAssistantAction(option, frame, page);
}

function createAssistantAction(
  option: string,
  { baseUrl, words }: FrameContext,
  page: SitePage,
): PageAction | undefined {
  const assistant = assistants.get(option);
  if (assistant === undefined || baseUrl === undefined) return undefined;
  const [name, address] = assistant;
  const question = `Read ${getMarkdownAddress(baseUrl, page)} and answer questions about it.`;
  return {
    tag: "a",
    attributes: formatLinkAttributes(escapeHtml(address + encodeURIComponent(question))),
    icon: renderLayoutIcon("away"),
    label: fillPlaceholders(words.openIn, { assistant: name }),
  };
}

/**
 * Creates the author's own action. Returns undefined for an entry about an MCP server, which a bundle does not have.
 */
function createOwnAction(
  option: ContextualOption,
  frame: FrameContext,
  page: SitePage,
): PageAction | undefined {
  const { href, query, title, description, icon } = option;
  if (href.includes("$mcp") || query.some(([, value]) => value.includes("$mcp"))) return undefined;
  const fillIn = (text: string): string => fillVariables(text, frame, page);
  const address = frame.links.toTarget(fillIn(href));
  if (address === undefined) return undefined;
  const parameters = query.map(
    ([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(fillIn(value))}`,
  );
  const separator = href.includes("?") ? "&" : "?";
  const search = parameters.length === 0 ? "" : separator + parameters.join("&");
  return {
    tag: "a",
    attributes: formatLinkAttributes(html`${address}${escapeHtml(search)}`),
    icon: frame.renderIcon(icon),
    label: title,
    description,
  };
}

function formatLinkAttributes(href: Html): Html {
  const isOutside = /^https?:/i.test(href);
  const windowAttributes = joinAttributes({
    target: isOutside && "_blank",
    rel: isOutside && "noreferrer",
  });
  return html` href="${href}"${windowAttributes}`;
}

/**
 * Replaces `$page` with the address of the page's Markdown, or with the page's title if the address is unknown. The
 * page's text would be too long for an address.
 */
function fillVariables(text: string, { baseUrl }: FrameContext, page: SitePage): string {
  const address = baseUrl === undefined ? page.title : getMarkdownAddress(baseUrl, page);
  return text.replaceAll("$page", () => address).replaceAll("$path", () => `/${page.path}`);
}

function getMarkdownAddress(baseUrl: string, { path }: SitePage): string {
  return getPublicFileUrl(baseUrl, getFileUrl(`${path}.md`));
}
