import { foldLettersAndDigits, getBaseName, type OctavoError } from "@octavo/site/core";
import { findField, getFieldText } from "@octavo/site/text";
import { createRefusedError } from "./instruction/refusal.ts";
import type { Plan } from "./plan.ts";
import { findFiles, readStarts, type Listing } from "./site-tools.ts";
import { isLikelyTypo } from "./tasks/words.ts";

/** Returns a page's path in the form that links and navigation use. */
export function toPagePath(file: string): string {
  return file.replace(/\.mdx?$/i, "");
}

/** Reports whether a file is a snippet. Snippets are shown inside pages and have no address of their own. */
export function isSnippet(file: string): boolean {
  return /(?:^|\/)_?snippets\//.test(file);
}

/** Reports whether a file contains navigation links and redirects. */
export function isConfiguration(file: string): boolean {
  return !/\.mdx?$/i.test(file);
}

/** Instructions for people and programs that work on the repository. The tools do not write to them. */
const guides =
  /(?:^|\/)(?:agents|claude|gemini|skill|contributing|code_of_conduct|security|license|readme)\.md$/i;

/** Returns the pages of a listing, without snippets and guides. */
export function filterPages({ files }: Listing): string[] {
  return files.filter((file) => !isSnippet(file) && !guides.test(file));
}

/** Returns the files of a listing without guides. */
export function filterContent({ files }: Listing): string[] {
  return files.filter((file) => !guides.test(file));
}

/**
 * Converts a path from the repository's root to one from the site's folder, unless the site has a folder of that name.
 */
export function toSitePath(path: string, { folder, files }: Listing): string {
  if (folder === "" || !path.startsWith(`${folder}/`)) return path;
  return files.some((file) => file.startsWith(`${folder}/`)) ? path : path.slice(folder.length + 1);
}

/**
 * Finds a page's file by its path, from the site's folder or the repository's root, or by its title. Throws
 * `invalid_input` unless exactly one page matches. `slot` is the slot of the form that names the page.
 */
export function* findPage(name: string, listing: Listing, slot = "page"): Plan<string> {
  const pages = filterPages(listing);
  const wanted = normalizePagePath(name);
  for (const path of [wanted, toSitePath(wanted, listing)]) {
    const exact = pages.filter((file) => [path, `${path}/index`].includes(toPagePath(file)));
    const [file] = exact;
    if (file !== undefined && exact.length === 1) return file;
  }
  const titled = name.includes("/") ? [] : yield* findPagesByTitle(name, pages);
  const [file] = titled;
  if (file !== undefined && titled.length === 1) return file;
  const alike = pages.filter(
    (page) =>
      foldLettersAndDigits(getBaseName(toPagePath(page))) ===
      foldLettersAndDigits(getBaseName(wanted)),
  );
  const choices = titled.length > 0 ? titled : alike;
  throw createUnknownNameError("page", { name, slot, choices: choices.map(toPagePath), known: pages.map(toPagePath) }); // prettier-ignore
}

/** Returns the files of the pages with a given title, ignoring case. */
export function* findPagesByTitle(title: string, files: readonly string[]): Plan<string[]> {
  const query = String.raw`^\s*["']?title["']?\s*:.*${escapePattern(title.trim())}`;
  const found = yield* findFiles([{ query, isRegex: true, ignoreCase: true }], files);
  const starts = yield* readStarts(found, titleLines);
  const isMeant = (text: string) => getPageTitle(text).toLowerCase() === title.trim().toLowerCase();
  return [...starts].filter(([, text]) => isMeant(text)).map(([file]) => file);
}

/** The number of lines at the beginning of a page that may contain its title. */
const titleLines = 30;

export function getPageTitle(page: string): string {
  return getFieldText(page, findField(page, "title")).trim();
}

interface UnknownName {
  readonly name: string;
  readonly slot: string;
  /** The values that the name may mean. */
  readonly choices: readonly string[];
  /** All known values of the kind. */
  readonly known: readonly string[];
}

/** Creates the error for a name that the site does not have, or has several times. */
export function createUnknownNameError(
  what: string,
  { name, slot, choices, known }: UnknownName,
): OctavoError {
  const shown = name.replace(/^\//, "");
  const reason =
    choices.length > 1
      ? `more than one ${what} is called ${quote(shown)}`
      : `the site has no ${what} ${quote(shown)}`;
  return createRefusedError(reason, {
    slot,
    choices: choices.length > 0 ? choices : findClosestNames(name, known),
  });
}

const maxNames = 3;

/** Returns the known names that a missing one is probably a misspelling of. */
export function findClosestNames(name: string, known: readonly string[]): string[] {
  const wanted = foldLettersAndDigits(name);
  const near = (one: string) => {
    const own = foldLettersAndDigits(one);
    const isPlural = own === `${wanted}s` || wanted === `${own}s`;
    return own === wanted || isPlural || isLikelyTypo(name, one);
  };
  return known.filter(near).slice(0, maxNames);
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

export function quote(text: string): string {
  return `“${text.length > 120 ? `${text.slice(0, 120)}…` : text}”`;
}

/** Escapes pattern characters with backslashes, for patterns with the flag `u` and for the tool `search`. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
