import type { ContextualMenu, SiteConfig } from "./config.ts";
import { itemsOf, membersOf, placeOf, textOf, toPlain, type JsonNode } from "../text/index.ts";
import type { ProblemLog } from "../core/index.ts";
import { Contextual } from "./schemas/contextual.ts";
import type { SitePage } from "./site.ts";

/** Where an assistant takes a question about a page, by the name of its option; the question is appended. */
export const assistants: ReadonlyMap<string, readonly [name: string, address: string]> = new Map([
  ["chatgpt", ["ChatGPT", "https://chatgpt.com/?hints=search&q="]],
  ["claude", ["Claude", "https://claude.ai/new?q="]],
  ["perplexity", ["Perplexity", "https://www.perplexity.ai/search?q="]],
  ["grok", ["Grok", "https://grok.com/?q="]],
  ["aistudio", ["Google AI Studio", "https://aistudio.google.com/prompts/new_chat?prompt="]],
  ["devin", ["Devin", "https://app.devin.ai/?prompt="]],
]);

/** What works in every bundle. */
const ownOptions: ReadonlySet<string> = new Set(["copy", "view"]);
/** Options of the format that speak to a server of the site or to a program of the reader's. */
const hostedOptions: ReadonlySet<string> = new Set([
  "assistant",
  "download-pdf",
  "download-spec",
  "devin-desktop",
  "mcp",
  "add-mcp",
  "cursor",
  "vscode",
  "devin-mcp",
]);
/** Names in one message. */
const maxNames = 30;

/** The menu of a page: its own where its frontmatter has a valid one, else the site's. */
export function contextualMenu(config: SiteConfig, page: SitePage): ContextualMenu {
  const own = page.frontmatter.extra["contextual"];
  if (own === undefined) return config.contextual;
  const result = Contextual.safeParse(own);
  return result.success ? result.data : config.contextual;
}

/** Tells which options of the site's menu readers of a bundle do not get. Of `config` the whole configuration. */
export function tellMenuLeftOut(
  config: JsonNode | undefined,
  baseUrl: string | undefined,
  problems: ProblemLog,
): void {
  const options = membersOf(membersOf(config)?.get("contextual"))?.get("options");
  const hosted: string[] = [];
  const unaddressed: string[] = [];
  for (const option of itemsOf(options) ?? []) {
    const name = textOf(option);
    if (name === undefined) hosted.push(...titleOfHosted(option));
    else if (hostedOptions.has(name)) hosted.push(name);
    else if (assistants.has(name)) unaddressed.push(name);
    else if (!ownOptions.has(name)) {
      const message = `The format has no entry ${JSON.stringify(name)} for "contextual.options"; it has no effect.`;
      problems.warn("setting_unknown", message, placeOf(option));
    }
  }
  const tell = (names: readonly string[], reason: string): void => {
    if (options === undefined || names.length === 0) return;
    const message = `Entries of "contextual.options" are left out (${names.slice(0, maxNames).join(", ")}): ${reason}.`;
    problems.warn("setting_left_out", message, placeOf(options));
  };
  tell(hosted, "a bundle has nothing that answers them");
  if (baseUrl !== undefined) return;
  tell(unaddressed, "they are told the page's address, and there is no base URL");
}

/** An author's own entry that needs the address of an MCP server. */
function titleOfHosted(option: JsonNode): string[] {
  const title = textOf(membersOf(option)?.get("title"));
  const href = membersOf(option)?.get("href");
  if (title === undefined || href === undefined) return [];
  return JSON.stringify(toPlain(href)).includes("$mcp") ? [title] : [];
}
