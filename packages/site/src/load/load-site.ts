import { realpath } from "node:fs/promises";
import { OctavoError, ProblemLog, compareCodeUnits } from "../core/index.ts";
import { assistants, createTitleFromPath, stripFileAddress } from "../site/index.ts";
import type { NavDivision, Site, SitePage } from "../site/index.ts";
import {
  findJsonItems,
  findJsonMembers,
  findJsonText,
  isJsonString,
  locateJsonNode,
  toPlain,
} from "../text/index.ts";
import type { JsonNode } from "../text/index.ts";
import { addOrigin } from "./add-origin.ts";
import type { PageMaterial } from "./api/api-pages.ts";
import { loadSiteApi } from "./api/index.ts";
import type { SiteApi } from "./api/index.ts";
import { findBasePaths } from "./base-paths.ts";
import { findConfigLocations, readConfigFile } from "./config-file.ts";
import type { ConfigFile } from "./config-file.ts";
import { buildFolderNavigation } from "./folder-navigation.ts";
import { createFolderRecorder } from "./folder-record.ts";
import type { FolderRecord, FolderRecorder } from "./folder-record.ts";
import { listFolder } from "./folder.ts";
import { ignoreFile, readIgnoreRules } from "./ignore-rules.ts";
import type { IgnoreRules } from "./ignore-rules.ts";
import { upgradeMintJson } from "./mint-json.ts";
import {
  describeMissingFile,
  listAssets,
  listInjectedFiles,
  selectSpareAssets,
} from "./published-files.ts";
import { readNavigation } from "./read-navigation.ts";
import type { NavigationResult, PageUse } from "./read-navigation.ts";
import { fillTitles, readPages } from "./read-pages.ts";
import type { PageSource } from "./read-pages.ts";
import { createTextRecorder } from "./read-text.ts";
import type { TextReader, TextRecorder } from "./read-text.ts";
import { readRedirectsFile, redirectsFile, selectRedirects } from "./redirects.ts";
import { readRedirects, readSiteConfig } from "./site-config.ts";
import type { SiteSettings } from "./site-settings.ts";

/** A site, with the content of its pages that is not in their files. */
export interface LoadedSite {
  readonly site: Site;
  /** The additional content of pages, by page path. Most pages have no additional content. */
  readonly materials: ReadonlyMap<string, PageMaterial>;
  /** The pages as their own files describe them, by file. */
  readonly sources: ReadonlyMap<string, PageSource>;
  /** Undefined if the site has other dependencies, such as API descriptions or symbolic links. */
  readonly basis: SiteBasis | undefined;
}

/** The dependencies of a site other than the settings and the heads of its pages. */
export interface SiteBasis {
  /** The site without the origin of its files. */
  readonly site: Site;
  readonly folders: FolderRecord;
  /**
   * The SHA-256 of the files other than pages: the configuration, the files that it names by `$ref`, and the ignore
   * rules. Undefined for a file that is missing or cannot be read.
   */
  readonly files: ReadonlyMap<string, string | undefined>;
}

/** Reads a site without the data for rendering its pages; see `readSite`. */
export async function loadSite(
  siteDir: string,
  settings: Omit<SiteSettings, "siteDir"> = {},
): Promise<Site> {
  return (await readSite({ ...settings, siteDir })).site;
}

/**
 * Reads a site's folder:
 * 1. `docs.json` or `mint.json`, if present, with the files that it names by `$ref`;
 * 2. the list of files, filtered by the ignore rules;
 * 3. the head of every page, for its frontmatter;
 * 4. the API descriptions that the configuration and pages name;
 * 5. the navigation, which determines the positions and visibility of pages, and the pages that are generated from
 *    descriptions;
 * 6. the origin of the files (last changes, edit links), if pages show it.
 *
 * Throws `site_invalid` if there are no pages or the configuration file is invalid. All other errors are in `problems`.
 * The result is plain data and depends only on the files. Nothing outside the folder is read.
 *
 * Files in `unchanged` are not read again; see `readPages`.
 */
