import type { ProblemLog } from "../core/index.ts";
import {
  findJsonItems,
  findJsonMembers,
  findJsonText,
  locateJsonNode,
  type JsonNode,
  type JsonValue,
} from "../text/index.ts";
import { getParentFolder } from "../core/index.ts";

/**
 * Converts the older `mint.json` to the form of `docs.json`, so that later stages read only one format. Values keep
 * their positions. A tab of `mint.json` names a folder by `url` and receives the groups whose pages are in that folder.
 * All other groups belong to the first tab.
 */
export function upgradeMintJson(node: JsonNode, problems: ProblemLog): JsonNode {
  const old = findJsonMembers(node);
  if (!old) return node;
  const upgraded = new Map<string, JsonNode>();
  for (const [key, child] of old) if (sameKeys.has(key)) upgraded.set(key, child);
  const put = (key: string, value: JsonNode | undefined) => {
    if (value) upgraded.set(key, value);
  };
  put("navigation", upgradeNavigation(node, old));
  warnOfVersions(old, problems);
  put("navbar", upgradeNavbar(node, old));
  put("footer", upgradeFooter(node, old));
  put("appearance", renameKeys(old.get("modeToggle"), { default: "default", isHidden: "strict" }));
  put("fonts", upgradeFonts(old.get("font")));
  put("seo", upgradeSeo(node, old));
  put("api", upgradeApi(node, old));
  put("background", upgradeBackground(node, old));
  put("styling", upgradeStyling(node, old));
  put("integrations", old.get("integrations") ?? old.get("analytics"));
  return replaceValue(node, upgraded);
}

/** The keys that have the same meaning in both formats. */
const sameKeys: ReadonlySet<string> = new Set([
  "$schema",
  "name",
  "description",
  "colors",
  "logo",
  "favicon",
  "redirects",
  "search",
  "banner",
  "feedback",
]);

type Members = ReadonlyMap<string, JsonNode>;

function replaceValue(node: JsonNode, value: JsonValue): JsonNode {
  return { ...node, value };
}

/** Returns an object with the defined parts, or undefined if all are undefined. */
function createObject(
  node: JsonNode,
  parts: Readonly<Record<string, JsonNode | undefined>>,
): JsonNode | undefined {
  const entries = Object.entries(parts).flatMap(([key, part]) =>
    part === undefined ? [] : [[key, part] as const],
  );
  return entries.length === 0 ? undefined : replaceValue(node, new Map(entries));
}

/** Renames the keys of an object. Drops keys without a new name. */
function renameKeys(
  node: JsonNode | undefined,
  names: Readonly<Record<string, string>>,
): JsonNode | undefined {
  const members = findJsonMembers(node);
  if (!node || !members) return undefined;
  const entries = Object.entries(names).flatMap(([from, to]) => {
    const child = members.get(from);
    return child ? [[to, child] as const] : [];
  });
  return replaceValue(node, new Map(entries));
}

const linkNames = { name: "label", label: "label", url: "href", type: "type", icon: "icon" };

function upgradeNavbar(node: JsonNode, old: Members): JsonNode | undefined {
  const links = old.get("topbarLinks");
  const button = old.get("topbarCtaButton");
  const isLink = findJsonText(findJsonMembers(button)?.get("type")) === "link";
  const { type: _, ...plainNames } = linkNames;
  // A button of the kind "link" in `mint.json` is a button of the default kind in `docs.json`.
  const primary = renameKeys(button, isLink ? plainNames : linkNames);
  const upgraded = new Map<string, JsonNode>();
  if (links) upgraded.set("links", replaceValue(links, renameItemKeys(links, linkNames)));
  if (primary) upgraded.set("primary", primary);
  return upgraded.size > 0 ? replaceValue(node, upgraded) : undefined;
}

function renameItemKeys(
  list: JsonNode,
  names: Readonly<Record<string, string>>,
): readonly JsonNode[] {
  return (findJsonItems(list) ?? []).flatMap((item) => renameKeys(item, names) ?? []);
}

function upgradeFooter(node: JsonNode, old: Members): JsonNode | undefined {
  const footer = findJsonMembers(old.get("footer"));
  const socials = convertSocials(footer?.get("socials") ?? old.get("footerSocials"));
  const columns = footer?.get("links");
  const upgraded = new Map<string, JsonNode>();
  if (findJsonMembers(socials) && socials) upgraded.set("socials", socials);
  if (columns) {
    const items = (findJsonItems(columns) ?? []).map((column) => {
      const links = findJsonMembers(column)?.get("links");
      const header = findJsonMembers(column)?.get("title");
      const parts = new Map<string, JsonNode>();
      if (header) parts.set("header", header);
      if (links)
        parts.set(
          "items",
          replaceValue(links, renameItemKeys(links, { label: "label", url: "href" })),
        );
      return replaceValue(column, parts);
    });
    upgraded.set("links", replaceValue(columns, items));
  }
  return upgraded.size > 0 ? replaceValue(node, upgraded) : undefined;
}

