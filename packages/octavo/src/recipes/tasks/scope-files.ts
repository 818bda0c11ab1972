import { foldLettersAndDigits, getBaseName } from "@octavo/site/core";
import { findField, isJsonString } from "@octavo/site/text";
import {
  filterMainDivisions,
  findDivisions,
  formatDivision,
  listConfigurationEntries,
  listDivisions,
  readConfiguration,
} from "../configuration.ts";
import type { Scope, ScopePart } from "../instruction/forms.ts";
import { createRefusedError } from "../instruction/refusal.ts";
import {
  createUnknownNameError,
  filterContent,
  normalizePagePath,
  quote,
  toPagePath,
  toSitePath,
} from "../pages.ts";
import type { Plan } from "../plan.ts";
import type { Listing } from "../site-tools.ts";
import { findLanguage, isEnglish } from "./page-path.ts";

/** Returns the files in a scope. Throws `invalid_input` if a part of it has none, or may mean several things. */
export function* listFilesInScope(
  listing: Listing,
  scope: Scope | undefined,
): Plan<readonly string[]> {
  const files = filterContent(listing);
  if (scope === undefined) return files;
  const found = new Set<string>();
  for (const part of scope.parts) {
    const own = part.kind === "path" ? findByPath(part.name, listing) : yield* findByDivision(part, files); // prettier-ignore
    for (const file of own) found.add(file);
  }
  return files.filter((file) => found.has(file));
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

/** Finds a folder, a page, or both if a page has the path of a folder: `guides` means `guides.mdx` and `guides/`. */
function findByPath(name: string, listing: Listing): readonly string[] {
  const files = filterContent(listing);
  const wanted = normalizePagePath(name);
  const [isFolder, isFile] = [name.endsWith("/"), /\.mdx?$/i.test(name)];
  for (const path of [wanted, toSitePath(wanted, listing)]) {
    const found = files.filter(
      (file) =>
        (!isFile && file.startsWith(`${path}/`)) || (!isFolder && toPagePath(file) === path),
    );
    if (found.length > 0) return found;
  }
  const language = languageCodes.get(name.toLowerCase());
  const inLanguage = language === undefined ? [] : filterLanguage(language, files);
  if (inLanguage.length > 0) return inLanguage;
  const folders = listFolders(files).filter(
    (folder) =>
      foldLettersAndDigits(getBaseName(folder)) === foldLettersAndDigits(getBaseName(wanted)),
  );
  const choices = folders.map((folder) => `${folder}/`);
  const known = [...listFolders(files).map((folder) => `${folder}/`), ...files.map(toPagePath)];
  throw createUnknownNameError("folder or page", { name, slot: "scope", choices, known });
}

const languageCodes: ReadonlyMap<string, string> = new Map(
  "english en french fr german de spanish es portuguese pt italian it dutch nl polish pl russian ru ukrainian uk turkish tr japanese ja korean ko chinese zh arabic ar hindi hi"
    .split(" ")
    .flatMap((word, index, all) => {
      const code = all[index + 1];
      return index % 2 === 0 && code !== undefined ? [[word, code], [code, code]] : []; // prettier-ignore
    }),
);

function filterLanguage(code: string, files: readonly string[]): readonly string[] {
  const own = files.filter((file) => findLanguage(file)?.toLowerCase().startsWith(code) === true);
  if (own.length > 0 || code !== "en" || files.every(isEnglish)) return own;
  return files.filter(isEnglish);
}

/** Finds the pages that a group or a tab of the navigation lists, in its subgroups, too. */
function* findByDivision(
  { kind, name }: ScopePart,
  files: readonly string[],
): Plan<readonly string[]> {
  if (kind === "path") return [];
  const configuration = yield* readConfiguration();
  const all = listDivisions(configuration, kind);
  const named = filterMainDivisions(findDivisions(name, all), name);
  const [division] = named;
  if (division === undefined || named.length > 1) {
    const problem = division === undefined ? `no ${kind}` : `${named.length} ${kind}s named`;
    const choices = named.map((own) => `the ${kind} “${formatDivision(own)}”`);
    throw createRefusedError(`the navigation has ${problem} ${quote(name)}`, { slot: "scope", choices }); // prettier-ignore
  }
  const pages = new Set<string>();
  for (const { node, within } of listConfigurationEntries(configuration)) {
    if (isJsonString(node) && within.some((around) => around === division.node))
      pages.add(normalizePagePath(node.value));
  }
  const found = files.filter((file) => pages.has(toPagePath(file)));
  if (found.length > 0) return found;
  throw createRefusedError(`the ${kind} ${quote(formatDivision(division))} lists no pages that are files`); // prettier-ignore
}

const record =
  /^(?:changelog|change-log|changes|release-?notes?|releases|updates|whats-new|history|news)$/i;

const dated = /(?:^|\/)(?:\d{4}-\d{2}(?:-\d{2})?)(?:[/.-]|$)/;

/** A numbered file. Proposals and decisions are numbered and never change. */
const numbered = /^\d{3,}-/;

const versioned = /(?:^|\/)v\d+(?:[._]\d+)*(?:\.x)?\//i;

/** Fields of pages whose text is generated from another source. */
const generated = ["openapi", "asyncapi", "graphql", "api"];

/**
 * Explains why a page should not get new names and numbers, which is because it describes a past state or is generated.
 * Undefined for other pages, or if the scope names such pages.
 */
export function findSkipReason(
  path: string,
  text: string,
  scope: Scope | undefined,
): string | undefined {
  const parts = scope?.parts.map(({ name }) => normalizePagePath(name)) ?? [];
  if (parts.includes(toPagePath(path))) return undefined;
  const asked = parts.find((part) => path.startsWith(`${part}/`)) ?? "";
  const rest = asked === "" ? path : path.slice(asked.length + 1);
  if (record.test(getBaseName(toPagePath(path))) || /<Update\b/.test(text))
    return "a record of changes";
  if (dated.test(rest) || (scope === undefined && findField(text, "date") !== undefined))
    return "a dated page";
  if (numbered.test(getBaseName(path))) return "a numbered record";
  if (versioned.test(rest)) return "a page of one version";
  return isGeneratedPage(text) ? "a generated page" : undefined;
}

/**
 * Reports whether a page is generated from an API description or from code. A page generated from code begins with the
 * name of a module.
 */
export function isGeneratedPage(text: string): boolean {
  if (/^---\n[^]*?\n---\s*\n# `[\w.]+`\s*$/m.test(text.slice(0, 2_000))) return true;
  return generated.some((key) => findField(text, key) !== undefined);
}
