import type { ProblemLog } from "../core/index.ts";
import { assistants, stripFileAddress, type Site } from "../site/index.ts";
import {
  isJsonString,
  findJsonItems,
  findJsonText,
  findJsonMembers,
  locateJsonNode,
  toPlain,
} from "../text/index.ts";
import type { JsonNode } from "../text/index.ts";
import type { ConfigFile } from "./config-file.ts";
import { describeMissingFile } from "./published-files.ts";

/** Options that work in every bundle. */
const offlineOptions: ReadonlySet<string> = new Set(["copy", "view"]);

/** Options of the format that need a server or a program on the reader's machine. */
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

/** The maximum number of names in one message. */
const maxNames = 30;

/** Reports options of the site's menu that a bundle cannot offer. `config` is the whole configuration. */
export function warnOfUnsupportedMenuOptions(
  config: JsonNode | undefined,
  baseUrl: string | undefined,
  problems: ProblemLog,
): void {
  const options = findJsonMembers(findJsonMembers(config)?.get("contextual"))?.get("options");
  const hosted: string[] = [];
  const withoutAddress: string[] = [];
  for (const option of findJsonItems(options) ?? []) {
    const name = findJsonText(option);
    if (name === undefined) hosted.push(...listMcpOptionTitles(option));
    else if (hostedOptions.has(name)) hosted.push(name);
    else if (assistants.has(name)) withoutAddress.push(name);
    else if (!offlineOptions.has(name)) {
      const message = `"contextual.options" has no entry ${JSON.stringify(name)}; it has no effect.`;
      problems.warn("setting_unknown", message, locateJsonNode(option));
    }
  }
  const warn = (names: readonly string[], reason: string): void => {
    if (options === undefined || names.length === 0) return;
    const message = `Entries of "contextual.options" are ignored (${names.slice(0, maxNames).join(", ")}): ${reason}.`;
    problems.warn("setting_left_out", message, locateJsonNode(options));
  };
  warn(hosted, "they need a server, which a bundle does not have");
  if (baseUrl !== undefined) return;
  warn(withoutAddress, "they need the page's address; set a base URL");
}

/** Returns the title of a custom entry that needs the address of an MCP server. */
function listMcpOptionTitles(option: JsonNode): string[] {
  const title = findJsonText(findJsonMembers(option)?.get("title"));
  const href = findJsonMembers(option)?.get("href");
  if (title === undefined || href === undefined) return [];
  return JSON.stringify(toPlain(href)).includes("$mcp") ? [title] : [];
}

/** Reports background pictures and fonts that the configuration names but the site does not have. */
export function reportMissingFiles(
  config: ConfigFile | undefined,
  site: Pick<Site, "root" | "configFile" | "assets" | "basePaths">,
  problems: ProblemLog,
): void {
  const members = findJsonMembers(config?.node);
  const image = findJsonMembers(members?.get("background"))?.get("image");
  const pair = findJsonMembers(image);
  const fonts = findJsonMembers(members?.get("fonts"));
  const faces = [fonts, ...["heading", "body"].map((part) => findJsonMembers(fonts?.get(part)))];
  const report = (kind: string, node: JsonNode | undefined, effect: string): void => {
    if (!isJsonString(node) || node.value === "" || isExternal(node.value)) return;
    const path = toPath(stripFileAddress(node.value.trim(), site));
    if (site.assets.includes(path)) return;
    const reason = describeMissingFile({ ...site, problems: [] }, path);
    const message = `The ${kind} ${JSON.stringify(node.value)} ${reason}, so ${effect}.`;
    problems.fail("media_missing", message, locateJsonNode(node));
  };
  for (const node of pair === undefined ? [image] : [pair.get("light"), pair.get("dark")])
    report("background", node, "pages are shown without it");
  for (const face of faces)
    report("font file", face?.get("source"), "readers see a different font");
}

/** Reports whether an address is on a different host or is a data URL. */
function isExternal(address: string): boolean {
  return /^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(address.trim());
}

function toPath(address: string): string {
  const [path = ""] = address.trim().split(/[?#]/, 1);
  const pathPart = path.replace(/^(?:\.?\/)+/, "");
  try {
    return decodeURIComponent(pathPart);
  } catch {
    return pathPart;
  }
}

const nestedConfig = /^[^/]+\/(?:docs|mint)\.json$/;
/** The maximum number of reported sites: a repository with more of them is probably exported intentionally. */
const maxReportedSites = 5;

/**
 * Reports configurations in the subfolders of a plain folder. Exporting the root of a repository instead of the site's
 * folder would create a site from all Markdown in the repository. `files` are the files of the listing.
 */
export function warnOfNestedConfigs(
  files: readonly string[],
  { isPlain, problems }: { readonly isPlain: boolean; readonly problems: ProblemLog },
): void {
  if (!isPlain) return;
  const found = files.filter((file) => nestedConfig.test(file));
  for (const file of found.slice(0, maxReportedSites)) {
    const [folder = "", name = ""] = file.split("/");
    const message = `This folder has no configuration and is read as plain Markdown, but ${folder}/ has a ${name}. To export that site, specify its folder.`;
    problems.warn("config_in_folder", message, { file });
  }
}
