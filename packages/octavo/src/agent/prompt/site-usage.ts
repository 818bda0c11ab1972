import { posix } from "node:path";
import { compareCodeUnits, isOctavoError } from "@octavo/site/core";
import { findCodeRanges, isInCode } from "@octavo/site/text";
import type { TextRange } from "@octavo/site/text";
import type { Workspace } from "../workspace.ts";

/** The components and snippets of a site, counted in the texts of its pages. */
export interface SiteUsage {
  /** The components; the most frequently used come first. */
  readonly components: readonly ComponentUsage[];
  /** The snippets, by path. */
  readonly snippets: readonly SnippetUsage[];
}

export interface ComponentUsage {
  readonly name: string;
  readonly uses: number;
  readonly files: number;
  /** An opening tag with the attributes that the component most often has. */
  readonly example: string;
}

export interface SnippetUsage {
  readonly path: string;
  /** The names under which pages import the snippet. */
  readonly names: readonly string[];
  /** The number of pages and snippets that use the snippet. */
  readonly files: number;
  /** The attributes passed to the snippet. */
  readonly attributes: readonly string[];
}

interface Counted {
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
const maxExample = 140;

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
/** The maximum length of a tag. Longer tags contain whole texts, so they are counted by name only. */
const maxTagLength = 400;
const tagStart = /<([A-Z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+){0,3})(?=[\s/>])/g;
const attributeName = /[A-Za-z_][\w:-]*/y;
const ownDefinition = /^export (?:const|let|var|function) ([A-Z]\w*)/gm;

/** Reads every page and snippet of the site once. */
export async function readSiteUsage(workspace: Workspace): Promise<SiteUsage> {
  const components = new Map<string, Counted>();
  const snippets = new Map<string, CountedSnippet>();
  for (const file of await workspace.files()) {
    if (!/\.mdx?$/.test(file)) continue;
    if (/(?:^|\/)_?snippets\//.test(file)) snippetAt(snippets, file);
    const text = await readOptional(workspace, file);
    if (text !== undefined) countFile(file, text, { components, snippets });
  }
  return { components: componentList(components), snippets: snippetList(snippets) };
}

async function readOptional(workspace: Workspace, file: string): Promise<string | undefined> {
  try {
    const isPage = (await workspace.kindOf(file)) === "page";
    return isPage ? await workspace.readText(file) : undefined;
  } catch (error) {
    // The file is too large or not UTF-8, which the check reports.
    if (isOctavoError(error)) return undefined;
    throw error;
  }
}

interface Counts {
  readonly components: Map<string, Counted>;
  readonly snippets: Map<string, CountedSnippet>;
}

function countFile(file: string, text: string, { components, snippets }: Counts): void {
  const code = findCodeRanges(text);
  const imported = importsIn(file, text, code);
  for (const [name, path] of imported) {
    const snippet = snippetAt(snippets, path);
    snippet.names.add(name);
    snippet.files.add(file);
  }
  // Other pages do not have the components that a page defines for itself.
  const own = new Set(Array.from(text.matchAll(ownDefinition), ([, name]) => name));
  for (const { name, attributes, text: tag } of findOpeningTags(text, code)) {
    if (own.has(name)) continue;
    const path = imported.get(name);
    if (path !== undefined) {
      for (const attribute of attributes) snippetAt(snippets, path).attributes.add(attribute);
      continue;
    }
    const counted = countedAt(components, name);
    counted.uses += 1;
    counted.files.add(file);
    if (tag === "" || tag.length > maxExample) continue;
    const form = attributes.toSorted().join(" ");
    const known = counted.forms.get(form);
    if (known) known.count += 1;
    else counted.forms.set(form, { count: 1, text: tag });
  }
}

/** Returns the files of the site that a page imports, by their local names. */
function importsIn(file: string, text: string, code: readonly TextRange[]): Map<string, string> {
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

function snippetAt(snippets: Map<string, CountedSnippet>, path: string): CountedSnippet {
  let snippet = snippets.get(path);
  if (!snippet) {
    snippet = { names: new Set(), files: new Set(), attributes: new Set() };
    snippets.set(path, snippet);
  }
  return snippet;
}

function countedAt(components: Map<string, Counted>, name: string): Counted {
  let counted = components.get(name);
  if (!counted) {
    counted = { uses: 0, files: new Set(), forms: new Map() };
    components.set(name, counted);
  }
  return counted;
}

function componentList(components: ReadonlyMap<string, Counted>): ComponentUsage[] {
  const list = Array.from(components, ([name, { uses, files, forms }]) => {
    const [usual] = [...forms.values()].toSorted((a, b) => b.count - a.count);
    return { name, uses, files: files.size, example: usual?.text ?? "" };
  });
  return list.toSorted((a, b) => b.uses - a.uses || compareCodeUnits(a.name, b.name));
}

function snippetList(snippets: ReadonlyMap<string, CountedSnippet>): SnippetUsage[] {
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

/** Parses a tag; undefined for text that only resembles a tag: `<Your name, or another>`. */
function readTag(name: string, part: string): OpeningTag | undefined {
  const attributes: string[] = [];
  let at = name.length + 1;
  while (at < part.length) {
    const sign = part[at] ?? "";
    if (sign === ">")
      return { name, attributes, text: part.slice(0, at + 1).replaceAll(/\s+/g, " ") };
    if (!/[\s/={"'A-Za-z_]/.test(sign)) return undefined;
    attributeName.lastIndex = at;
    const attribute = attributeName.exec(part)?.[0];
    if (attribute !== undefined) attributes.push(attribute);
    at = attribute === undefined ? endOfValue(part, at) : at + attribute.length;
  }
  return { name, attributes: [], text: "" };
}

/** Returns the offset after a quoted or braced value, or after a single other character. */
function endOfValue(part: string, at: number): number {
  const sign = part[at] ?? "";
  if (sign === '"' || sign === "'") return part.indexOf(sign, at + 1) + 1 || part.length + 1;
  if (sign !== "{") return at + 1;
  let depth = 0;
  for (let end = at; end < part.length; end += 1) {
    if (part[end] === "{") depth += 1;
    if (part[end] === "}") depth -= 1;
    if (depth === 0) return end + 1;
  }
  return part.length + 1;
}
