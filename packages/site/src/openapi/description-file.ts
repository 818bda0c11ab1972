import { limits } from "../core/index.ts";
import type { Problem, ProblemLocation } from "../core/index.ts";
import { createYamlLocator, LineIndex, parseLenientYaml, parsePlainJson } from "../text/index.ts";
import type { LenientYaml, TextPosition } from "../text/index.ts";
import { listEntries, findMember, toRecord } from "./plain-value.ts";
import type { PlainRecord } from "./plain-value.ts";
import { resolveReference } from "./pointer.ts";

/** Receives the problems of a description. */
export type ReportProblem = (problem: Problem) => void;

interface DescriptionSource {
  /** The file for which problems are reported, relative to the site's folder. */
  readonly file: string;
  /** The path or address of the description's file. */
  readonly name: string;
  readonly text: string;
}

/** A parsed file of an API description, limited in size and depth but not validated. */
export interface DescriptionFile {
  /** The path relative to the site's folder, or an address. */
  readonly name: string;
  readonly root: PlainRecord;
  /** The size of the file's text in bytes. */
  readonly bytes: number;
  /** The total number of characters and values in the parsed file. */
  readonly weight: number;
  /** Paths or addresses of the files to which it refers, whether or not they exist. */
  readonly linked: readonly string[];
  /** Whether the file is on another host. */
  readonly isRemote: boolean;
  /** Returns the location of a value. For a description on another host, returns only the file that refers to it. */
  getLocation(keys: readonly string[]): Pick<Problem, "file" | "line" | "column">;
  /**
   * Finds a string at or after a value or, if it is not found there, before the value. Returns undefined for a file on
   * another host.
   */
  findText(text: string, keys: readonly string[]): Required<ProblemLocation> | undefined;
}

/**
 * Parses JSON or YAML. Returns undefined and reports a problem if the text is neither JSON nor YAML, is not an object,
 * or exceeds the limits on size and depth. YAML aliases are measured by their values.
 */
export function parseDescriptionFile(
  source: DescriptionSource,
  report: ReportProblem,
): DescriptionFile | undefined {
  const { file, name } = source;
  const fail = (reason: string, location: Pick<Problem, "line" | "column"> = {}) => {
    const message = `${JSON.stringify(name)} is not a valid API description: ${reason}.`;
    report({ severity: "error", code: "description_invalid", message, file, ...location });
    return undefined;
  };
  // A description from another host has no location in the site's own files.
  const isLocal = file === name;
  const parsed = parse(source.text);
  if ("reason" in parsed) return fail(parsed.reason, parsed.position);
  for (const { position, reason, reading } of parsed.repairs) {
    const message = `${JSON.stringify(name)} is not valid YAML here (${reason}); it is read ${reading}. Correct it, because other programs may not be able to read it.`;
    report({
      severity: "warning",
      code: "description_repaired",
      message,
      file,
      ...(isLocal ? position : {}),
    });
  }
  const root = toRecord(parsed.value);
  if (!root) return fail("it is not an object");
  const { weight, height } = measureValue(root);
  if (weight > limits.descriptionWeight || height > limits.descriptionDepth) {
    return fail("it is too large or nested too deeply");
  }
  const find = createTextFinder(parsed.text);
  const locate = createYamlLocator(parsed.text, limits.descriptionDepth);
  return {
    name,
    root,
    bytes: source.text.length,
    weight,
    linked: linkPattern.test(source.text) ? listLinkedFiles(root, name) : [],
    isRemote: !isLocal,
    getLocation: (keys) => ({ file, ...(isLocal ? locate(keys) : {}) }),
    findText(text, keys) {
      const position = isLocal ? find(text, locate(keys)) : undefined;
      return position && { file, ...position };
    },
  };
}

