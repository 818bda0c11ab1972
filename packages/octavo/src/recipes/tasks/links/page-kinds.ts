import { getBaseName } from "@octavo/site/core";
import { findField } from "@octavo/site/text";
import type { Scope } from "../../instruction/forms.ts";
import { normalizePagePath, toPagePath } from "../../pages.ts";

const record =
  /^(?:changelog|change-log|changes|release-?notes?|releases|updates|whats-new|history|news)$/i;
const dated = /(?:^|\/)(?:\d{4}-\d{2}(?:-\d{2})?)(?:[/.-]|$)/;
/** A numbered file. Proposals and decisions are numbered and never change. */
const numbered = /^\d{3,}-/;
const versioned = /(?:^|\/)v\d+(?:[._]\d+)*(?:\.x)?\//i;
/** Fields of pages whose text is generated from another source. */
const generated = ["openapi", "asyncapi", "graphql", "api"];

export type PageKind = "reference" | "example" | "changelog" | "guide";

const kinds: readonly (readonly [PageKind, RegExp])[] = [
  ["changelog", /^(?:changelogs?|release-notes?|releases?|updates|blog|news|whats-new)$/],
  ["reference", /^(?:api|apis|.*-?reference|ref|sdks?|.*-sdks?|endpoints?|schemas?|operations?)$/],
  ["example", /^(?:examples?|samples?|cookbooks?|recipes?|templates?|showcase|gallery|demos?)$/],
  [
    "guide",
    /^(?:guides?|how-?tos?|tutorials?|learn|walkthroughs?|quickstarts?|get(?:ting)?-started)$/,
  ],
];

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

/** Returns the kind of page that a path's folders indicate; undefined if they do not indicate one. */
export function findPageKind(path: string, isOperation: boolean): PageKind | undefined {
  if (isOperation) return "reference";
  const folders = path.toLowerCase().split("/").slice(0, -1);
  for (const folder of folders) {
    const kind = kinds.find(([, form]) => form.test(folder))?.[0];
    if (kind !== undefined) return kind;
  }
  return undefined;
}

/**
 * Languages whose folders contain translated pages. Other two-letter names have different meanings, such as `ts` and
 * `os`.
 */
const languages: ReadonlySet<string> = new Set(
  "ar bg bn ca cs cy da de el en eo es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk km kn ko lt lv mk ml mn mr ms my nb ne nl nn no pa pl pt ro ru si sk sl sq sr sv sw ta te th tl tr uk ur uz vi zh cn jp kr".split(
    " ",
  ),
);

/**
 * Returns the language of a path's folder. It is one of the first two segments, such as `es`, `pt-BR` or `docs/es-419`.
 */
export function findLanguage(path: string): string | undefined {
  const folders = path.split("/").slice(0, -1).slice(0, 2);
  return folders.find(
    (folder) =>
      /^[a-z]{2}(?:-(?:[a-z]{2,4}|\d{3}))?$/i.test(folder) &&
      languages.has(folder.slice(0, 2).toLowerCase()),
  );
}

/** Reports whether a page's folders do not name any language other than English. */
export function isEnglish(path: string): boolean {
  return /^en(?:-|$)/i.test(findLanguage(path) ?? "en");
}

/** Returns the version of a path's folder, such as `v2`, `1.0`, `2025-06-18` or `latest`. */
function findVersion(path: string): string | undefined {
  const folders = path.split("/").slice(0, -1);
  return folders.find((part) => /^(?:v?\d+(?:[.-](?:\d+|x))*|latest|draft|next)$/.test(part));
}

/** Returns a key of a path's language and version. The key is equal for paths that share both. */
export function getEdition(path: string): string {
  return `${findLanguage(path)} ${findVersion(path)}`;
}

export function isSameEdition(a: string, b: string): boolean {
  return getEdition(a) === getEdition(b);
}

/** Removes the language and version folders from a path, so that the path is equal for all editions of a page. */
export function stripEdition(path: string): string {
  const parts = path.split("/");
  const last = parts.length - 1;
  return parts.filter((part, at) => at === last || !isEdition(part)).join("/");
}

/** Reports whether a folder's name is a language or a version. */
export function isEdition(folder: string): boolean {
  return !isSameEdition(`${folder}/x`, "x");
}
