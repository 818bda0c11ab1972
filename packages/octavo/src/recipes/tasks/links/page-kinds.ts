import { findField } from "@octavo/site/text";
import { getBaseName } from "@octavo/site/core";
import type { Scope } from "../../instruction/task.ts";
import { toPagePath, normalizePagePath } from "../../pages.ts";

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
