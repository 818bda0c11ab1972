import type { ProblemLog } from "../core/index.ts";
import { assistants, stripFileAddress, type Site, type SiteConfig } from "../site/index.ts";
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

/** The settings that have no effect in a bundle, each with the reason or a remedy. */
const hostedOnly: ReadonlyMap<string, string> = new Map([
  ["thumbnails", "preview pictures are not generated; set og:image in seo.metatags"],
  [
    "head",
    "it is not part of the format; put styles and scripts into files at the root of the site",
  ],
  ["scripts", "it is not part of the format; put scripts into .js files at the root of the site"],
  ["styles", "it is not part of the format; put styles into .css files at the root of the site"],
]);

/** Reports settings that have no effect in a bundle. `node` is the whole configuration. */
export function warnOfUnsupportedSettings(
  node: JsonNode | undefined,
  config: Pick<SiteConfig, "fonts">,
  problems: ProblemLog,
): void {
  const members = findJsonMembers(node);
  const integrations = members?.get("integrations");
  const names = [...(findJsonMembers(integrations)?.keys() ?? [])];
  if (integrations !== undefined && names.length > 0) {
    const message = `Integrations are ignored (${names.slice(0, 30).join(", ")}), because a bundle does not send data about its readers.`;
    problems.warn("setting_left_out", message, locateJsonNode(integrations));
  }
  const rating = findJsonMembers(members?.get("feedback"))?.get("thumbsRating");
  if (rating?.value === true) {
    const message = `"feedback.thumbsRating" has no effect, because a bundle does not send data about its readers.`;
    problems.warn("setting_left_out", message, locateJsonNode(rating));
  }
  for (const [name, reason] of hostedOnly) {
    const setting = members?.get(name);
    if (setting === undefined) continue;
    problems.warn(
      "setting_left_out",
      `The setting "${name}" has no effect: ${reason}.`,
      locateJsonNode(setting),
    );
  }
  const fonts = members?.get("fonts");
  if (fonts !== undefined) warnOfMissingFonts(fonts, config, problems);
}

/** Reports fonts that readers may lack: a bundle uses only the fonts of the site and of the reader's machine. */
function warnOfMissingFonts(
  node: JsonNode,
  { fonts }: Pick<SiteConfig, "fonts">,
  problems: ProblemLog,
): void {
  const faces = [fonts?.heading, fonts?.body].filter((font) => font !== undefined);
  const missing = faces.filter(({ source }) => source === undefined);
  for (const family of new Set(missing.map((font) => font.family))) {
    const message = `The font ${JSON.stringify(family)} is used only if readers have it installed, because a bundle does not load fonts from other hosts. Add a .woff2 file to the site and name it in "source".`;
    problems.warn("font_not_included", message, locateJsonNode(node));
  }
}

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

/** Reports background pictures and fonts that the configuration names and the site does not have. */
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
  const report = (what: string, node: JsonNode | undefined, effect: string): void => {
    if (!isJsonString(node) || node.value === "" || isElsewhere(node.value)) return;
    const path = toPath(stripFileAddress(node.value.trim(), site));
    if (site.assets.includes(path)) return;
    const reason = describeMissingFile({ ...site, problems: [] }, path);
    const message = `The ${what} ${JSON.stringify(node.value)} ${reason}, so ${effect}.`;
    problems.fail("media_missing", message, locateJsonNode(node));
  };
  for (const node of pair === undefined ? [image] : [pair.get("light"), pair.get("dark")])
    report("background", node, "pages are shown without it");
  for (const face of faces)
    report("font file", face?.get("source"), "readers see a different font");
}

/** Reports whether an address is on a different host or is a data URL. */
function isElsewhere(address: string): boolean {
  return /^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(address.trim());
}

function toPath(address: string): string {
  const [path = ""] = address.trim().split(/[?#]/, 1);
  const written = path.replace(/^(?:\.?\/)+/, "");
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

const nestedConfig = /^[^/]+\/(?:docs|mint)\.json$/;
/** The maximum number of reported sites: a repository with more of them is probably exported intentionally. */
const maxReported = 5;

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
  for (const file of found.slice(0, maxReported)) {
    const [folder = "", name = ""] = file.split("/");
    const message = `This folder has no configuration and is read as plain Markdown, but ${folder}/ has a ${name}. To export that site, specify its folder.`;
    problems.warn("config_in_folder", message, { file });
  }
}
