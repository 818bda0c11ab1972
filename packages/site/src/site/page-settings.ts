import type { ContextualMenu, SiteConfig } from "./config.ts";
import type { Frontmatter, SitePage } from "./site.ts";

/** Assistants, keyed by the name of their option. A question about a page is appended to the address. */
export const assistants: ReadonlyMap<string, readonly [name: string, address: string]> = new Map([
  ["chatgpt", ["ChatGPT", "https://chatgpt.com/?hints=search&q="]],
  ["claude", ["Claude", "https://claude.ai/new?q="]],
  ["perplexity", ["Perplexity", "https://www.perplexity.ai/search?q="]],
  ["grok", ["Grok", "https://grok.com/?q="]],
  ["aistudio", ["Google AI Studio", "https://aistudio.google.com/prompts/new_chat?prompt="]],
  ["devin", ["Devin", "https://app.devin.ai/?prompt="]],
]);

/** Returns the menu in a page's frontmatter or, if there is none, the site's menu. */
export function getContextualMenu(config: SiteConfig, page: SitePage): ContextualMenu {
  return page.frontmatter.contextual ?? config.contextual;
}

const dateForm = /^\d{4}-\d{2}-\d{2}(?:[T ].{0,40})?$/;

/**
 * Returns the date of a page's last change, such as `2026-11-20`, from the frontmatter or, if the frontmatter has no
 * date, from the file. Returns undefined if the date is unknown.
 */
export function findModifiedDay(
  page: Pick<SitePage, "frontmatter" | "changedOn">,
): string | undefined {
  return findAuthoredDay(page) ?? page.changedOn;
}

/** Returns the date of a page's last change from its frontmatter, or undefined if there is no valid date. */
export function findAuthoredDay({
  frontmatter,
}: Pick<SitePage, "frontmatter">): string | undefined {
  const value = frontmatter.extra["lastUpdatedDate"];
  const text = value instanceof Date ? toIsoText(value) : value;
  if (typeof text !== "string" || !dateForm.test(text.trim())) return undefined;
  const day = text.trim().slice(0, 10);
  // `Date` converts an invalid day such as June 31 to a day of the next month.
  return toIsoText(new Date(`${day}T00:00:00Z`))?.slice(0, 10) === day ? day : undefined;
}

function toIsoText(date: Date): string | undefined {
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Reports whether a page shows the day of its last change. The page's setting takes precedence over the site's. */
export function shouldShowModifiedDay(
  { showTimestamps }: Pick<SiteConfig, "showTimestamps">,
  { frontmatter }: Pick<SitePage, "frontmatter">,
): boolean {
  const pageSetting = frontmatter.extra["timestamp"];
  return typeof pageSetting === "boolean" ? pageSetting : showTimestamps;
}

/** The endpoint that a page documents. */
export interface Operation {
  /** The method in lower case, e.g. `get` or `webhook`. */
  readonly method: string;
  /** The path or address, as authored. */
  readonly path: string;
}

const methods = new Set([
  "get",
  "post",
  "put",
  "patch",
  "delete",
  "head",
  "options",
  "trace",
  "webhook",
]);

/**
 * Reads the operation (`POST /chat`, `openapi.json POST /chat`, `GET https://host/chat`) in a page's frontmatter.
 * Returns undefined if the frontmatter does not name one.
 */
export function findOperation(frontmatter: Frontmatter): Operation | undefined {
  const authored = frontmatter.openapi ?? frontmatter.api;
  if (authored === undefined) return undefined;
  const words = authored.trim().split(/\s+/, 64);
  const at = words.findIndex((word) => methods.has(word.toLowerCase()));
  const method = words[at]?.toLowerCase();
  const path = words.slice(at + 1).join(" ");
  if (method === undefined || path === "") return undefined;
  return { method, path };
}
