import { posix } from "node:path";
import type { NavDivision, Site } from "@octavo/site";
import { compareCodeUnits, isOctavoError } from "@octavo/site/core";
import { findCodeRanges, isInCode, type TextRange } from "@octavo/site/text";
import type { Workspace } from "../workspace.ts";
import { buildMapTree, listSiteLanguages, listUnlistedPages, type MapNode } from "./map-tree.ts";
import { formatLabel, formatPathLabel } from "./quoted.ts";

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
  const kinds = listDivisionKinds(site.navigation);
  const hidden = listUnlistedPages(site).length;
  const generated = pages.filter((page) => page.isGenerated).length;
  return [
    `Name: ${formatLabel(config.name)}. Theme: ${config.theme}. Icons: ${config.iconLibrary}.`,
    formatConfigurationLine(site, configurationFiles),
    `Pages: ${pages.length}${generated > 0 ? `, of them ${generated} generated` : ""}${hidden > 0 ? `, ${hidden} outside the navigation` : ""}. Other files: ${assets.length}. Redirects: ${redirects.length}.`,
    ...(kinds.length > 0 ? [`Navigation: ${kinds.join("; ")}.`] : []),
    ...(descriptions.size > 0 ? [`API descriptions: ${formatNames([...descriptions])}.`] : []),
    ...formatVariableLines(config.variables),
  ].join("\n");
}

function formatConfigurationLine({ configFile }: Site, others: readonly string[]): string {
  if (configFile === "none") {
    return "Configuration: none; a plain folder of Markdown, whose subfolders are the navigation.";
  }
  return `Configuration: ${configFile}${others.length > 0 ? `, with ${formatNames(others)}` : ""}.`;
}

/** Returns the divisions between which readers switch: `languages en (default), es; tabs Guides, API`. */
function listDivisionKinds(root: NavDivision): string[] {
  const labels = new Map<string, Set<string>>();
  const waiting = [root];
  for (let division = waiting.shift(); division; division = waiting.shift()) {
    for (const { kind, label, isDefault } of division.divisions) {
      const kindLabels = labels.get(kind) ?? new Set();
      labels.set(
        kind,
        kindLabels.add(isDefault ? `${formatLabel(label)} (default)` : formatLabel(label)),
      );
    }
    waiting.push(...division.divisions);
  }
  return Array.from(labels, ([kind, names]) => {
    const isListed = kind === "language" || kind === "version" || kind === "product";
    return isListed
      ? `${kind}s ${formatNames([...names])}`
      : `${names.size} ${kind}${names.size === 1 ? "" : "s"}`;
  });
}

function formatVariableLines(variables: Readonly<Record<string, string>>): string[] {
  const names = Object.entries(variables);
  if (names.length === 0) return [];
  const shownVariables = names
    .slice(0, maxVariables)
    .map(([name, value]) => `{{${formatLabel(name, 40)}}} is ${formatLabel(value, 60)}`);
  const omissionNote =
    names.length > shownVariables.length
      ? `, and ${names.length - shownVariables.length} more`
      : "";
  return [`Variables, written in pages by name: ${shownVariables.join(", ")}${omissionNote}.`];
}

function formatNames(names: readonly string[]): string {
  const shownNames = names.slice(0, maxNames).map((name) => formatPathLabel(name));
  const omittedCount = names.length - shownNames.length;
  return omittedCount > 0
    ? `${shownNames.join(", ")} and ${omittedCount} more`
    : shownNames.join(", ");
}

