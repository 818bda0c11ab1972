import type { NavDivision, Site } from "@octavo/site";
import { buildMapTree, listSiteLanguages, listUnlistedPages, type MapNode } from "./map-tree.ts";
import { formatLabel, formatPathLabel } from "./quoted.ts";
import type { ComponentUsage, SiteUsage, SnippetUsage } from "./site-usage.ts";

const maxNames = 30;
const maxVariables = 30;
const maxSnippetsLength = 1_600;
/** The maximum number of components shown with an example. For the others, names are enough. */
const maxExamples = 18;
const maxComponentsLength = 2_000;

/** Formats the settings of a site that matter to an editor, one per line. */
export function formatSiteSettings(site: Site, configurationFiles: readonly string[]): string {
  const { config, redirects, pages, assets } = site;
  const descriptions = new Set(pages.filter((page) => page.isGenerated).map(({ file }) => file));
  const kinds = divisionKinds(site.navigation);
  const hidden = listUnlistedPages(site).length;
  const generated = pages.filter((page) => page.isGenerated).length;
  return [
    `Name: ${formatLabel(config.name)}. Theme: ${config.theme}. Icons: ${config.iconLibrary}.`,
    configurationLine(site, configurationFiles),
    `Pages: ${pages.length}${generated > 0 ? `, of them ${generated} generated` : ""}${hidden > 0 ? `, ${hidden} outside the navigation` : ""}. Other files: ${assets.length}. Redirects: ${redirects.length}.`,
    ...(kinds.length > 0 ? [`Navigation: ${kinds.join("; ")}.`] : []),
    ...(descriptions.size > 0 ? [`API descriptions: ${nameList([...descriptions])}.`] : []),
    ...variableLines(config.variables),
  ].join("\n");
}

function configurationLine({ configFile }: Site, others: readonly string[]): string {
  if (configFile === "none") {
    return "Configuration: none; a plain folder of Markdown, whose subfolders are the navigation.";
  }
  return `Configuration: ${configFile}${others.length > 0 ? `, with ${nameList(others)}` : ""}.`;
}

/** Returns the divisions between which readers switch: `languages en (default), es; tabs Guides, API`. */
function divisionKinds(root: NavDivision): string[] {
  const labels = new Map<string, Set<string>>();
  const waiting = [root];
  for (let division = waiting.shift(); division; division = waiting.shift()) {
    for (const { kind, label, isDefault } of division.divisions) {
      const known = labels.get(kind) ?? new Set();
      labels.set(
        kind,
        known.add(isDefault ? `${formatLabel(label)} (default)` : formatLabel(label)),
      );
    }
    waiting.push(...division.divisions);
  }
  return Array.from(labels, ([kind, names]) => {
    const isListed = kind === "language" || kind === "version" || kind === "product";
    return isListed
      ? `${kind}s ${nameList([...names])}`
      : `${names.size} ${kind}${names.size === 1 ? "" : "s"}`;
  });
}

function variableLines(variables: Readonly<Record<string, string>>): string[] {
  const names = Object.entries(variables);
  if (names.length === 0) return [];
  const shown = names
    .slice(0, maxVariables)
    .map(([name, value]) => `{{${formatLabel(name, 40)}}} is ${formatLabel(value, 60)}`);
  const rest = names.length > shown.length ? `, and ${names.length - shown.length} more` : "";
  return [`Variables, written in pages by name: ${shown.join(", ")}${rest}.`];
}

function nameList(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).map((name) => formatPathLabel(name));
  const rest = names.length - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}

/** Lists the snippets and components that the site uses; undefined if there are none. */
export function formatSiteParts(
  { snippets, components }: SiteUsage,
  site: Site,
): string | undefined {
  const bySnippetUse = mergeTranslations(snippets, site).toSorted((a, b) => b.files - a.files);
  const [usual, rare] = [components.slice(0, maxExamples), components.slice(maxExamples)];
  const parts = [
    partList(
      "Snippets (the names under which pages import them, the attributes passed to them):",
      bySnippetUse.map(snippetLine),
      maxSnippetsLength,
    ),
    partList(
      "Components on this site (uses, files; an example):",
      usual.map(componentLine),
      maxComponentsLength,
    ),
    rare.length === 0 ? undefined : `Also: ${nameList(rare.map(({ name }) => name))}.`,
  ];
  const found = parts.filter((part) => part !== undefined);
  return found.length === 0 ? undefined : found.join("\n");
}