/** Converts `[{ type, url }]` to the object form of `docs.json`. */
function convertSocials(socials: JsonNode | undefined): JsonNode | undefined {
  const items = findJsonItems(socials);
  if (!socials || !items) return socials;
  const entries = items.flatMap((item) => {
    const [type, url] = [
      findJsonText(findJsonMembers(item)?.get("type")),
      findJsonMembers(item)?.get("url"),
    ];
    return type === undefined || url === undefined ? [] : [[type, url] as const];
  });
  return replaceValue(socials, new Map(entries));
}

const fontNames = { family: "family", weight: "weight", url: "source", format: "format" };

function upgradeFonts(font: JsonNode | undefined): JsonNode | undefined {
  const members = findJsonMembers(font);
  if (!font || !members) return undefined;
  const general = findJsonMembers(renameKeys(font, fontNames)) ?? new Map<string, JsonNode>();
  const overrides = createObject(font, {
    heading: renameKeys(members.get("headings"), fontNames),
    body: renameKeys(members.get("body"), fontNames),
  });
  return replaceValue(font, new Map([...general, ...(findJsonMembers(overrides) ?? [])]));
}

function upgradeBackground(node: JsonNode, old: Members): JsonNode | undefined {
  return createObject(node, {
    decoration: findJsonMembers(old.get("background"))?.get("style"),
    color: findJsonMembers(old.get("colors"))?.get("background"),
    image: old.get("backgroundImage"),
  });
}

function upgradeStyling(node: JsonNode, old: Members): JsonNode | undefined {
  const mode = findJsonMembers(old.get("codeBlock"))?.get("mode");
  return createObject(node, {
    eyebrows: findJsonMembers(old.get("eyebrow"))?.get("display"),
    codeblocks: mode && replaceValue(mode, findJsonText(mode) === "dark" ? "dark" : "system"),
  });
}

/** The `docs.json` names of the playground modes of `mint.json`. */
const playgroundModes: ReadonlyMap<string | undefined, string> = new Map([
  ["show", "interactive"],
  ["simple", "simple"],
  ["hide", "none"],
]);

function upgradeApi(node: JsonNode, old: Members): JsonNode | undefined {
  const api = findJsonMembers(old.get("api"));
  const mode = findJsonMembers(api?.get("playground"))?.get("mode");
  const display = playgroundModes.get(findJsonText(mode));
  const parts: Record<string, JsonNode | undefined> = {
    openapi: old.get("openapi"),
    mdx: createObject(node, { server: api?.get("baseUrl"), auth: api?.get("auth") }),
    params: renameKeys(api?.get("paramFields"), { expanded: "expanded" }),
  };
  if (mode && display !== undefined) {
    parts["playground"] = createObject(mode, { display: replaceValue(mode, display) });
  }
  const examples = findJsonMembers(findJsonMembers(api?.get("request"))?.get("example"))?.get(
    "languages",
  );
  if (examples) parts["examples"] = createObject(examples, { languages: examples });
  return createObject(node, parts);
}

function upgradeSeo(node: JsonNode, old: Members): JsonNode | undefined {
  const upgraded = new Map<string, JsonNode>();
  const isAll = findJsonMembers(old.get("seo"))?.get("indexHiddenPages")?.value === true;
  if (isAll) upgraded.set("indexing", replaceValue(node, "all"));
  const metadata = old.get("metadata");
  if (metadata) upgraded.set("metatags", metadata);
  return upgraded.size > 0 ? replaceValue(node, upgraded) : undefined;
}

function upgradeNavigation(node: JsonNode, old: Members): JsonNode | undefined {
  const navigation = old.get("navigation");
  if (!navigation) return undefined;
  const anchors = old.get("anchors");
  const upgraded = new Map<string, JsonNode>();
  const links = (anchors && findJsonItems(anchors)?.filter(hasExternalUrl)) ?? [];
  if (anchors && links.length > 0) {
    const items = links.map((anchor) => renameDivisionKeys(anchor, "anchor"));
    upgraded.set(
      "global",
      replaceValue(anchors, new Map([["anchors", replaceValue(anchors, items)]])),
    );
  }
  const groups = findJsonItems(navigation) ?? [];
  const versions = createVersions(node, old, groups);
  if (versions) upgraded.set("versions", versions);
  else upgraded.set(...createNavigationMember(node, old, groups));
  return replaceValue(navigation, upgraded);
}

/** Creates the member of `navigation` for `groups`: `tabs` if the site has tabs, otherwise `groups`. */
function createNavigationMember(
  node: JsonNode,
  old: Members,
  groups: readonly JsonNode[],
): [string, JsonNode] {
  const tabs = createTabs(node, old, groups);
  return tabs ? ["tabs", tabs] : ["groups", replaceValue(node, groups)];
}

/**
 * Creates each version from its own groups and the groups without a version. Returns undefined if no group names a
 * version.
 */
