import { itemsOf, membersOf, placeOf, jsonText, toPlain, type JsonNode } from "../text/index.ts";
import type { ProblemLog } from "../core/index.ts";
import { assistants } from "../site/index.ts";

/** Options that work in every bundle. */
const offlineOptions: ReadonlySet<string> = new Set(["copy", "view"]);
/** Options of the format that need a server of the site or a program on the reader's machine. */
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

/** Reports options of the site's menu that a bundle cannot offer. `config` is the whole configuration. */
export function warnOfUnsupportedMenuOptions(
  config: JsonNode | undefined,
  baseUrl: string | undefined,
  problems: ProblemLog,
): void {
  const options = membersOf(membersOf(config)?.get("contextual"))?.get("options");
  const hosted: string[] = [];
  const withoutAddress: string[] = [];
  for (const option of itemsOf(options) ?? []) {
    const name = jsonText(option);
    if (name === undefined) hosted.push(...titleOfMcpOption(option));
    else if (hostedOptions.has(name)) hosted.push(name);
    else if (assistants.has(name)) withoutAddress.push(name);
    else if (!offlineOptions.has(name)) {
      const message = `"contextual.options" has no entry ${JSON.stringify(name)}; it has no effect.`;
      problems.warn("setting_unknown", message, placeOf(option));
    }
  }
  const warn = (names: readonly string[], reason: string): void => {
    if (options === undefined || names.length === 0) return;
    const message = `Entries of "contextual.options" are ignored (${names.slice(0, maxNames).join(", ")}): ${reason}.`;
    problems.warn("setting_left_out", message, placeOf(options));
  };
  warn(hosted, "they need a server, which a bundle does not have");
  if (baseUrl !== undefined) return;
  warn(withoutAddress, "they need the page's address; set a base URL");
}

/** An author's own entry that needs the address of an MCP server. */
function titleOfMcpOption(option: JsonNode): string[] {
  const title = jsonText(membersOf(option)?.get("title"));
  const href = membersOf(option)?.get("href");
  if (title === undefined || href === undefined) return [];
  return JSON.stringify(toPlain(href)).includes("$mcp") ? [title] : [];
}
