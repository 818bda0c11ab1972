import { escapeHtml, fill } from "../markup/index.ts";
import { feedFile, assistants, contextualMenu } from "../site/index.ts";
import type { ContextualOption, SitePage } from "../site/index.ts";
import type { Frame } from "./frame.ts";
import { fileUrl } from "./link.ts";
import { rootMark } from "./markup.ts";
import { publicFileUrl } from "./social-tags.ts";

/** What a reader can do with a page. */
interface Action {
  /** Start tag of a link or a button, without its class and its end. */
  readonly start: string;
  readonly classes?: string;
  readonly icon: string;
  readonly label: string;
  readonly description?: string | undefined;
}

/**
 * What a reader can take away: the page as Markdown, to the clipboard or as a file; the site's own entries;
 * and assistants, which must be told an address that they can reach. The first is a button, the others are
 * in a menu that opens from it. What needs a service (the format's own assistant, MCP servers, PDF) is left
 * out. A changelog that asks for it shows its feed.
 */
export function pageMenu(frame: Frame, page: SitePage, hasFeed: boolean): string {
  const feed = hasFeed && page.frontmatter.rss === true ? feedLink(frame, page) : "";
  const content = feed + splitButton(frame, actionsOf(frame, page));
  return content === "" ? "" : `<div id="page-context-menu">${content}</div>`;
}

/** The same below the table of contents, where there is room for all of it. */
export function pageActions(frame: Frame, page: SitePage, hasFeed: boolean): string {
  const actions = actionsOf(frame, page);
  if (hasFeed && page.frontmatter.rss === true) {
    const start = `<a href="${feedAddress(page)}" type="application/rss+xml"`;
    actions.push({ start, icon: layoutIcon("rss"), label: frame.words.feed });
  }
  const items = actions.map((action) => `<li>${actionMarkup(action, "page-action")}</li>`);
  return items.length === 0 ? "" : `<ul id="page-context-menu">${items.join("")}</ul>`;
}

function actionsOf(frame: Frame, page: SitePage): Action[] {
  const { options } = contextualMenu(frame.config, page);
  return options.flatMap((option) => actionOf(frame, page, option) ?? []);
}

function feedAddress({ path }: SitePage): string {
  return rootMark + escapeHtml(fileUrl(feedFile(path)));
}

function feedLink({ words }: Frame, page: SitePage): string {
  const label = escapeHtml(words.feed);
  return `<a class="page-feed" href="${feedAddress(page)}" type="application/rss+xml" aria-label="${label}" title="${label}"><i class="i i-rss"></i></a>`;
}

/** Whether the author wants the actions below the table of contents. */
export function isMenuInContents({ config }: Frame, page: SitePage): boolean {
  return contextualMenu(config, page).display === "toc";
}

function splitButton({ words }: Frame, [first, ...others]: readonly Action[]): string {
  if (first === undefined) return "";
  const button = actionMarkup(first, "page-action");
  if (others.length === 0) return `<div class="page-actions">${button}</div>`;
  const items = others.map((action) => `<li>${actionMarkup(action, "nav-dropdown-item")}</li>`);
  const label = escapeHtml(words.more);
  return (
    `<div class="page-actions">${button}` +
    `<details class="menu page-menu" name="menu"><summary aria-label="${label}" title="${label}">` +
    `<i class="i i-down"></i></summary><ul class="menu-list">${items.join("")}</ul></details></div>`
  );
}

function actionMarkup(action: Action, place: "page-action" | "nav-dropdown-item"): string {
  const { start, classes, icon, label, description } = action;
  const small =
    description === undefined || place === "page-action"
      ? ""
      : `<small>${escapeHtml(description)}</small>`;
  const name = `<span>${escapeHtml(label)}</span>`;
  const text = small === "" ? name : `<span class="menu-text">${name}${small}</span>`;
  const end = start.startsWith("<button") ? "</button>" : "</a>";
  return `${start} class="${classes === undefined ? place : `${place} ${classes}`}">${icon}${text}${end}`;
}

/** Undefined for what a bundle does not have. */
function actionOf(
  frame: Frame,
  page: SitePage,
  option: ContextualOption | string,
): Action | undefined {
  if (typeof option !== "string") return ownAction(frame, page, option);
  const { words } = frame;
  const markdown = `${rootMark}${escapeHtml(fileUrl(`${page.path}.md`))}`;
  if (option === "copy") {
    const start = `<button type="button" data-source="${markdown}"`;
    return { start, classes: "copy-page", icon: layoutIcon("copy"), label: words.copyPage };
  }
  if (option === "view") {
    return {
      start: `<a href="${markdown}"`,
      icon: layoutIcon("file"),
      label: words.viewAsMarkdown,
    };
  }
  return assistantAction(frame, page, option);
}

function layoutIcon(key: string): string {
  return `<i class="i i-${key}"></i>`;
}

function assistantAction(
  { baseUrl, words }: Frame,
  page: SitePage,
  option: string,
): Action | undefined {
  const assistant = assistants.get(option);
  if (assistant === undefined || baseUrl === undefined) return undefined;
  const [name, address] = assistant;
  const question = `Read ${markdownAddress(baseUrl, page)} and answer questions about it.`;
  return {
    start: linkTo(address + encodeURIComponent(question)),
    icon: layoutIcon("away"),
    label: fill(words.openIn, { assistant: name }),
  };
}

/** Undefined for what speaks of an MCP server: a bundle has none. */
function ownAction(frame: Frame, page: SitePage, option: ContextualOption): Action | undefined {
  const { href, query, title, description, icon } = option;
  if (href.includes("$mcp") || query.some(([, value]) => value.includes("$mcp"))) return undefined;
  const address = frame.links.toTarget(filled(href, frame, page));
  if (address === undefined) return undefined;
  const parameters = query.map(
    ([key, value]) =>
      `${encodeURIComponent(key)}=${encodeURIComponent(filled(value, frame, page))}`,
  );
  const separator = href.includes("?") ? "&" : "?";
  const whole =
    parameters.length === 0 ? address : address + escapeHtml(separator + parameters.join("&"));
  return { start: linkTo(whole), icon: frame.icon(icon), label: title, description };
}

/** `href` is escaped. */
function linkTo(href: string): string {
  const isOutside = /^https?:/i.test(href);
  return `<a href="${href}"${isOutside ? ' target="_blank" rel="noreferrer"' : ""}`;
}

/** A page's text is too long for an address: `$page` is where its Markdown lies, or its title where nobody knows. */
function filled(text: string, { baseUrl }: Frame, page: SitePage): string {
  const address = baseUrl === undefined ? page.title : markdownAddress(baseUrl, page);
  return text.replaceAll("$page", () => address).replaceAll("$path", () => `/${page.path}`);
}

function markdownAddress(baseUrl: string, { path }: SitePage): string {
  return publicFileUrl(baseUrl, fileUrl(`${path}.md`));
}