interface MergedSnippet extends SnippetUsage {
  /** Languages whose folders contain the same snippet. */
  readonly languages: readonly string[];
}

/** Lists a snippet in another language's folder together with the snippet that it translates. */
function mergeTranslations(snippets: readonly SnippetUsage[], site: Site): MergedSnippet[] {
  const languages = listSiteLanguages(site);
  const paths = new Set(snippets.map(({ path }) => path));
  const originalOf = (path: string): string | undefined => {
    const parts = path.split("/");
    const without = parts.filter((part) => !languages.has(part)).join("/");
    return without !== path && paths.has(without) ? without : undefined;
  };
  const originals = snippets.filter(({ path }) => originalOf(path) === undefined);
  return originals.map((snippet) => {
    const translations = snippets.filter(({ path }) => originalOf(path) === snippet.path);
    const found = translations.flatMap(
      ({ path }) => path.split("/").find((part) => languages.has(part)) ?? [],
    );
    return { ...snippet, languages: found };
  });
}

function partList(title: string, lines: readonly string[], maxLength: number): string | undefined {
  if (lines.length === 0) return undefined;
  const shown: string[] = [];
  let length = title.length;
  for (const line of lines) {
    length += line.length + 1;
    if (length > maxLength) break;
    shown.push(line);
  }
  const rest = lines.length - shown.length;
  if (rest > 0) shown.push(`- and ${rest} more`);
  return [title, ...shown].join("\n");
}

function snippetLine({ path, names, files, attributes, languages }: MergedSnippet): string {
  const use = files === 0 ? "not imported" : `in ${files} ${files === 1 ? "file" : "files"}`;
  const as =
    names.length > 0
      ? ` as ${names
          .slice(0, 5)
          .map((name) => formatLabel(name, 40))
          .join(", ")}`
      : "";
  const given =
    attributes.length > 0
      ? `; ${attributes
          .slice(0, 10)
          .map((name) => formatLabel(name, 40))
          .join(", ")}`
      : "";
  const also = languages.length > 0 ? ` (also in ${languages.join(", ")})` : "";
  return `- ${formatPathLabel(path)}${also}${as}, ${use}${given}`;
}

function componentLine({ name, uses, files, example }: ComponentUsage): string {
  const shown = example === "" || example === `<${name}>` ? "" : ` ${formatLabel(example, 140)}`;
  return `- ${formatLabel(name, 60)} ${uses}, ${files}${shown === "" ? "" : `:${shown}`}`;
}

/** The numbers of items and children of a node that are shown so far. */
interface Shown {
  items: number;
  children: number;
}

/** The limits of one pass over the tree. Each pass continues where the previous one stopped. */
interface Round {
  /** The share of the total length. */
  readonly share: number;
  readonly maxItems: number;
  readonly maxChildren: number;
}

/**
 * The passes: first the outline, then the first pages of each group, then everything that fits. In this order, a group
 * with a thousand pages hides neither its siblings nor the levels below.
 */
const rounds: readonly Round[] = [
  { share: 0.6, maxItems: 0, maxChildren: 60 },
  { share: 0.9, maxItems: 24, maxChildren: 60 },
  { share: 1, maxItems: Infinity, maxChildren: Infinity },
];
/** The length of the text that states how much is omitted. */
const restLength = 40;

/**
 * Describes the whole site in at most `maxLength` characters, with a line for each part of the navigation and its
 * pages. The parts are added breadth first. Pages that do not fit are only counted. The same site always produces the
 * same map.
 */
