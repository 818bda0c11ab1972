import type { z } from "zod";
import { itemsOf, membersOf, placeOf, toPlain, type JsonNode } from "../text/index.ts";
import type { ProblemLog } from "../core/index.ts";

/** How often invalid parts are removed and the rest is tried again; schemas here have three levels. */
const maxRounds = 8;

/**
 * Reads one section of the configuration. Parts that do not match the schema are reported with their
 * places and removed (one link of a list, one of three colours); the rest is used. Undefined if the
 * section is absent or invalid as a whole.
 */
export function readSetting<T>(
  node: JsonNode | undefined,
  schema: z.ZodType<T>,
  setting: { readonly name: string; readonly problems: ProblemLog },
): T | undefined {
  let current = node;
  for (let round = 0; current && round < maxRounds; round++) {
    const result = schema.safeParse(toPlain(current), { error: reasonOf });
    if (result.success) return result.data;
    const invalid = new Set<JsonNode>();
    for (const issue of result.error.issues) {
      const { found, isMissing } = findValue(current, issue.path);
      const path = [setting.name, ...issue.path].join(".");
      const message = isMissing
        ? `The setting "${path}" is missing; the part that requires it is ignored.`
        : `The setting "${path}" is ignored: ${issue.message}.`;
      // What is missing in a later round was removed, and reported, in an earlier one.
      const isReported = invalid.has(found) || (isMissing && round > 0);
      if (!isReported) setting.problems.warn("setting_invalid", message, placeOf(found));
      invalid.add(found);
    }
    current = without(current, invalid);
  }
  return undefined;
}

const kinds: Readonly<Record<string, string>> = {
  string: "text in quotes",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object in braces",
  record: "an object in braces",
};

/** Why a value does not match, for schemas without a message of their own. */
function reasonOf(issue: z.core.$ZodRawIssue): string {
  if (issue.code === "invalid_type") {
    return `expected ${kinds[issue.expected] ?? "another kind of value"}`;
  }
  if (issue.code === "invalid_value") {
    return `expected ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
  }
  if (issue.code === "too_small") return "it must not be empty";
  return "it does not have the form of this setting";
}

/** The value at `path`; if there is none, the innermost value along it. */
function findValue(
  start: JsonNode,
  path: readonly PropertyKey[],
): { readonly found: JsonNode; readonly isMissing: boolean } {
  let found = start;
  for (const key of path) {
    const child =
      typeof key === "number" ? itemsOf(found)?.[key] : membersOf(found)?.get(String(key));
    if (!child) return { found, isMissing: true };
    found = child;
  }
  return { found, isMissing: false };
}

/** The value without the parts in `invalid`; undefined if it is one of them. */
function without(node: JsonNode, invalid: ReadonlySet<JsonNode>): JsonNode | undefined {
  if (invalid.has(node)) return undefined;
  const items = itemsOf(node);
  if (items) {
    const kept = items.map((item) => without(item, invalid)).filter((item) => item !== undefined);
    return { ...node, value: kept };
  }
  const members = membersOf(node);
  if (!members) return node;
  const kept = new Map<string, JsonNode>();
  for (const [key, child] of members) {
    const value = without(child, invalid);
    if (value) kept.set(key, value);
  }
  return { ...node, value: kept };
}
