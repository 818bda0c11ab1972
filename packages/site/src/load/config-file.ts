import { isOctavoError, OctavoError, limits } from "../core/index.ts";
import {
  itemsOf,
  membersOf,
  parseJson,
  placeOf,
  referencedFile,
  jsonText,
  type JsonNode,
  type ValueAllowance,
} from "../text/index.ts";
import type { ProblemLog } from "../core/index.ts";
import { readTextInside } from "./read-text.ts";

export interface ConfigFile {
  readonly name: "docs.json" | "mint.json";
  /** The configuration with every `$ref` replaced by what it names. */
  readonly node: JsonNode;
  /** The files it was read from, relative to the site's folder. */
  readonly files: readonly string[];
}

/**
 * Reads `docs.json`, else `mint.json`, and what they name by `$ref`; undefined where there is neither.
 * Throws `site_invalid` where the file cannot be read as JSON. A `$ref` that cannot be followed is a
 * problem, and its object stays without it.
 */
export async function readConfigFile(
  root: string,
  problems: ProblemLog,
): Promise<ConfigFile | undefined> {
  for (const name of ["docs.json", "mint.json"] as const) {
    const text = await readConfigText(root, name);
    if (text === undefined) continue;
    const allowance = { left: limits.configValues };
    const node = parseJson(name, text, allowance);
    if (!membersOf(node)) {
      throw new OctavoError("site_invalid", `${name}:1:1: expected an object { … }.`);
    }
    const files = await readReferences(root, node, { problems, allowance });
    return { name, node: inlineReferences(node, files, problems), files: [name, ...files.keys()] };
  }
  return undefined;
}

async function readConfigText(root: string, name: string): Promise<string | undefined> {
  try {
    return await readTextInside(root, name, limits.configBytes);
  } catch (cause) {
    if (isOctavoError(cause, "not_found")) return undefined;
    const reason = cause instanceof OctavoError ? cause.message : `${name} cannot be read.`;
    throw new OctavoError("site_invalid", reason, { cause });
  }
}

/** A file named by `$ref`; undefined where it could not be read, which has been reported. */
type ReferencedFiles = Map<string, JsonNode | undefined>;

interface Reading {
  readonly problems: ProblemLog;
  readonly allowance: ValueAllowance;
}

async function readReferences(
  root: string,
  start: JsonNode,
  reading: Reading,
): Promise<ReferencedFiles> {
  const files: ReferencedFiles = new Map();
  const waiting = references(start);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const path = referencedPath(next, reading.problems);
    if (path === undefined || files.has(path)) continue;
    if (files.size >= limits.configFiles) {
      const message = `More than ${limits.configFiles} files are named by "$ref"; the rest are left out.`;
      reading.problems.fail("ref_limit", message, placeOf(next));
      break;
    }
    const node = await readReference(root, path, { from: next, ...reading });
    files.set(path, node);
    if (node) for (const reference of references(node)) waiting.push(reference);
  }
  return files;
}

async function readReference(
  root: string,
  path: string,
  options: Reading & { from: JsonNode },
): Promise<JsonNode | undefined> {
  try {
    const text = await readTextInside(root, path, limits.configBytes);
    return parseJson(path, text, options.allowance);
  } catch (error) {
    if (!(error instanceof OctavoError)) throw error;
    const isMissing = error.code === "not_found";
    const code = isMissing ? "ref_missing" : "ref_unreadable";
    const message = isMissing ? `"$ref" names ${path}, which does not exist.` : error.message;
    options.problems.fail(code, message, placeOf(options.from));
    return undefined;
  }
}

/** The `$ref` values anywhere in `start`, the first one last. */
function references(start: JsonNode): JsonNode[] {
  const found: JsonNode[] = [];
  const waiting = [start];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const members = membersOf(node);
    const reference = members?.get("$ref");
    if (reference) found.push(reference);
    for (const child of members?.values() ?? itemsOf(node) ?? []) waiting.push(child);
  }
  return found;
}

/** Where a `$ref` leads, from the file that it stands in. Reports one that leads nowhere allowed. */
function referencedPath(reference: JsonNode, problems?: ProblemLog): string | undefined {
  const file = referencedFile(reference);
  if (file.path !== undefined) return file.path;
  if (file.fault === "form") {
    const message = `"$ref" must be the relative path of a .json file, such as "./navigation.json".`;
    problems?.fail("ref_invalid", message, placeOf(reference));
    return undefined;
  }
  const message = `"$ref" leads out of the site's folder: ${JSON.stringify(jsonText(reference))}.`;
  problems?.fail("ref_outside", message, placeOf(reference));
  return undefined;
}

function inlineReferences(node: JsonNode, files: ReferencedFiles, problems: ProblemLog): JsonNode {
  if (files.size === 0 && references(node).length === 0) return node;
  return new Inliner(node.source.file, files, problems).inline(node, 0) ?? node;
}

/** Replaces `$ref` objects; what is pulled in counts each time, so that files cannot multiply without end. */
class Inliner {
  readonly #files: ReferencedFiles;
  readonly #problems: ProblemLog;
  readonly #open: string[];
  #left = limits.configValues;
  #isLimitReported = false;

  constructor(rootFile: string, files: ReferencedFiles, problems: ProblemLog) {
    this.#open = [rootFile];
    this.#files = files;
    this.#problems = problems;
  }

  /** Undefined for a value that cannot be had; its parent then does without it. */
  inline(node: JsonNode, depth: number): JsonNode | undefined {
    if (--this.#left < 0 || depth > limits.configDepth) {
      this.#reportLimit(node);
      return undefined;
    }
    const items = itemsOf(node);
    if (items) return { ...node, value: this.#items(items, depth) };
    const members = membersOf(node);
    if (!members) return node;
    const reference = members.get("$ref");
    const target = reference && this.#target(reference, depth);
    if (target && !membersOf(target)) return target;
    const merged = new Map(membersOf(target));
    for (const [key, child] of members) {
      const value = key === "$ref" ? undefined : this.inline(child, depth + 1);
      if (value) merged.set(key, value);
    }
    if (reference && !target && merged.size === 0) return undefined;
    return { ...node, value: merged };
  }

  #items(items: readonly JsonNode[], depth: number): JsonNode[] {
    const inlined: JsonNode[] = [];
    for (const item of items) {
      const value = this.inline(item, depth + 1);
      if (value) inlined.push(value);
    }
    return inlined;
  }

  #target(reference: JsonNode, depth: number): JsonNode | undefined {
    const path = referencedPath(reference);
    const file = path === undefined ? undefined : this.#files.get(path);
    if (path === undefined || !file) return undefined;
    if (this.#open.includes(path)) {
      const way = [...this.#open, path].join(" → ");
      this.#problems.fail("ref_cycle", `"$ref" leads in a circle: ${way}.`, placeOf(reference));
      return undefined;
    }
    this.#open.push(path);
    const target = this.inline(file, depth + 1);
    this.#open.pop();
    return target;
  }

  #reportLimit(node: JsonNode): void {
    if (this.#isLimitReported) return;
    this.#isLimitReported = true;
    const message = `With "$ref" followed, the configuration holds more than ${limits.configValues} values or nests deeper than ${limits.configDepth}; this part is left out.`;
    this.#problems.fail("ref_limit", message, placeOf(node));
  }
}
