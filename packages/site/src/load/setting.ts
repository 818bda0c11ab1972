import type { z } from "zod";
import { itemsOf, membersOf, placeOf, toPlain, type JsonNode } from "../text/index.ts";
import type { ProblemLog } from "../core/index.ts";

/** What an invalid part is taken out of at most; schemas here nest three deep. */
const maxRounds = 8;

/**
 * Reads one section of the configuration. What does not fit the schema is reported with its place and
 * taken out (the one link of a list, the one colour of three), and the rest is used. Undefined where
 * the section is absent or nothing of it is left.
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
        ? `The setting "${path}" is missing; the part that needs it is not used.`
        : `The setting "${path}" is not used: ${issue.message}.`;
      // What is missing in a later round was taken out in an earlier one, which said why.
      const isReported = invalid.has(found) || (isMissing && round > 0);
      if (!isReported) setting.problems.warn("setting_invalid", message, placeOf(found));
      invalid.add(found);
    }
    current = without(current, invalid);
  }
  return undefined;
}

const kinds: Readonly<Record<string, string>> = {
  string: "a text in quotes",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object in braces",
  record: "an object in braces",
};

/** Why a value does not fit, where its schema has no words of its own for that. */
function reasonOf(issue: z.core.$ZodRawIssue): string {
  if (issue.code === "invalid_type") {
    return `expected ${kinds[issue.expected] ?? "another kind of value"}`;
  }
  if (issue.code === "invalid_value") {
    return `expected ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
  }
  if (issue.code === "too_small") return "it must not be empty";
  return "it does not have the form that this setting has";
}

/** The value at `path`; where there is none, the innermost value on the way to it. */
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

/** The value without the parts in `invalid`; undefined where it is one of them itself. */
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