export function formatSiteMap(site: Site, maxLength: number): string {
  const root = buildMapTree(site);
  const shown = new Map<MapNode, Shown>();
  let left = maxLength - restLength;
  for (const { share, maxItems, maxChildren } of rounds) {
    const reserved = Math.floor(maxLength * (1 - share));
    const isLastRound = share === 1;
    let level: readonly MapNode[] = [root];
    while (level.length > 0) {
      left -= revealLevel(level, shown, { budget: left - reserved, maxItems, maxChildren });
      const next = level.flatMap((node) => node.children.slice(0, shown.get(node)?.children));
      level = next.filter(({ isShownLast: isLast }) => isLastRound || !isLast);
    }
  }
  return [...listLines(root, shown, 0)].join("\n");
}

interface Allowance {
  readonly budget: number;
  readonly maxItems: number;
  readonly maxChildren: number;
}

/**
 * Reveals more of the nodes at one depth, beginning with the smallest, so that the room they do not need is left for
 * the others.
 */
function revealLevel(
  level: readonly MapNode[],
  shown: Map<MapNode, Shown>,
  { budget, maxItems, maxChildren }: Allowance,
): number {
  const bySize = level.toSorted((a, b) => countEntries(a) - countEntries(b));
  let left = Math.max(budget, 0);
  for (const [index, node] of bySize.entries()) {
    const share = Math.floor(left / (bySize.length - index));
    left -= reveal(node, shown, { budget: share, maxItems, maxChildren });
  }
  return Math.max(budget, 0) - left;
}

function countEntries({ items, children }: MapNode): number {
  return items.length + children.length;
}

function reveal(
  node: MapNode,
  shown: Map<MapNode, Shown>,
  { budget, maxItems, maxChildren }: Allowance,
): number {
  const { items, children } = shown.get(node) ?? { items: 0, children: 0 };
  const state = { items, children };
  let cost = 0;
  const take = (length: number): boolean => {
    const next = cost + length + 1;
    if (next > budget) return false;
    cost = next;
    return true;
  };
  while (state.children < Math.min(node.children.length, maxChildren)) {
    const child = node.children[state.children];
    if (!child || !take(getCollapsedLength(child))) break;
    state.children += 1;
  }
  while (state.items < Math.min(node.items.length, maxItems)) {
    if (!take((node.items[state.items]?.text.length ?? 0) + 1)) break;
    state.items += 1;
  }
  shown.set(node, state);
  return cost;
}

/** Returns the length of a node's line without its content. Deep in the tree, the line begins with spaces. */
function getCollapsedLength(node: MapNode): number {
  return formatHeader(node, 5).length + pagesText(node).length;
}

function* listLines(
  node: MapNode,
  shown: ReadonlyMap<MapNode, Shown>,
  depth: number,
): Generator<string> {
  const { items, children } = shown.get(node) ?? { items: 0, children: 0 };
  const named = node.items.slice(0, items).map(({ text }) => text);
  const rest = countPages(node.items.slice(items));
  if (named.length > 0 && rest > 0) named.push(`… ${rest} more`);
  const isFolded = items === 0 && children === 0 && node.pageCount > 0;
  const content = isFolded ? pagesText(node) : named.join("; ");
  const header = formatHeader(node, depth);
  if (depth > 0 || content !== "") yield content === "" ? header : `${header}: ${content}`;
  for (const child of node.children.slice(0, children)) yield* listLines(child, shown, depth + 1);
  const hidden = node.children.slice(children);
  if (isFolded || hidden.length === 0) return;
  yield `${"  ".repeat(depth)}… ${hidden.length} more parts with ${countPages(hidden)} pages`;
}

function formatHeader({ label, folder }: MapNode, depth: number): string {
  const place = folder === "" || folder === label ? "" : ` (${folder})`;
  return `${"  ".repeat(Math.max(depth - 1, 0))}${label}${place}`;
}

function pagesText({ pageCount, children, difference }: MapNode): string {
  if (difference !== undefined) return `${pageCount} pages, ${difference}`;
  const parts = children.length > 0 ? ` in ${children.length} parts` : "";
  return `${pageCount} ${pageCount === 1 ? "page" : "pages"}${parts}`;
}

function countPages(parts: readonly { readonly pageCount: number }[]): number {
  return parts.reduce((sum, { pageCount }) => sum + pageCount, 0);
}