function parse(source: string): LenientYaml {
  const text = source.startsWith("\uFEFF") ? source.slice(1) : source;
  const maxDepth = limits.descriptionDepth;
  if (/^\s*\{/.test(text)) {
    const parsed = parsePlainJson(text, maxDepth);
    return "reason" in parsed ? parsed : { ...parsed, text: source, repairs: [] };
  }
  return parseLenientYaml(text, { maxDepth, reading: "likeJson" });
}

/**
 * Measures each value once, regardless of how many aliases refer to it. The result is infinite if a value is too large,
 * too deep or circular.
 */
function measureValue(root: PlainRecord): { weight: number; height: number } {
  const measurements = new Map<object, { weight: number; height: number }>();
  const unbounded = { weight: Infinity, height: Infinity };

  function measure(value: unknown, depth: number): { weight: number; height: number } {
    if (typeof value === "string") return { weight: value.length + 1, height: 0 };
    if (typeof value !== "object" || value === null) return { weight: 1, height: 0 };
    const measurement = measurements.get(value);
    if (measurement) return measurement;
    if (depth > limits.descriptionDepth) return unbounded;
    // A value that is visited again before it is measured contains itself.
    measurements.set(value, unbounded);
    let [weight, height] = [1, 0];
    for (const [key, child] of listChildren(value)) {
      const childMeasurement = measure(child, depth + 1);
      weight += childMeasurement.weight + key.length;
      height = Math.max(height, childMeasurement.height + 1);
      if (weight > limits.descriptionWeight) return unbounded;
    }
    const result = { weight, height };
    measurements.set(value, result);
    return result;
  }
  return measure(root, 0);
}

function listChildren(value: object): [string, unknown][] {
  return Array.isArray(value) ? value.map((item) => ["", item]) : listEntries(value);
}

/** Matches a `$ref` or a discriminator's `mapping` that may lead to another file. These values are rare. */
const linkPattern = /\$ref["']?\s*:\s*["']?[^\s"'#]|\bmapping["']?\s*:/;

/** Lists, in order, the other files to which values of `root` refer. `root` is the content of the file `from`. */
function listLinkedFiles(root: object, from: string): readonly string[] {
  const files = new Set<string>();
  const seen = new Set<object>();
  const pending: object[] = [root];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    // A YAML alias yields the same object as its anchor.
    if (seen.has(value)) continue;
    seen.add(value);
    for (const reference of listReferences(value)) {
      const target = resolveReference(reference, from);
      if ("file" in target && target.file !== from) files.add(target.file);
    }
    const children = Object.values(value).filter(
      (child) => typeof child === "object" && child !== null,
    );
    for (const child of children.toReversed()) pending.push(child as object);
  }
  return [...files];
}

function listReferences(value: object): readonly string[] {
  const mapping = findMember(findMember(value, "discriminator"), "mapping") ?? {};
  const references = [findMember(value, "$ref"), ...Object.values(mapping)];
  // A mapping may also contain bare schema names.
  return references.filter(
    (reference) => typeof reference === "string" && /[#./]/.test(reference),
  ) as string[];
}

/** Finds the first occurrence of a string at or after `from` or, if there is none, in the whole file. */
type FindText = (wanted: string, from: TextPosition | undefined) => TextPosition | undefined;

/** Maximum number of searches in one file, because each search may scan the whole file. */
const maxSearches = 1_000;

function createTextFinder(text: string): FindText {
  let lines: LineIndex | undefined;
  let remainingSearches = maxSearches;
  const results = new Map<string, TextPosition | undefined>();

  function search(wanted: string, from: TextPosition | undefined): TextPosition | undefined {
    if (wanted === "" || remainingSearches-- <= 0) return undefined;
    lines ??= new LineIndex(text);
    const start = from ? lines.offsetOf(from.line, from.column) : 0;
    const at = findWhole(text, wanted, start) ?? findWhole(text, wanted, 0);
    return at === undefined ? undefined : lines.positionAt(at);
  }

  return (wanted, from) => {
    const key = `${from?.line}:${from?.column} ${wanted}`;
    if (!results.has(key)) results.set(key, search(wanted, from));
    return results.get(key);
  };
}

/** Finds a string that is not part of a longer string: `/a` is not found in `/a/b` or `/ab`. */
function findWhole(text: string, wanted: string, from: number): number | undefined {
  for (let at = text.indexOf(wanted, from); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const [before = " ", after = " "] = [text[at - 1], text[at + wanted.length]];
    if (!/[\w./#%-]/.test(before) && !/[\w/#%?-]/.test(after)) return at;
  }
  return undefined;
}
