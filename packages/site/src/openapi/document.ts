import { limits } from "../core/index.ts";
import type { Problem } from "../core/index.ts";
import { createYamlLocator, parseLenientYaml, parsePlainJson } from "../text/index.ts";
import type { LenientYaml } from "../text/index.ts";
import { entriesOf, memberOf, recordOf, type PlainRecord } from "./plain-value.ts";
import { pointerKeys } from "./pointer.ts";

/** Receives the problems of a description. */
export type ReportProblem = (problem: Problem) => void;

/** An API description as parsed: bounded in size and depth, not validated. */
export interface ApiDocument {
  readonly root: PlainRecord;
  /** Of its text. */
  readonly bytes: number;
  /** Reports a warning at the place of a pointer. */
  warn(code: string, message: string, pointer: string): void;
  /** The place of a pointer in the file; only the file if the description is on another host. */
  readonly placeOf: (pointer: string) => Pick<Problem, "file" | "line" | "column">;
}

export interface DocumentSource {
  /** Path below the site's folder, for problems. */
  readonly file: string;
  /** Path or address of the description, for messages. */
  readonly name: string;
  readonly text: string;
}

/**
 * Parses JSON or YAML. Undefined, with a problem reported, if it is neither or not an object, or exceeds the
 * limits of size and depth; YAML aliases count as their values.
 */
export function readDocument(
  source: DocumentSource,
  report: ReportProblem,
): ApiDocument | undefined {
  const { file, name } = source;
  const fail = (reason: string, place: Pick<Problem, "line" | "column"> = {}) => {
    const message = `${JSON.stringify(name)} is not a valid API description: ${reason}.`;
    report({ severity: "error", code: "description_invalid", message, file, ...place });
    return undefined;
  };
  // A description from another host has no place in the site's own files.
  const isOwn = file === name;
  const parsed = parse(source.text);
  if ("reason" in parsed) return fail(parsed.reason, parsed.place);
  for (const { place, reason, reading } of parsed.slips) {
    const message = `${JSON.stringify(name)} is not valid YAML here (${reason}); it is read ${reading}. Correct it: other programs may not read it.`;
    report({
      severity: "warning",
      code: "description_repaired",
      message,
      file,
      ...(isOwn ? place : {}),
    });
  }
  const root = recordOf(parsed.value);
  if (!root) return fail("it is not an object");
  if (!isBounded(root)) {
    return fail("it is too large or nested too deeply");
  }
  const locate = createYamlLocator(parsed.text, limits.descriptionDepth);
  const placeOf = (pointer: string) => ({ file, ...(isOwn ? locate(pointerKeys(pointer)) : {}) });
  return {
    root,
    bytes: source.text.length,
    placeOf,
    warn(code, message, pointer) {
      const suffix = isOwn ? "" : ` (in ${name})`;
      report({ severity: "warning", code, message: message + suffix, ...placeOf(pointer) });
    },
  };
}

function parse(source: string): LenientYaml {
  const text = source.startsWith("\uFEFF") ? source.slice(1) : source;
  const maxDepth = limits.descriptionDepth;
  if (/^\s*\{/.test(text)) {
    const parsed = parsePlainJson(text, maxDepth);
    return "reason" in parsed ? parsed : { ...parsed, text: source, slips: [] };
  }
  return parseLenientYaml(text, { maxDepth, reading: "likeJson" });
}

/** Measures each value once, however many aliases refer to it; false if it is too large, too deep or circular. */
function isBounded(root: PlainRecord): boolean {
  const known = new Map<object, { weight: number; height: number }>();
  const unbounded = { weight: Infinity, height: Infinity };

  function measure(value: unknown, depth: number): { weight: number; height: number } {
    if (typeof value === "string") return { weight: value.length + 1, height: 0 };
    if (typeof value !== "object" || value === null) return { weight: 1, height: 0 };
    const weighed = known.get(value);
    if (weighed) return weighed;
    if (depth > limits.descriptionDepth) return unbounded;
    // A value that is met again before it is measured contains itself.
    known.set(value, unbounded);
    let [weight, height] = [1, 0];
    for (const [key, child] of childrenOf(value)) {
      const measured = measure(child, depth + 1);
      weight += measured.weight + key.length;
      height = Math.max(height, measured.height + 1);
      if (weight > limits.descriptionWeight) return unbounded;
    }
    const result = { weight, height };
    known.set(value, result);
    return result;
  }
  const { weight, height } = measure(root, 0);
  return weight <= limits.descriptionWeight && height <= limits.descriptionDepth;
}

function childrenOf(value: object): [string, unknown][] {
  return Array.isArray(value) ? value.map((item) => ["", item]) : entriesOf(value);
}

/** The format and version that a document names: `openapi 3.1.0`. */
export function formatOf({ root }: ApiDocument): { name: string; version: string } | undefined {
  for (const name of ["openapi", "asyncapi", "swagger"]) {
    const version = memberOf(root, name);
    if (typeof version === "string" || typeof version === "number") {
      return { name, version: String(version) };
    }
  }
  return undefined;
}
