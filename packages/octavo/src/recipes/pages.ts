import { OctavoError } from "@octavo/site/core";
import type { Scope } from "./instruction/task.ts";
import type { Plan } from "./plan.ts";
import { call } from "./plan.ts";
import { matchesOf } from "./site-tools.ts";
import type { Listing } from "./site-tools.ts";
import { fieldText, findField } from "@octavo/site/text";

/** A page by what links and navigation call it. */
export function pagePath(file: string): string {
  return file.replace(/\.mdx?$/i, "");
}

/** Snippets are shown within pages and have no address of their own. */
export function isSnippet(file: string): boolean {
  return /(?:^|\/)_?snippets\//.test(file);
}

/** Files that tell people and programs how to work on the repository; the tools do not write them. */
const guides =
  /(?:^|\/)(?:agents|claude|gemini|skill|contributing|code_of_conduct|security|license|readme)\.md$/i;

/** The pages of a listing, without snippets and guides. */
export function pagesOf({ files }: Listing): string[] {
  return files.filter((file) => !isSnippet(file) && !guides.test(file));
}

/**
 * The files that a scope means. Throws `invalid_input` where the site has no such folder or page, or
 * several of that name.
 */
export function filesInScope(listing: Listing, scope: Scope | undefined): readonly string[] {
  const files = listing.files.filter((file) => !guides.test(file));
  if (scope === undefined) return files;
  const wanted = plainPath(scope.name);
  const inFolder = files.filter((file) => file.startsWith(`${wanted}/`));
  const page = files.filter((file) => pagePath(file) === wanted);
  if (inFolder.length > 0 || page.length > 0) {
    return scope.name.endsWith("/") || page.length === 0 ? inFolder : page;
  }
  const folders = foldersOf(files).filter((folder) => {
    const name = folder.slice(folder.lastIndexOf("/") + 1);
    return letters(name) === letters(wanted) || letters(folder) === letters(wanted);
  });
  if (folders.length === 1) return files.filter((file) => file.startsWith(`${folders[0]}/`));
  throw unknownName(`no folder or page ${quote(scope.name)}`, folders);
}

function foldersOf(files: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const file of files) {
    for (let at = file.lastIndexOf("/"); at > 0; at = file.lastIndexOf("/", at - 1)) {
      folders.add(file.slice(0, at));
    }
  }
  return [...folders];
}

/**
 * The file of the page that a name means: its path in any spelling, its last part, or its title. Throws
 * `invalid_input` where there is no such page, or more than one.
 */
export function* findPage(name: string, listing: Listing): Plan<string> {
  const pages = pagesOf(listing);
  const wanted = plainPath(name);
  const exact = pages.filter((file) => file === wanted || pagePath(file) === wanted);
  if (exact.length === 1) return exact[0] ?? "";
  const alike = [
    pages.filter((file) => pagePath(file) === `${wanted}/index`),
    pages.filter((file) => pagePath(file).toLowerCase() === wanted.toLowerCase()),
    pages.filter((file) => lastPart(pagePath(file)).toLowerCase() === wanted.toLowerCase()),
  ].find((found) => found.length > 0);
  if (alike !== undefined) return onlyOne(alike, name);
  const titled = yield* findByTitle(name, pages);
  return onlyOne(titled, name);
}

function onlyOne(files: readonly string[], name: string): string {
  const [file] = files;
  if (file !== undefined && files.length === 1) return file;
  throw unknownName(`no page ${quote(name)}`, files);
}

function* findByTitle(title: string, pages: readonly string[]): Plan<string[]> {
  const answer = yield* call("search", { query: title, ignoreCase: true, limit: 500 });
  const known = new Set(pages);
  const found = matchesOf(answer).filter(({ file, text }) => {
    if (!known.has(file)) return false;
    const frontmatter = `---\n${text.trim()}\n---\n`;
    const value = fieldText(frontmatter, findField(frontmatter, "title"));
    return value.toLowerCase() === title.toLowerCase();
  });
  return [...new Set(found.map(({ file }) => file))];
}

function unknownName(what: string, several: readonly string[]): OctavoError {
  const shown = several.slice(0, 5).map(quote).join(", ");
  const reason =
    several.length > 1
      ? `${what.replace(/^no/, "more than one")} (${shown}); give the whole path`
      : `${what}; give its path as navigation names it`;
  return new OctavoError("invalid_input", `I cannot do this: the site has ${reason}.`);
}

/** A path as people write it, as the site has it: no slash at the ends, no extension of a page. */
export function plainPath(name: string): string {
  return pagePath(
    name
      .trim()
      .replaceAll(/^(?:\.?\/)+|\/+$/g, "")
      .replace(/[?#].*$/s, ""),
  );
}

export function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** What spellings of one name have in common. */
export function letters(text: string): string {
  return text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

export function quote(text: string): string {
  return `“${text.length > 120 ? `${text.slice(0, 120)}…` : text}”`;
}
