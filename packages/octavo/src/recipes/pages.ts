import type { OctavoError } from "@octavo/site/core";
import { getFieldText, findField } from "@octavo/site/text";
import type { Scope } from "./instruction/task.ts";
import type { Plan } from "./plan.ts";
import { createRefusedError } from "./instruction/refusal.ts";
import { findFiles, readStarts } from "./site-tools.ts";
import type { Listing } from "./site-tools.ts";

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

/**
 * Returns the files in a scope: those of a folder, or one page by its path. Throws `invalid_input` if there are none.
 */
export function listFilesInScope(listing: Listing, scope: Scope | undefined): readonly string[] {
  const files = listing.files.filter((file) => !guides.test(file));
  if (scope === undefined) return files;
  const wanted = normalizePagePath(scope.name);
  for (const name of [wanted, toSitePath(wanted, listing)]) {
    const inFolder = files.filter((file) => file.startsWith(`${name}/`));
    const page = files.filter((file) => toPagePath(file) === name);
    const isFolder = inFolder.length > 0 && (scope.name.endsWith("/") || page.length === 0);
    if (isFolder || page.length > 0) return isFolder ? inFolder : page;
  }
  const folders = listFolders(files).filter(
    (folder) => foldLetters(getLastPart(folder)) === foldLetters(getLastPart(wanted)),
  );
  const choices = folders.map((folder) => `${folder}/`);
  const known = [...listFolders(files).map((folder) => `${folder}/`), ...files.map(toPagePath)];
  throw unknownName("folder or page", { name: scope.name, slot: "scope", choices, known });
}

/**
 * Converts a path from the repository's root to one from the site's folder, unless the site has a folder of that name.
 */
export function toSitePath(path: string, { folder, files }: Listing): string {
  if (folder === "" || !path.startsWith(`${folder}/`)) return path;
  return files.some((file) => file.startsWith(`${folder}/`)) ? path : path.slice(folder.length + 1);
}

function listFolders(files: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const file of files) {
    for (let at = file.lastIndexOf("/"); at > 0; at = file.lastIndexOf("/", at - 1)) {
      folders.add(file.slice(0, at));
    }
  }
  return [...folders];
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
    (page) => foldLetters(getLastPart(toPagePath(page))) === foldLetters(getLastPart(wanted)),
  );
  const choices = titled.length > 0 ? titled : alike;
  throw unknownName("page", { name, slot, choices: choices.map(toPagePath), known: pages.map(toPagePath) }); // prettier-ignore
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

function unknownName(what: string, { name, slot, choices, known }: UnknownName): OctavoError {
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

/** The minimum share of letter pairs that related names have in common. */
const minShare = 0.5;

/** Returns the known names that are most similar to a missing one. */
export function findClosestNames(name: string, known: readonly string[]): string[] {
  const wanted = collectLetterPairs(name);
  const share = (other: string) => {
    const own = collectLetterPairs(other);
    return (2 * [...own].filter((pair) => wanted.has(pair)).length) / (own.size + wanted.size);
  };
  const ranked = known.map((other) => ({ other, score: share(other) }));
  const near = ranked
    .filter(({ score }) => score >= minShare)
    .toSorted((a, b) => b.score - a.score);
  return near.slice(0, 3).map(({ other }) => other);
}

/** Collects the pairs of adjacent letters. */
function collectLetterPairs(name: string): ReadonlySet<string> {
  const plain = foldLetters(name);
  return new Set(Array.from({ length: plain.length }, (_, at) => plain.slice(at, at + 2)));
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

export function getLastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function getFolder(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Folds a name to the letters that all of its spellings share. */
export function foldLetters(text: string): string {
  return text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

export function quote(text: string): string {
  return `“${text.length > 120 ? `${text.slice(0, 120)}…` : text}”`;
}

/** Escapes pattern characters with backslashes, for patterns with the flag `u` and for the tool `search`. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
