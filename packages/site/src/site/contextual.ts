import type { ContextualMenu, SiteConfig } from "./config.ts";
import type { SitePage } from "./site.ts";

/** Assistants by the name of their option; a question about a page is appended to the address. */
export const assistants: ReadonlyMap<string, readonly [name: string, address: string]> = new Map([
  ["chatgpt", ["ChatGPT", "https://chatgpt.com/?hints=search&q="]],
  ["claude", ["Claude", "https://claude.ai/new?q="]],
  ["perplexity", ["Perplexity", "https://www.perplexity.ai/search?q="]],
  ["grok", ["Grok", "https://grok.com/?q="]],
  ["aistudio", ["Google AI Studio", "https://aistudio.google.com/prompts/new_chat?prompt="]],
  ["devin", ["Devin", "https://app.devin.ai/?prompt="]],
]);

/** The menu of a page: its own if its frontmatter has one, else the site's. */
export function contextualMenu(config: SiteConfig, page: SitePage): ContextualMenu {
  return page.frontmatter.contextual ?? config.contextual;
}
