import type { FastifySchemaCompiler } from "fastify";
import type { z } from "zod";
import { OctavoError } from "@octavo/site/core";

const partNames: Readonly<Record<string, string>> = {
  body: "The body",
  querystring: "The query",
  headers: "The headers",
  params: "The path",
};

/** The maximum number of problems that one message names. */
const maxNamedProblems = 3;

/** Turns a zod schema for a part of a request into a Fastify validator, whose message names the first problems. */
export const compileValidator: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  const part = partNames[httpPart ?? ""] ?? "The request";
  return (data) => {
    // The path is not checked: no resource has a name with unsafe text, so the lookup responds with 404.
    if (httpPart !== "params" && hasUnsafeText(data)) return { error: createUnsafeTextError(part) };
    const result = schema.safeParse(data, { reportInput: true });
    if (result.success) return { value: result.data };
    return { error: new OctavoError("invalid_input", describeIssues(result.error.issues, part)) };
  };
};

type Issue = z.core.$ZodIssue;

/** Zod's type names in plain words. */
const typeNames: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
};

function describeIssues(issues: readonly Issue[], part: string): string {
  const lowerCasePart = part.charAt(0).toLowerCase() + part.slice(1);
  const descriptions = issues
    .slice(0, maxNamedProblems)
    .map((issue, index) => describeIssue(issue, index === 0 ? part : lowerCasePart));
  const more = issues.length - descriptions.length;
  return `${descriptions.join("; ")}${more > 0 ? `; and ${more} more` : ""}.`;
}

function describeIssue(issue: Issue, part: string): string {
  const field = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    const names = issue.keys.slice(0, 10).map((name) => JSON.stringify(name.slice(0, 100)));
    const place = field === "" ? part : field;
    return `${place} contains unknown fields: ${names.join(", ")}`;
  }
  if (field === "") return `${part} must be a JSON object`;
  return `${field} ${describeRule(issue)}`;
}

/**
 * Describes the broken rule with the schema's own message ("must be ...") if it has one, because zod's default messages
 * are for programmers.
 */
function describeRule(issue: Issue): string {
  if (issue.message.startsWith("must ")) return issue.message;
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is missing";
      return `must be ${typeNames[issue.expected] ?? issue.expected}${Array.isArray(issue.input) ? ", not a list" : ""}`;
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return `must ${describeBound(issue.origin, "at least", issue.minimum)}`;
    case "too_big":
      return `must ${describeBound(issue.origin, "at most", issue.maximum)}`;
    default:
      return "is malformed";
  }
}

function describeBound(origin: string, bound: string, count: number | bigint): string {
  const isOne = Number(count) === 1;
  if (origin === "string") return `have ${bound} ${count} ${isOne ? "character" : "characters"}`;
  if (origin === "array") return `have ${bound} ${count} ${isOne ? "entry" : "entries"}`;
  return `be ${bound} ${count}`;
}

/**
 * Reports whether any string in `data` contains NUL, which PostgreSQL cannot store, or half of a surrogate pair, which
 * is not a character.
 */
function hasUnsafeText(data: unknown): boolean {
  const pendingValues: unknown[] = [data];
  while (pendingValues.length > 0) {
    const value = pendingValues.pop();
    if (typeof value === "string") {
      if (value.includes("\0") || !value.isWellFormed()) return true;
    } else if (typeof value === "object" && value !== null) {
      for (const [name, fieldValue] of Object.entries(value)) pendingValues.push(name, fieldValue);
    }
  }
  return false;
}

function createUnsafeTextError(part: string): OctavoError {
  return new OctavoError(
    "invalid_input",
    `${part} contains a NUL character or half of a surrogate pair; send well-formed Unicode text.`,
  );
}