export async function readSite(
  settings: SiteSettings,
  unchanged?: ReadonlyMap<string, PageSource>,
): Promise<LoadedSite> {
  const folder = await resolveFolder(settings.siteDir);
  const problems = new ProblemLog();
  const texts = createTextRecorder(folder);
  const configFile = await readUpgradedConfig(texts.read, problems);
  const isPlain = configFile === undefined;
  const configNode = configFile?.node;
  const rules = await readIgnoreRules(texts.read, { config: configNode, problems });
  const recorder = createFolderRecorder(folder);
  const files = await listFolder(folder, settings, { rules, problems, recorder });
  const { signal } = settings;
  const sources = await readPages(folder, files.pages, { isPlain, problems, unchanged, signal });
  warnOfNestedConfigs(files.others, { isPlain, problems });
  sources.sort((a, b) => compareCodeUnits(a.path, b.path));
  const config = readSiteConfig(configNode, problems);
  const byPath = new Map(sources.map((page) => [page.path, fillTitles(page, config.variables)]));
  warnOfUnsupportedMenuOptions(configNode, settings.baseUrl, problems);
  const assets = listAssets(files.others, { isPlain, configFiles: configFile?.files ?? [] });
  const configPositions = findConfigLocations(configNode);
  const redirects = [
    ...readRedirects(configNode, problems),
    ...(await readRedirectsFile(texts.read, problems)),
  ];
  const folderFields = { root: folder, configFile: configFile?.name ?? "none" } as const;
  const basePaths = await findBasePaths(
    { ...folderFields, config, configPositions, redirects, assets, pages: sources },
    settings,
  );
  const api = await loadSiteApi({
    root: folder,
    config: configNode,
    pages: byPath,
    files: files.others,
    basePaths,
    problems,
    settings,
  });
  const navigation = configFile
    ? readConfiguredNavigation(configFile, byPath, { rules, problems, api })
    : buildFolderNavigation(sources);
  const pages = completePages(api, navigation);
  const paths = new Set(pages.map(({ path }) => path));
  const spareAssets = selectSpareAssets(files.spares);
  reportMissingFiles(configFile, { ...folderFields, assets, basePaths }, problems);
  const site: Site = {
    ...folderFields,
    config: isPlain
      ? { ...config, name: getFallbackName(byPath, settings) ?? config.name }
      : config,
    configPositions,
    pages: addPagePlacements(pages, navigation, config.seo.indexing),
    navigation: navigation.root,
    redirects: selectRedirects(redirects, {
      node: configNode,
      problems,
      isPage: (path) => paths.has(path),
      basePaths: basePaths.filter((base) => !hasFolder(base, [...paths, ...assets])),
    }),
    assets,
    ...(basePaths.length > 0 && { basePaths }),
    ...(spareAssets.length > 0 && { spareAssets }),
    ...listInjectedFiles(files.others, { isPlain, problems }),
    problems: problems.listSorted(),
    ...(settings.addresses !== undefined &&
      settings.addresses !== "file" && { addresses: settings.addresses }),
  };
  return {
    site: await addOrigin(site, settings),
    materials: api.materials,
    sources: new Map(sources.map((one) => [one.file, one])),
    basis: createBasis(site, { api, recorder, configFile, texts }),
  };
}

/**
 * Returns all pages, including the pages of API descriptions, sorted. Throws `site_invalid` if the site has no pages.
 */
function completePages(
  api: Pick<SiteApi, "complete">,
  navigation: NavigationResult,
): readonly PageSource[] {
  const pages = [...api.complete((path) => navigation.uses.get(path)?.[0]?.openapi)];
  if (pages.length > 0) return pages.toSorted((a, b) => compareCodeUnits(a.path, b.path));
  throw new OctavoError(
    "site_invalid",
    "This folder has no pages: it has no .md or .mdx files, or all of them are ignored. Check the path of the site.",
  );
}

/** Reports whether at least one of the paths is in a folder. */
function hasFolder(folder: string, paths: readonly string[]): boolean {
  return paths.some((path) => path.startsWith(`${folder}/`));
}

function createBasis(
  site: Site,
  {
    api,
    recorder,
    configFile,
    texts,
  }: {
    readonly api: SiteApi;
    readonly recorder: FolderRecorder;
    readonly configFile: ConfigFile | undefined;
    readonly texts: TextRecorder;
  },
): SiteBasis | undefined {
  const folders = api.isUsed ? undefined : recorder.finish();
  const files = [...(configFile?.files ?? []), ignoreFile, redirectsFile];
  const hashes = new Map(files.map((file) => [file, texts.hashes.get(file)]));
  return folders && { site, folders, files: hashes };
}

/**
 * Returns the name of a site without configuration: the title of its start page, or the name of its folder if there is
 * no start page.
 */
function getFallbackName(
  pages: ReadonlyMap<string, PageSource>,
  { folderName = "" }: SiteSettings,
): string | undefined {
  const title = pages.get("index")?.title ?? createTitleFromPath(folderName);
  return title === "" ? undefined : title;
}

async function resolveFolder(root: string): Promise<string> {
  try {
    return await realpath(root);
  } catch (cause) {
    throw new OctavoError("site_invalid", "The site's folder does not exist.", { cause });
  }
}

