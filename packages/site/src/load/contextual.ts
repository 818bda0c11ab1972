import { itemsOf, membersOf, placeOf, jsonText, toPlain, type JsonNode } from "../text/index.ts";
import type { ProblemLog } from "../core/index.ts";
import { assistants } from "../site/index.ts";

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
    const name = jsonText(option);
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
  const title = jsonText(membersOf(option)?.get("title"));
  const href = membersOf(option)?.get("href");
  if (title === undefined || href === undefined) return [];
  return JSON.stringify(toPlain(href)).includes("$mcp") ? [title] : [];
}
