import { foldLettersAndDigits, getBaseName, type OctavoError } from "@octavo/site/core";
import { findField, getFieldText, isJsonString } from "@octavo/site/text";
import {
  findDivision,
  formatDivision,
  listConfigurationEntries,
  listDivisions,
  readConfiguration,
} from "./configuration.ts";
import type { Scope, ScopePart } from "./instruction/forms.ts";
import { createRefusedError } from "./instruction/refusal.ts";
import type { Plan } from "./plan.ts";
import { findFiles, readStarts, type Listing } from "./site-tools.ts";
import { findLanguage, findLanguageCode, isEnglish } from "./tasks/page-path.ts";
import { quote } from "./tasks/report-text.ts";
import { escapePattern, findClosestNames } from "./tasks/words.ts";

/** Returns a page's path in the form that links and navigation use. */
export function toPagePath(file: string): string {
  return file.replace(/\.mdx?$/i, "");
}

/** Reports whether a file is a snippet. Snippets are shown inside pages and have no address of their own. */
export function isSnippet(file: string): boolean {
  return /(?:^|\/)_?snippets\//.test(file);
}

/** Reports whether a file belongs to the configuration, which contains navigation links and redirects. */
export function isConfiguration(file: string): boolean {
  return !/\.mdx?$/i.test(file);
}

/**
 * Matches files with instructions for people and programs that work on the repository. The tools do not write to these
 * files.
 */
const guidePattern =
  /(?:^|\/)(?:agents|claude|gemini|skill|contributing|code_of_conduct|security|license|readme)\.md$/i;

/** Returns the files of a listing, except snippets and guides. */
export function filterPages(listing: Listing): string[] {
  return filterContent(listing).filter((file) => !isSnippet(file));
}

/** Returns the files of a listing, except guides. */
function filterContent({ files }: Listing): string[] {
  return files.filter((file) => !guidePattern.test(file));
}

/**
 * Converts a path relative to the repository's root to one relative to the site's folder, unless the site has a folder
 * of that name.
 */
export function toSiteRelativePath(path: string, { folder, files }: Listing): string {
  if (folder === "" || !path.startsWith(`${folder}/`)) return path;
  return files.some((file) => file.startsWith(`${folder}/`)) ? path : path.slice(folder.length + 1);
}

/**
 * Finds a page's file by its path, relative to the site's folder or the repository's root, or by its title. Throws
 * `invalid_input` unless exactly one page matches. `slot` is the slot of the form that names the page.
 */
export function* findPage(name: string, listing: Listing, slot = "page"): Plan<string> {
  const pages = filterPages(listing);
  const wanted = normalizePagePath(name);
  for (const path of [wanted, toSiteRelativePath(wanted, listing)]) {
    const exact = pages.filter((file) => [path, `${path}/index`].includes(toPagePath(file)));
    const [file] = exact;
    if (file !== undefined && exact.length === 1) return file;
  }
  const withTitle = name.includes("/") ? [] : yield* findPagesByTitle(name, pages);
  const [file] = withTitle;
  if (file !== undefined && withTitle.length === 1) return file;
  const sameNamed = pages.filter((page) => hasSameName(toPagePath(page), wanted));
  const choices = withTitle.length > 0 ? withTitle : sameNamed;
  throw createUnknownNameError("page", { name, slot, choices: choices.map(toPagePath), known: pages.map(toPagePath) }); // prettier-ignore
}

function hasSameName(path: string, wanted: string): boolean {
  return foldLettersAndDigits(getBaseName(path)) === foldLettersAndDigits(getBaseName(wanted));
}

/** Returns the files of the pages with a given title, ignoring case. */
export function* findPagesByTitle(title: string, files: readonly string[]): Plan<string[]> {
  const query = String.raw`^\s*["']?title["']?\s*:.*${escapePattern(title.trim())}`;
  const found = yield* findFiles([{ query, isRegex: true, ignoreCase: true }], files);
  const starts = yield* readStarts(found, maxTitleLines);
  const hasTitle = (text: string) =>
    getPageTitle(text).toLowerCase() === title.trim().toLowerCase();
  return [...starts].filter(([, text]) => hasTitle(text)).map(([file]) => file);
}

/** The number of lines at the beginning of a page that may contain its title. */
const maxTitleLines = 30;

export function getPageTitle(page: string): string {
  return getFieldText(page, findField(page, "title")).trim();
}

interface UnknownName {
  readonly name: string;
  readonly slot: string;
  /** The existing names that may be meant. */
  readonly choices: readonly string[];
  /** All names of this kind that the site has. */
  readonly known: readonly string[];
}

