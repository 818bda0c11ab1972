import { isOctavoError, limits, OctavoError } from "../core/index.ts";
import type { ProblemLog } from "../core/index.ts";
import type { ConfigLocations } from "../site/index.ts";
import {
  findJsonItems,
  findJsonText,
  findJsonMembers,
  parseJson,
  locateJsonNode,
  resolveJsonReference,
} from "../text/index.ts";
import type { JsonNode, ValueAllowance } from "../text/index.ts";
import type { TextReader } from "./read-text.ts";

export interface ConfigFile {
  readonly name: "docs.json" | "mint.json";
  /** The configuration with every `$ref` inlined. */
  readonly node: JsonNode;
  /** The files from which the configuration was read, relative to the site's folder. */
  readonly files: readonly string[];
}

/**
 * Reads `docs.json`, or `mint.json` if there is no `docs.json`, and the files that it names by `$ref`. Returns
 * undefined if neither exists. Throws `site_invalid` if the file is not a JSON object. Reports and removes every `$ref`
 * that cannot be resolved.
 */
export async function readConfigFile(
  read: TextReader,
  problems: ProblemLog,
): Promise<ConfigFile | undefined> {
  for (const name of ["docs.json", "mint.json"] as const) {
    const text = await readConfigText(read, name);
    if (text === undefined) continue;
    const allowance = { remaining: limits.configValues };
    const node = parseJson(name, text, allowance);
    if (!findJsonMembers(node)) {
      throw new OctavoError("site_invalid", `${name}:1:1: expected an object { … }.`);
    }
    const files = await readReferences(node, { read, problems, allowance });
    return { name, node: inlineReferences(node, files, problems), files: [name, ...files.keys()] };
  }
  return undefined;
}

async function readConfigText(read: TextReader, name: string): Promise<string | undefined> {
  try {
    return await read(name, limits.configBytes);
  } catch (cause) {
    if (isOctavoError(cause, "not_found")) return undefined;
    const reason = cause instanceof OctavoError ? cause.message : `${name} cannot be read.`;
    throw new OctavoError("site_invalid", reason, { cause });
  }
}

/** The files that `$ref` names, by path; undefined for a file that could not be read, which has been reported. */
type ReferencedFiles = Map<string, JsonNode | undefined>;

interface ReadContext {
  readonly read: TextReader;
  readonly problems: ProblemLog;
  readonly allowance: ValueAllowance;
}

async function readReferences(start: JsonNode, context: ReadContext): Promise<ReferencedFiles> {
  const files: ReferencedFiles = new Map();
  const pending = listConfigReferences(start);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const path = resolveReferencePath(next, context.problems);
    if (path === undefined || files.has(path)) continue;
    if (files.size >= limits.configFiles) {
      const message = `More than ${limits.configFiles} files are named by "$ref"; the rest are ignored.`;
      context.problems.fail("ref_limit", message, locateJsonNode(next));
      break;
    }
    const node = await readReference(path, { from: next, ...context });
    files.set(path, node);
    if (node) for (const reference of listConfigReferences(node)) pending.push(reference);
  }
  return files;
}

async function readReference(
  path: string,
  options: ReadContext & { from: JsonNode },
): Promise<JsonNode | undefined> {
  try {
    const text = await options.read(path, limits.configBytes);
    return parseJson(path, text, options.allowance);
  } catch (error) {
    if (!(error instanceof OctavoError)) throw error;
    const isMissing = error.code === "not_found";
    const code = isMissing ? "ref_missing" : "ref_unreadable";
    const message = isMissing ? `"$ref" names ${path}, which does not exist.` : error.message;
    options.problems.fail(code, message, locateJsonNode(options.from));
    return undefined;
  }
}

/** Finds all `$ref` values in `start`, in reverse order. */
function listConfigReferences(start: JsonNode): JsonNode[] {
  const found: JsonNode[] = [];
  const pending = [start];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const members = findJsonMembers(node);
    const reference = members?.get("$ref");
    if (reference) found.push(reference);
    for (const child of members?.values() ?? findJsonItems(node) ?? []) pending.push(child);
  }
  return found;
}

/** Resolves the path of a `$ref` relative to its file. Reports a path that is invalid or outside the site's folder. */
function resolveReferencePath(reference: JsonNode, problems?: ProblemLog): string | undefined {
  const file = resolveJsonReference(reference);
  if (file.path !== undefined) return file.path;
  if (file.fault === "form") {
    const message = `"$ref" must be the relative path of a .json file, such as "./navigation.json".`;
    problems?.fail("ref_invalid", message, locateJsonNode(reference));
    return undefined;
  }
  const message = `"$ref" points outside the site's folder: ${JSON.stringify(findJsonText(reference))}.`;
  problems?.fail("ref_outside", message, locateJsonNode(reference));
  return undefined;
}

