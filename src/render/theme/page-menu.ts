import { escapeHtml } from "../components/html.ts";
import { feedFile } from "../outputs/address.ts";
import type { ContextualMenu, ContextualOption } from "../site/config.ts";
import type { SitePage } from "../site/site.ts";
import { contextualMenu } from "../site/contextual.ts";
import type { Frame } from "./frame.ts";
import { fileUrl } from "./link.ts";
import { rootMark } from "./markup.ts";
import { publicFileUrl } from "./social-tags.ts";

/** Where an assistant takes a question about a page; the question is appended. */
const assistants: ReadonlyMap<string, readonly [name: string, address: string]> = new Map([
  ["chatgpt", ["ChatGPT", "https://chatgpt.com/?hints=search&q="]],
  ["claude", ["Claude", "https://claude.ai/new?q="]],
  ["perplexity", ["Perplexity", "https://www.perplexity.ai/search?q="]],
  ["grok", ["Grok", "https://grok.com/?q="]],
  ["aistudio", ["Google AI Studio", "https://aistudio.google.com/prompts/new_chat?prompt="]],
  ["devin", ["Devin", "https://app.devin.ai/?prompt="]],
]);

/**
 * What a reader can take away: the page as Markdown, to the clipboard or as a file; then the site's own
 * entries, and assistants, which must be told an address that they can reach. What needs a service (the
 * format's own assistant, MCP servers, PDF) is left out. A changelog that asks for it shows its feed.
 */
export function pageMenu(frame: Frame, page: SitePage, hasFeed: boolean): string {
  const { words } = frame;
  const { options } = contextualMenu(frame.config, page);
  const markdown = `${rootMark}${escapeHtml(fileUrl(`${page.path}.md`))}`;
  let actions = "";
  if (options.includes("copy")) {
    actions +=
      `<button class="copy-page" type="button" data-source="${markdown}">` +
      `<i class="i i-copy"></i><span>${escapeHtml(words.copyPage)}</span></button>`;
  }
  if (options.includes("view")) {
    const label = escapeHtml(words.viewAsMarkdown);
    actions += `<a class="view-page" href="${markdown}" aria-label="${label}" title="${label}"><i class="i i-file"></i></a>`;
  }
  if (hasFeed && page.frontmatter.rss === true) actions += feedLink(frame, page);
  actions += moreActions(frame, page, options);
  return actions === "" ? "" : `<div id="page-context-menu">${actions}</div>`;
}

function feedLink({ words }: Frame, { path }: SitePage): string {
  const label = escapeHtml(words.feed);
  const address = rootMark + escapeHtml(fileUrl(feedFile(path)));
  return `<a class="page-feed" href="${address}" type="application/rss+xml" aria-label="${label}" title="${label}"><i class="i i-rss"></i></a>`;
}

/** Whether the menu stands in the table of contents. */
export function isMenuInContents({ config }: Frame, page: SitePage): boolean {
  return contextualMenu(config, page).display === "toc";
}

function moreActions(frame: Frame, page: SitePage, options: ContextualMenu["options"]): string {
  let items = "";
  for (const option of options) {
    items +=
      typeof option === "string"
        ? assistantItem(frame, page, option)
        : ownItem(frame, page, option);
  }
  if (items === "") return "";
  const label = escapeHtml(frame.words.more);
  return (
    `<details class="menu page-menu" name="menu"><summary aria-label="${label}" title="${label}">` +
    `<i class="i i-down"></i></summary><ul class="menu-list">${items}</ul></details>`
  );
}

function assistantItem({ baseUrl }: Frame, page: SitePage, option: string): string {
  const assistant = assistants.get(option);
  if (assistant === undefined || baseUrl === undefined) return "";
  const [name, address] = assistant;
  const question = `Read ${markdownAddress(baseUrl, page)} and answer questions about it.`;
  return item(address + encodeURIComponent(question), `<span>${escapeHtml(name)}</span>`);
}

/** Undefined for what speaks of an MCP server: a bundle has none. */
function ownItem(frame: Frame, page: SitePage, option: ContextualOption): string {
  const { href, query, title, description, icon } = option;
  if (href.includes("$mcp") || query.some(([, value]) => value.includes("$mcp"))) return "";
  const address = frame.links.toTarget(filled(href, frame, page));
  if (address === undefined) return "";
  const parameters = query.map(
    ([key, value]) =>
      `${encodeURIComponent(key)}=${encodeURIComponent(filled(value, frame, page))}`,
  );
  const separator = href.includes("?") ? "&" : "?";
  const whole =
    parameters.length === 0 ? address : address + escapeHtml(separator + parameters.join("&"));
  const small = description === undefined ? "" : `<small>${escapeHtml(description)}</small>`;
  const text = `<span class="menu-text"><span>${escapeHtml(title)}</span>${small}</span>`;
  return item(whole, frame.icon(icon) + text);
}

/** `href` is escaped. */
function item(href: string, content: string): string {
  const isOutside = /^https?:/i.test(href);
  const attributes = isOutside ? ' target="_blank" rel="noreferrer"' : "";
  return `<li><a class="nav-dropdown-item" href="${href}"${attributes}>${content}</a></li>`;
}

/** A page's text is too long for an address: `$page` is where its Markdown lies, or its title where nobody knows. */
function filled(text: string, { baseUrl }: Frame, page: SitePage): string {
  const address = baseUrl === undefined ? page.title : markdownAddress(baseUrl, page);
  return text.replaceAll("$page", () => address).replaceAll("$path", () => `/${page.path}`);
}

function markdownAddress(baseUrl: string, { path }: SitePage): string {
  return publicFileUrl(baseUrl, fileUrl(`${path}.md`));
}