async function readUpgradedConfig(
  read: TextReader,
  problems: ProblemLog,
): Promise<ConfigFile | undefined> {
  const file = await readConfigFile(read, problems);
  return file?.name === "mint.json"
    ? { ...file, node: upgradeMintJson(file.node, problems) }
    : file;
}

function readConfiguredNavigation(
  configFile: ConfigFile,
  pages: ReadonlyMap<string, PageSource>,
  { rules, problems, api }: { rules: IgnoreRules; problems: ProblemLog; api: SiteApi },
): NavigationResult {
  const node = findJsonMembers(configFile.node)?.get("navigation");
  if (!node) {
    const message =
      "The configuration has no navigation; readers can find pages only through links and search.";
    problems.fail("navigation_missing", message, { file: configFile.name });
  }
  return readNavigation(node, {
    pages,
    problems,
    api,
    isIgnored: (path) =>
      path !== "" && (rules.isIgnored(`${path}.mdx`) || rules.isIgnored(`${path}.md`)),
  });
}

/**
 * Adds the positions in the navigation and the visibility to pages, according to the visibility matrix of the format:
 *
 * | | navigation | search | sitemap, llms.txt | crawlers |
 * |---|---|---|---|---|
 * | `hidden: true`, or below a hidden level | no | no | no | no |
 * | not listed | no | no | no | yes |
 * | `noindex: true` | yes | no | no | no |
 * | `searchable: false` | yes | no | yes | yes |
 * | below a hidden level with `searchable: true`, or with `hidden: false` of its own | no | yes | yes | yes |
 * | `seo.indexing: "all"` | as above | yes | yes | yes |
 */
function addPagePlacements(
  sources: readonly PageSource[],
  navigation: NavigationResult,
  indexing: "navigable" | "all",
): SitePage[] {
  return sources.map((source) => {
    const uses = sortUses(navigation.uses.get(source.path) ?? [], navigation.root);
    const [canonical] = uses;
    const boost = source.frontmatter.boost ?? canonical?.boost;
    const { language, version } = canonical ?? {};
    return {
      ...source,
      positions: uses.map((use) => use.position),
      ...determineVisibility(source, uses, indexing),
      ...(boost === undefined ? {} : { boost }),
      ...(language === undefined ? {} : { language }),
      ...(version === undefined ? {} : { version }),
    };
  });
}

type Visibility = Required<Pick<SitePage, "hidden" | "indexed" | "searchable" | "crawlable">>;

function determineVisibility(
  { frontmatter }: PageSource,
  uses: readonly PageUse[],
  indexing: "navigable" | "all",
): Visibility {
  const isListed = uses.length > 0;
  const hidesItself = frontmatter.hidden === true;
  const hidden = hidesItself || uses.every((use) => use.hidden);
  const isFoundInNavigation = uses.some((use) => !use.hidden || use.discoverable);
  const isFound = !hidesItself && isListed && (isFoundInNavigation || frontmatter.hidden === false);
  const isSearchableInNavigation = !isListed || uses.some((use) => use.searchable);
  const isSearchAllowed = frontmatter.searchable !== false && isSearchableInNavigation;
  // A page that is only a link has no content to find by searching.
  if (frontmatter.url !== undefined) {
    return { hidden, indexed: false, searchable: false, crawlable: false };
  }
  if (indexing === "all") {
    return { hidden, indexed: true, searchable: isSearchAllowed, crawlable: true };
  }
  const indexed = isFound && frontmatter.noindex !== true;
  const isUnlisted = !isListed && !hidesItself && frontmatter.noindex !== true;
  return {
    hidden,
    indexed,
    searchable: indexed && isSearchAllowed,
    crawlable: indexed || isUnlisted,
  };
}

/**
 * Moves the canonical use, a visible use in the default language and version, to the front. Otherwise preserves the
 * order.
 */
function sortUses(uses: readonly PageUse[], root: NavDivision): readonly PageUse[] {
  if (uses.length < 2) return uses;
  const ranked = uses.map((use) => ({ use, rank: rankUse(use, root) }));
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ use }) => use);
}

function rankUse(use: PageUse, root: NavDivision): number {
  if (use.hidden) return 2;
  let division: NavDivision | undefined = root;
  for (const index of use.position.divisions) {
    division = division?.divisions[index];
    const isSwitchable = division?.kind === "language" || division?.kind === "version";
    if (isSwitchable && !division?.isDefault) return 1;
  }
  return 0;
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
function warnOfUnsupportedMenuOptions(
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
function reportMissingFiles(
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
function warnOfNestedConfigs(
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