function inlineReferences(node: JsonNode, files: ReferencedFiles, problems: ProblemLog): JsonNode {
  if (files.size === 0 && listConfigReferences(node).length === 0) return node;
  return new Inliner(node.source.file, files, problems).inline(node, 0) ?? node;
}

/** Replaces `$ref` objects. Counts inlined values every time, so that files cannot multiply endlessly. */
class Inliner {
  readonly #files: ReferencedFiles;
  readonly #problems: ProblemLog;
  readonly #openFiles: string[];
  #remainingValues = limits.configValues;
  #isLimitReported = false;

  constructor(rootFile: string, files: ReferencedFiles, problems: ProblemLog) {
    this.#openFiles = [rootFile];
    this.#files = files;
    this.#problems = problems;
  }

  /** Returns undefined for a value that cannot be inlined, which its parent then omits. */
  inline(node: JsonNode, depth: number): JsonNode | undefined {
    if (--this.#remainingValues < 0 || depth > limits.configDepth) {
      this.#reportLimit(node);
      return undefined;
    }
    const items = findJsonItems(node);
    if (items) return { ...node, value: this.#inlineItems(items, depth) };
    const members = findJsonMembers(node);
    if (!members) return node;
    const reference = members.get("$ref");
    const target = reference && this.#resolveTarget(reference, depth);
    if (target && !findJsonMembers(target)) return target;
    const merged = new Map(findJsonMembers(target));
    for (const [key, child] of members) {
      const value = key === "$ref" ? undefined : this.inline(child, depth + 1);
      if (value) merged.set(key, value);
    }
    if (reference && !target && merged.size === 0) return undefined;
    return { ...node, value: merged };
  }

  #inlineItems(items: readonly JsonNode[], depth: number): JsonNode[] {
    const inlined: JsonNode[] = [];
    for (const item of items) {
      const value = this.inline(item, depth + 1);
      if (value) inlined.push(value);
    }
    return inlined;
  }

  #resolveTarget(reference: JsonNode, depth: number): JsonNode | undefined {
    const path = resolveReferencePath(reference);
    const file = path === undefined ? undefined : this.#files.get(path);
    if (path === undefined || !file) return undefined;
    if (this.#openFiles.includes(path)) {
      const cycle = [...this.#openFiles, path].join(" → ");
      this.#problems.fail("ref_cycle", `"$ref" is circular: ${cycle}.`, locateJsonNode(reference));
      return undefined;
    }
    this.#openFiles.push(path);
    const target = this.inline(file, depth + 1);
    this.#openFiles.pop();
    return target;
  }

  #reportLimit(node: JsonNode): void {
    if (this.#isLimitReported) return;
    this.#isLimitReported = true;
    const message = `With "$ref" inlined, the configuration has more than ${limits.configValues} values or more than ${limits.configDepth} levels; this part is ignored.`;
    this.#problems.fail("ref_limit", message, locateJsonNode(node));
  }
}

/** The keys whose values name a page, a file or a different site. */
const addressKeys = new Set(
  "dark default destination favicon href image light link logo root url".split(" "),
);

/** The keys of members whose text may contain links. */
const textKeys = new Set(["content", "description"]);

/** Finds the locations at which the configuration names icons, pages and files: the first location of each name. */
export function findConfigLocations(config: JsonNode | undefined): ConfigLocations {
  const locations = {
    icons: new Map(),
    addresses: new Map(),
    redirects: new Map(),
    texts: new Map(),
  } satisfies ConfigLocations;
  const pending = config ? [config] : [];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const members = findJsonMembers(node);
    for (const [key, child] of members ?? []) {
      if (key === "icon")
        addLocation(locations.icons, findJsonMembers(child)?.get("name") ?? child);
      else if (key === "source") addLocation(locations.redirects, child);
      else if (addressKeys.has(key) || /^(?:og|twitter):image/.test(key))
        addLocation(locations.addresses, child);
      else if (textKeys.has(key)) addLocation(locations.texts, child);
    }
    // The list is a stack: the last value is read first.
    pending.push(...[...(members?.values() ?? findJsonItems(node) ?? [])].toReversed());
  }
  return locations;
}

function addLocation(
  locations: Map<string, ReturnType<typeof locateJsonNode>>,
  node: JsonNode,
): void {
  const text = findJsonText(node)?.trim();
  if (text !== undefined && !locations.has(text)) locations.set(text, locateJsonNode(node));
}