/** Lists the snippets and components that the site uses. Returns undefined if there are none. */
export function formatSiteUsage(
  { snippets, components }: SiteUsage,
  site: Site,
): string | undefined {
  const bySnippetUse = mergeTranslations(snippets, site).toSorted((a, b) => b.files - a.files);
  const [common, rare] = [components.slice(0, maxExamples), components.slice(maxExamples)];
  const parts = [
    formatPartList(
      "Snippets (the names under which pages import them, the attributes passed to them):",
      bySnippetUse.map(formatSnippetLine),
      maxSnippetsLength,
    ),
    formatPartList(
      "Components on this site (uses, files; an example):",
      common.map(formatComponentLine),
      maxComponentsLength,
    ),
    rare.length === 0 ? undefined : `Also: ${formatNames(rare.map(({ name }) => name))}.`,
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
  const findOriginal = (path: string): string | undefined => {
    const parts = path.split("/");
    const without = parts.filter((part) => !languages.has(part)).join("/");
    return without !== path && paths.has(without) ? without : undefined;
  };
  const originals = snippets.filter(({ path }) => findOriginal(path) === undefined);
  return originals.map((snippet) => {
    const translations = snippets.filter(({ path }) => findOriginal(path) === snippet.path);
    const found = translations.flatMap(
      ({ path }) => path.split("/").find((part) => languages.has(part)) ?? [],
    );
    return { ...snippet, languages: found };
  });
}

function formatPartList(
  title: string,
  lines: readonly string[],
  maxLength: number,
): string | undefined {
  if (lines.length === 0) return undefined;
  const shownLines: string[] = [];
  let length = title.length;
  for (const line of lines) {
    length += line.length + 1;
    if (length > maxLength) break;
    shownLines.push(line);
  }
  const omittedCount = lines.length - shownLines.length;
  if (omittedCount > 0) shownLines.push(`- and ${omittedCount} more`);
  return [title, ...shownLines].join("\n");
}

function formatSnippetLine({ path, names, files, attributes, languages }: MergedSnippet): string {
  const use = files === 0 ? "not imported" : `in ${files} ${files === 1 ? "file" : "files"}`;
  const importNames =
    names.length > 0
      ? ` as ${names
          .slice(0, 5)
          .map((name) => formatLabel(name, 40))
          .join(", ")}`
      : "";
  const attributeList =
    attributes.length > 0
      ? `; ${attributes
          .slice(0, 10)
          .map((name) => formatLabel(name, 40))
          .join(", ")}`
      : "";
  const translations = languages.length > 0 ? ` (also in ${languages.join(", ")})` : "";
  return `- ${formatPathLabel(path)}${translations}${importNames}, ${use}${attributeList}`;
}

function formatComponentLine({ name, uses, files, example }: ComponentUsage): string {
  const shownExample =
    example === "" || example === `<${name}>` ? "" : ` ${formatLabel(example, 140)}`;
  return `- ${formatLabel(name, 60)} ${uses}, ${files}${shownExample === "" ? "" : `:${shownExample}`}`;
}

/** The numbers of items and children of a node that are shown so far. */
interface ShownCounts {
  items: number;
  children: number;
}

/** The limits of one pass over the tree. Each pass continues where the previous pass stopped. */
interface ExpansionPass {
  /** The share of the total length. */
  readonly share: number;
  readonly maxItems: number;
  readonly maxChildren: number;
}

/**
 * The passes: first the outline, then the first pages of each group, then everything that fits. In this order, a group
 * with a thousand pages hides neither its siblings nor the levels below.
 */
const passes: readonly ExpansionPass[] = [
  { share: 0.6, maxItems: 0, maxChildren: 60 },
  { share: 0.9, maxItems: 24, maxChildren: 60 },
  { share: 1, maxItems: Infinity, maxChildren: Infinity },
];
/** The maximum length of the text that states how much is omitted. */
const maxRestLength = 40;

/**
 * Describes the whole site in at most `maxLength` characters, with a line for each part of the navigation and its
 * pages. The parts are added breadth first. Pages that do not fit are only counted. The same site always produces the
 * same map.
 */
export function formatSiteMap(site: Site, maxLength: number): string {
  const root = buildMapTree(site);
  const shownCounts = new Map<MapNode, ShownCounts>();
  let remainingLength = maxLength - maxRestLength;
  for (const { share, maxItems, maxChildren } of passes) {
    const reserved = Math.floor(maxLength * (1 - share));
    const isLastRound = share === 1;
    let level: readonly MapNode[] = [root];
    while (level.length > 0) {
      remainingLength -= expandLevel(level, shownCounts, {
        maxLength: remainingLength - reserved,
        maxItems,
        maxChildren,
      });
      const next = level.flatMap((node) => node.children.slice(0, shownCounts.get(node)?.children));
      level = next.filter(({ isShownLast: isLast }) => isLastRound || !isLast);
    }
  }
  return [...listLines(root, shownCounts, 0)].join("\n");
}

interface ExpansionLimits {
  readonly maxLength: number;
  readonly maxItems: number;
  readonly maxChildren: number;
}

/**
 * Shows more of the nodes at one depth, beginning with the smallest, so that the others can use the length that these
 * do not need.
 */
function expandLevel(
  level: readonly MapNode[],
  shown: Map<MapNode, ShownCounts>,
  { maxLength, maxItems, maxChildren }: ExpansionLimits,
): number {
  const bySize = level.toSorted((a, b) => countEntries(a) - countEntries(b));
  let remainingLength = Math.max(maxLength, 0);
  for (const [index, node] of bySize.entries()) {
    const share = Math.floor(remainingLength / (bySize.length - index));
    remainingLength -= expandNode(node, shown, { maxLength: share, maxItems, maxChildren });
  }
  return Math.max(maxLength, 0) - remainingLength;
}

function countEntries({ items, children }: MapNode): number {
  return items.length + children.length;
}

function expandNode(
  node: MapNode,
  shown: Map<MapNode, ShownCounts>,
  { maxLength, maxItems, maxChildren }: ExpansionLimits,
): number {
  const { items, children } = shown.get(node) ?? { items: 0, children: 0 };
  const state = { items, children };
  let cost = 0;
  const spend = (length: number): boolean => {
    const next = cost + length + 1;
    if (next > maxLength) return false;
    cost = next;
    return true;
  };
  while (state.children < Math.min(node.children.length, maxChildren)) {
    const child = node.children[state.children];
    if (!child || !spend(getCollapsedLength(child))) break;
    state.children += 1;
  }
  while (state.items < Math.min(node.items.length, maxItems)) {
    if (!spend((node.items[state.items]?.text.length ?? 0) + 1)) break;
    state.items += 1;
  }
  shown.set(node, state);
  return cost;
}

/** Returns the length of a node's line without its content. Deep in the tree, the line begins with spaces. */
function getCollapsedLength(node: MapNode): number {
  return formatHeader(node, 5).length + formatPageCount(node).length;
}

function* listLines(
  node: MapNode,
  shown: ReadonlyMap<MapNode, ShownCounts>,
  depth: number,
): Generator<string> {
  const { items, children } = shown.get(node) ?? { items: 0, children: 0 };
  const itemTexts = node.items.slice(0, items).map(({ text }) => text);
  const omittedPages = countPages(node.items.slice(items));
  if (itemTexts.length > 0 && omittedPages > 0) itemTexts.push(`… ${omittedPages} more`);
  const isCollapsed = items === 0 && children === 0 && node.pageCount > 0;
  const content = isCollapsed ? formatPageCount(node) : itemTexts.join("; ");
  const header = formatHeader(node, depth);
  if (depth > 0 || content !== "") yield content === "" ? header : `${header}: ${content}`;
  for (const child of node.children.slice(0, children)) yield* listLines(child, shown, depth + 1);
  const hidden = node.children.slice(children);
  if (isCollapsed || hidden.length === 0) return;
  yield `${"  ".repeat(depth)}… ${hidden.length} more parts with ${countPages(hidden)} pages`;
}

function formatHeader({ label, folder }: MapNode, depth: number): string {
  const folderNote = folder === "" || folder === label ? "" : ` (${folder})`;
  return `${"  ".repeat(Math.max(depth - 1, 0))}${label}${folderNote}`;
}

function formatPageCount({ pageCount, children, difference }: MapNode): string {
  if (difference !== undefined) return `${pageCount} pages, ${difference}`;
  const parts = children.length > 0 ? ` in ${children.length} parts` : "";
  return `${pageCount} ${pageCount === 1 ? "page" : "pages"}${parts}`;
}

function countPages(parts: readonly { readonly pageCount: number }[]): number {
  return parts.reduce((sum, { pageCount }) => sum + pageCount, 0);
}

/** The components and snippets of a site, counted in the texts of its pages. */
export interface SiteUsage {
  /** The components; the most frequently used come first. */
  readonly components: readonly ComponentUsage[];
  /** The snippets, by path. */
  readonly snippets: readonly SnippetUsage[];
}

interface ComponentUsage {
  readonly name: string;
  readonly uses: number;
  readonly files: number;
  /** An opening tag with the attributes that the component most often has. */
  readonly example: string;
}

interface SnippetUsage {
  readonly path: string;
  /** The names under which pages import the snippet. */
  readonly names: readonly string[];
  /** The number of pages and snippets that use the snippet. */
  readonly files: number;
  /** The attributes passed to the snippet. */
  readonly attributes: readonly string[];
}

interface CountedComponent {
  uses: number;
  readonly files: Set<string>;
  /** Tags, grouped by the names of their attributes. */
  readonly forms: Map<string, { count: number; text: string }>;
}

interface CountedSnippet {
  readonly names: Set<string>;
  readonly files: Set<string>;
  readonly attributes: Set<string>;
}

const importStatement =
  /^import\s{1,20}(?:([A-Za-z_$][\w$]{0,100})|\{([^{}]{1,500})\})\s{1,20}from\s{1,20}["']([^"'\n]{1,500})["']/gm;
const maxExampleLength = 140;

/** A component's opening tag in a page's text. */
interface OpeningTag {
  readonly name: string;
  /** The names of its attributes, in order. */
  readonly attributes: readonly string[];
  /** The original tag, on one line. */
  readonly text: string;
}

/** The maximum number of tags per page. Few pages have more than a hundred. */
const maxTags = 5_000;
/** The maximum length of a tag. Longer tags contain long passages of text, so they are counted by name only. */
const maxTagLength = 400;
const tagStart = /<([A-Z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+){0,3})(?=[\s/>])/g;
const attributeName = /[A-Za-z_][\w:-]*/y;
const componentDefinition = /^export (?:const|let|var|function) ([A-Z]\w*)/gm;

/** Reads every page and snippet of the site once. */
export async function readSiteUsage(workspace: Workspace): Promise<SiteUsage> {
  const components = new Map<string, CountedComponent>();
  const snippets = new Map<string, CountedSnippet>();
  for (const file of await workspace.listFiles()) {
    if (!/\.mdx?$/.test(file)) continue;
    if (/(?:^|\/)_?snippets\//.test(file)) getCountedSnippet(snippets, file);
    const text = await readOptional(workspace, file);
    if (text !== undefined) countFile(file, text, { components, snippets });
  }
  return { components: listComponents(components), snippets: listSnippets(snippets) };
}

async function readOptional(workspace: Workspace, file: string): Promise<string | undefined> {
  try {
    const isPage = (await workspace.getKind(file)) === "page";
    return isPage ? await workspace.readText(file) : undefined;
  } catch (error) {
    // The file is too large or not UTF-8, which the check reports.
    if (isOctavoError(error)) return undefined;
    throw error;
  }
}

interface UsageCounts {
  readonly components: Map<string, CountedComponent>;
  readonly snippets: Map<string, CountedSnippet>;
}

function countFile(file: string, text: string, { components, snippets }: UsageCounts): void {
  const code = findCodeRanges(text);
  const imported = findImports(file, text, code);
  for (const [name, path] of imported) {
    const snippet = getCountedSnippet(snippets, path);
    snippet.names.add(name);
    snippet.files.add(file);
  }
  // Components that a page defines for itself are not available to other pages.
  const ownComponents = new Set(Array.from(text.matchAll(componentDefinition), ([, name]) => name));
  for (const { name, attributes, text: tag } of findOpeningTags(text, code)) {
    if (ownComponents.has(name)) continue;
    const path = imported.get(name);
    if (path !== undefined) {
      for (const attribute of attributes)
        getCountedSnippet(snippets, path).attributes.add(attribute);
      continue;
    }
    const counted = getCountedComponent(components, name);
    counted.uses += 1;
    counted.files.add(file);
    if (tag === "" || tag.length > maxExampleLength) continue;
    const form = attributes.toSorted().join(" ");
    const existing = counted.forms.get(form);
    if (existing) existing.count += 1;
    else counted.forms.set(form, { count: 1, text: tag });
  }
}

/** Returns the files of the site that a page imports, by their local names. */
function findImports(file: string, text: string, code: readonly TextRange[]): Map<string, string> {
  const imported = new Map<string, string>();
  for (const { 1: single, 2: several = "", 3: target = "", index } of text.matchAll(
    importStatement,
  )) {
    if (!/^[./]/.test(target) || isInCode(code, index)) continue;
    const path = target.startsWith("/") ? target.slice(1) : posix.join(posix.dirname(file), target);
    const names = single === undefined ? several.split(",") : [single];
    for (const name of names) imported.set(name.replace(/^.*\sas\s/, "").trim(), path);
  }
  return imported;
}

function getCountedSnippet(snippets: Map<string, CountedSnippet>, path: string): CountedSnippet {
  let snippet = snippets.get(path);
  if (!snippet) {
    snippet = { names: new Set(), files: new Set(), attributes: new Set() };
    snippets.set(path, snippet);
  }
  return snippet;
}

function getCountedComponent(
  components: Map<string, CountedComponent>,
  name: string,
): CountedComponent {
  let counted = components.get(name);
  if (!counted) {
    counted = { uses: 0, files: new Set(), forms: new Map() };
    components.set(name, counted);
  }
  return counted;
}

function listComponents(components: ReadonlyMap<string, CountedComponent>): ComponentUsage[] {
  const list = Array.from(components, ([name, { uses, files, forms }]) => {
    const [mostCommon] = [...forms.values()].toSorted((a, b) => b.count - a.count);
    return { name, uses, files: files.size, example: mostCommon?.text ?? "" };
  });
  return list.toSorted((a, b) => b.uses - a.uses || compareCodeUnits(a.name, b.name));
}

function listSnippets(snippets: ReadonlyMap<string, CountedSnippet>): SnippetUsage[] {
  const list = Array.from(snippets, ([path, { names, files, attributes }]) => ({
    path,
    names: [...names].toSorted(),
    files: files.size,
    attributes: [...attributes].toSorted(),
  }));
  return list.toSorted((a, b) => compareCodeUnits(a.path, b.path));
}

/**
 * Returns the first `maxTags` opening tags of components that are not in `code`, which comes from `findCodeRanges`.
 * Takes linear time and does not throw.
 */
function findOpeningTags(text: string, code: readonly TextRange[]): OpeningTag[] {
  const tags: OpeningTag[] = [];
  for (const match of text.matchAll(tagStart)) {
    if (isInCode(code, match.index)) continue;
    if (tags.length === maxTags) break;
    const name = match[1] ?? "";
    const part = text.slice(match.index, match.index + maxTagLength);
    const tag = readTag(name, part);
    if (tag) tags.push(tag);
  }
  return tags;
}

/** Parses a tag. Returns undefined for text that only resembles a tag: `<Your name, or another>`. */
function readTag(name: string, part: string): OpeningTag | undefined {
  const attributes: string[] = [];
  let position = name.length + 1;
  while (position < part.length) {
    const character = part[position] ?? "";
    if (character === ">")
      return { name, attributes, text: part.slice(0, position + 1).replaceAll(/\s+/g, " ") };
    if (!/[\s/={"'A-Za-z_]/.test(character)) return undefined;
    attributeName.lastIndex = position;
    const attribute = attributeName.exec(part)?.[0];
    if (attribute !== undefined) attributes.push(attribute);
    position = attribute === undefined ? findValueEnd(part, position) : position + attribute.length;
  }
  return { name, attributes: [], text: "" };
}

/** Returns the offset after a quoted or braced value, or after a single other character. */
function findValueEnd(part: string, start: number): number {
  const character = part[start] ?? "";
  if (character === '"' || character === "'")
    return part.indexOf(character, start + 1) + 1 || part.length + 1;
  if (character !== "{") return start + 1;
  let depth = 0;
  for (let end = start; end < part.length; end += 1) {
    if (part[end] === "{") depth += 1;
    if (part[end] === "}") depth -= 1;
    if (depth === 0) return end + 1;
  }
  return part.length + 1;
}