function createVersions(
  node: JsonNode,
  old: Members,
  groups: readonly JsonNode[],
): JsonNode | undefined {
  const versions = findJsonItems(old.get("versions")) ?? [];
  if (versions.length < 2 || !groups.some((group) => findVersion(group) !== undefined)) {
    return undefined;
  }
  const items = versions.slice(0, maxVersions).flatMap((version) => {
    const members = findJsonMembers(version);
    const name = members?.get("name") ?? version;
    const label = findJsonText(name);
    if (label === undefined) return [];
    const versionGroups = groups.filter((group) => (findVersion(group) ?? label) === label);
    const isDefault = members?.get("default");
    const parts = new Map([["version", name], createNavigationMember(node, old, versionGroups)]);
    if (isDefault) parts.set("default", isDefault);
    return [replaceValue(version, parts)];
  });
  return replaceValue(node, items);
}

/** The maximum number of versions. Each version gets a copy of the groups without a version. */
const maxVersions = 100;

function warnOfVersions(old: Members, problems: ProblemLog): void {
  const versions = old.get("versions");
  const count = findJsonItems(versions)?.length ?? 0;
  if (!versions || count <= maxVersions) return;
  const message = `The site has ${count} versions; only the first ${maxVersions} are shown.`;
  problems.fail("too_many_versions", message, locateJsonNode(versions));
}

function findVersion(group: JsonNode): string | undefined {
  return findJsonText(findJsonMembers(group)?.get("version"));
}

/** Creates tabs and internal anchors, each with the groups in the folder that it names. */
function createTabs(
  node: JsonNode,
  old: Members,
  groups: readonly JsonNode[],
): JsonNode | undefined {
  const anchors =
    findJsonItems(old.get("anchors"))?.filter((anchor) => !hasExternalUrl(anchor)) ?? [];
  const divisions = [...(findJsonItems(old.get("tabs")) ?? []), ...anchors];
  if (divisions.length === 0) return undefined;
  const owners = new Map<string, number>();
  for (const [index, division] of divisions.entries()) {
    const folder = hasExternalUrl(division) ? "" : getFolder(division);
    if (folder !== "" && !owners.has(folder)) owners.set(folder, index);
  }
  const groupsOf = new Map<number, JsonNode[]>();
  for (const group of groups) {
    const owner = findOwner(findFirstPage(group) ?? "", owners);
    const owned = groupsOf.get(owner) ?? [];
    owned.push(group);
    groupsOf.set(owner, owned);
  }
  const items = divisions.map((division, index) =>
    addGroups(renameDivisionKeys(division, "tab"), groupsOf.get(index) ?? []),
  );
  const unownedGroups = groupsOf.get(-1);
  if (unownedGroups) {
    const label =
      findJsonMembers(old.get("primaryTab"))?.get("name") ?? replaceValue(node, "Documentation");
    items.unshift(addGroups(replaceValue(node, new Map([["tab", label]])), unownedGroups));
  }
  return replaceValue(node, items);
}

function addGroups(division: JsonNode, groups: readonly JsonNode[]): JsonNode {
  if (groups.length === 0) return division;
  return replaceValue(
    division,
    new Map([...(findJsonMembers(division) ?? []), ["groups", replaceValue(division, groups)]]),
  );
}

/** Converts `{ name, url, icon, isDefaultHidden }` to a division of `docs.json`. */
function renameDivisionKeys(division: JsonNode, kind: "tab" | "anchor"): JsonNode {
  const api = { openapi: "openapi", asyncapi: "asyncapi" };
  const names = { name: kind, icon: "icon", isDefaultHidden: "hidden", ...api };
  const address = hasExternalUrl(division) ? { url: "href" } : {};
  return renameKeys(division, { ...names, ...address }) ?? division;
}

function hasExternalUrl(division: JsonNode): boolean {
  return /^[a-z]+:/i.test(findJsonText(findJsonMembers(division)?.get("url")) ?? "");
}

function getFolder(division: JsonNode): string {
  return (findJsonText(findJsonMembers(division)?.get("url")) ?? "")
    .slice(0, maxPathLength)
    .replace(/^\/+|\/+$/g, "");
}

/** The maximum length of a path, which exceeds the longest path that a file system allows. */
const maxPathLength = 4_096;

/**
 * Returns the index of the division with the innermost folder that contains a page, or -1 if no division contains the
 * page.
 */
function findOwner(page: string, owners: ReadonlyMap<string, number>): number {
  let folder = page.slice(0, maxPathLength);
  while (folder !== "") {
    const owner = owners.get(folder);
    if (owner !== undefined) return owner;
    folder = getParentFolder(folder);
  }
  return -1;
}

function findFirstPage(group: JsonNode): string | undefined {
  let node: JsonNode | undefined = group;
  while (node) {
    const text = findJsonText(node);
    if (text !== undefined) return text.replace(/^\/+/, "");
    node = findJsonItems(findJsonMembers(node)?.get("pages"))?.[0];
  }
  return undefined;
}