/** Creates the error for a name that matches no item on the site, or more than one. */
function createUnknownNameError(what: string, unknown: UnknownName): OctavoError {
  const { name, slot, choices, known } = unknown;
  const shown = quote(name.replace(/^\//, ""));
  const reason = choices.length > 1 ? `more than one ${what} is called ${shown}` : `the site has no ${what} ${shown}`; // prettier-ignore
  return createRefusedError(reason, { slot, choices: choices.length > 0 ? choices : findClosestNames(name, known) }); // prettier-ignore
}

/** Normalizes a path that a person wrote: removes leading and trailing slashes and the page extension. */
export function normalizePagePath(name: string): string {
  return toPagePath(
    name
      .trim()
      .replaceAll(/^(?:\.?\/)+|\/+$/g, "")
      .replace(/[?#].*$/s, ""),
  );
}

/** Returns the files in a scope. Throws `invalid_input` if a part of the scope is ambiguous or contains no files. */
export function* listFilesInScope(
  listing: Listing,
  scope: Scope | undefined,
): Plan<readonly string[]> {
  const files = filterContent(listing);
  if (scope === undefined) return files;
  const found = new Set<string>();
  for (const part of scope.parts) {
    const partFiles = part.kind === "path" ? findByPath(part.name, listing) : yield* findByDivision(part, files); // prettier-ignore
    for (const file of partFiles) found.add(file);
  }
  return files.filter((file) => found.has(file));
}

/** Lists the folders of files, with a slash at the end. */
function listFolders(files: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const file of files) {
    for (let end = file.lastIndexOf("/"); end > 0; end = file.lastIndexOf("/", end - 1)) {
      folders.add(`${file.slice(0, end)}/`);
    }
  }
  return [...folders];
}

/**
 * Finds the files of a folder or a page. If a page and a folder have the same path, finds both: `guides` means
 * `guides.mdx` and `guides/`.
 */
function findByPath(name: string, listing: Listing): readonly string[] {
  const files = filterContent(listing);
  const wanted = normalizePagePath(name);
  const [isFolder, isFile] = [name.endsWith("/"), /\.mdx?$/i.test(name)];
  for (const path of [wanted, toSiteRelativePath(wanted, listing)]) {
    const found = files.filter(
      (file) =>
        (!isFile && file.startsWith(`${path}/`)) || (!isFolder && toPagePath(file) === path),
    );
    if (found.length > 0) return found;
  }
  const language = findLanguageCode(name);
  const inLanguage = language === undefined ? [] : filterLanguage(language, files);
  if (inLanguage.length > 0) return inLanguage;
  const folders = listFolders(files);
  const choices = folders.filter((folder) => hasSameName(folder.slice(0, -1), wanted));
  const known = [...folders, ...files.map(toPagePath)];
  throw createUnknownNameError("folder or page", { name, slot: "scope", choices, known });
}

function filterLanguage(code: string, files: readonly string[]): readonly string[] {
  const inLanguage = files.filter(
    (file) => findLanguage(file)?.toLowerCase().startsWith(code) === true,
  );
  if (inLanguage.length > 0 || code !== "en" || files.every(isEnglish)) return inLanguage;
  return files.filter(isEnglish);
}

/** Finds the pages that a group or a tab of the navigation lists, including those of its subgroups. */
function* findByDivision(
  { kind, name }: ScopePart,
  files: readonly string[],
): Plan<readonly string[]> {
  if (kind === "path") return [];
  const configuration = yield* readConfiguration();
  const division = findDivision(name, listDivisions(configuration, kind), { kind, slot: "scope" });
  const pages = new Set<string>();
  for (const { node, within } of listConfigurationEntries(configuration)) {
    if (isJsonString(node) && within.some((around) => around === division.node))
      pages.add(normalizePagePath(node.value));
  }
  const found = files.filter((file) => pages.has(toPagePath(file)));
  if (found.length > 0) return found;
  throw createRefusedError(`the ${kind} ${quote(formatDivision(division))} lists no pages that are files`); // prettier-ignore
}

/** Fields that only pages generated from another source have. */
const generatedPageFields = ["openapi", "asyncapi", "graphql", "api"];

/**
 * Reports whether a page is generated from an API description or from code. A page generated from code begins with the
 * name of a module.
 */
export function isGeneratedPage(text: string): boolean {
  if (/^---\n[^]*?\n---\s*\n# `[\w.]+`\s*$/m.test(text.slice(0, 2_000))) return true;
  return generatedPageFields.some((key) => findField(text, key) !== undefined);
}
