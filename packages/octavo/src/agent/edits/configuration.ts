import { isOctavoError, OctavoError } from "@octavo/site/core";
import {
  findJsonItems,
  findJsonMember,
  findJsonMemberText,
  isJsonList,
  isJsonObject,
  isJsonString,
  parseJson,
  removeEntries,
  resolveJsonReference,
  setString,
  tryParseJson,
  walkJson,
} from "@octavo/site/text";
import type { JsonList, JsonNode, JsonObject, JsonString, TextEdit } from "@octavo/site/text";
import { configurationNames } from "../content.ts";

/** One file of a site's configuration. */
interface ParsedConfigurationFile {
  readonly path: string;
  readonly root: JsonNode;
}

/** `docs.json` or `mint.json`, with the files that it references by `$ref`, directly or through other files. */
export interface Configuration {
  readonly main: ParsedConfigurationFile;
  /** All files by path, including `main`. */
  readonly files: ReadonlyMap<string, ParsedConfigurationFile>;
}

const maxFiles = 200;

/**
 * Reads a site's configuration through `read`, which throws `not_found` if a file does not exist. Undefined if the site
 * has no configuration. Throws `invalid_input` if the main file is not JSON. Ignores a `$ref` that cannot be followed,
 * because the renderer reports it.
 */
export async function readConfigurationFiles(
  read: (path: string) => Promise<string>,
): Promise<Configuration | undefined> {
  for (const name of configurationNames) {
    const text = await readOptional(read, name);
    if (text === undefined) continue;
    const main = { path: name, root: parseMain(name, text) };
    return { main, files: await readReferences(main, read) };
  }
  return undefined;
}

/**
 * Parses the main file. Throws `invalid_input` instead of `site_invalid`, because an editor of the site can repair a
 * configuration that is not JSON.
 */
function parseMain(name: string, text: string): JsonNode {
  try {
    return parseJson(name, text);
  } catch (cause) {
    if (!isOctavoError(cause, "site_invalid")) throw cause;
    throw new OctavoError("invalid_input", cause.message, { cause });
  }
}

async function readReferences(
  main: ParsedConfigurationFile,
  read: (path: string) => Promise<string>,
): Promise<Map<string, ParsedConfigurationFile>> {
  const files = new Map([[main.path, main]]);
  const waiting = [main];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    for (const path of listReferences(file)) {
      if (files.has(path) || files.size > maxFiles) continue;
      const text = await readOptional(read, path);
      const root = text === undefined ? undefined : tryParseJson(path, text);
      if (root === undefined) continue;
      const found = { path, root };
      files.set(path, found);
      waiting.push(found);
    }
  }
  return files;
}

async function readOptional(
  read: (path: string) => Promise<string>,
  path: string,
): Promise<string | undefined> {
  try {
    return await read(path);
  } catch (error) {
    const isAbsent = isOctavoError(error, "not_found") || isOctavoError(error, "invalid_input");
    if (isAbsent) return undefined;
    throw error;
  }
}

function* listReferences(file: ParsedConfigurationFile): Generator<string> {
  for (const { node } of walkJson(file.root)) {
    const path = findReference(node);
    if (path !== undefined) yield path;
  }
}

/** Returns the file that an object references by `$ref`. */
export function findReference(object: JsonNode): string | undefined {
  const reference = findJsonMember(object, "$ref");
  return reference && resolveJsonReference(reference).path;
}

/** Edits by configuration file, and the files referenced by `$ref` that become empty. */
interface NavigationEdits {
  readonly edits: ReadonlyMap<string, readonly TextEdit[]>;
  readonly emptied: readonly string[];
}

/** Members of a navigation level that contain deeper levels. */
const levelKeys: ReadonlySet<string> = new Set([
  "languages",
  "versions",
  "products",
  "tabs",
  "dropdowns",
  "anchors",
  "menu",
  "global",
  "groups",
  "pages",
]);
/** Members that give a level content even without pages. */
const contentKeys = ["openapi", "asyncapi", "graphql", "sdk", "href", "url"];

/** Yields every string in the navigation that refers to a page: an item of `pages`, or a group's `root`. */
function* listNavigationEntries(configuration: Configuration): Generator<JsonString> {
  const seen = new Set<JsonNode>();
  const waiting: JsonNode[] = [];
  const add = (node: JsonNode | undefined) => {
    if (node && !seen.has(node)) waiting.push(node);
    if (node) seen.add(node);
  };
  add(findJsonMember(configuration.main.root, "navigation"));
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const item of findJsonItems(node)?.toReversed() ?? []) add(item);
    if (isJsonString(node)) yield node;
    if (!isJsonObject(node)) continue;
    const target = configuration.files.get(findReference(node) ?? "");
    add(target?.root);
    for (const [key, value] of [...node.value].toReversed()) {
      if (levelKeys.has(key) || key === "root") add(value);
    }
  }
}

/** Replaces the entries for which `rename` returns a different text. */
export function renameEntries(
  configuration: Configuration,
  rename: (entry: string) => string | undefined,
): NavigationEdits {
  const edits = new Map<string, TextEdit[]>();
  for (const node of listNavigationEntries(configuration)) {
    const written = rename(node.value);
    if (written === undefined || written === node.value) continue;
    const { file } = node.source;
    edits.set(file, [...(edits.get(file) ?? []), setString(node, written)]);
  }
  return { edits, emptied: [] };
}

/** Removes the entries for which `isRemoved` returns true, and every level that becomes empty. */
export function removeFromNavigation(
  configuration: Configuration,
  isRemoved: (entry: string) => boolean,
): NavigationEdits {
  return new Remover(configuration, isRemoved).run();
}

/** A level after the removal: whether the removal emptied it, and the edits to make if it remains. */
interface Pruned {
  readonly isEmpty: boolean;
  readonly edits: readonly TextEdit[];
}

/** The state of one member of a level after the removal. */
type Part = "none" | "emptied" | "filled";

const untouched: Pruned = { isEmpty: false, edits: [] };

class Remover {
  readonly #configuration: Configuration;
  readonly #isRemoved: (entry: string) => boolean;
  /**
   * The results for files referenced by `$ref`. The value is `untouched` while a file is being processed, which breaks
   * cycles.
   */
  readonly #files = new Map<string, Pruned>();

  constructor(configuration: Configuration, isRemoved: (entry: string) => boolean) {
    this.#configuration = configuration;
    this.#isRemoved = isRemoved;
  }

  run(): NavigationEdits {
    const { main } = this.#configuration;
    const navigation = findJsonMember(main.root, "navigation");
    const own = navigation ? this.#value(navigation) : untouched;
    const all = new Map([[main.path, own], ...this.#files]);
    const edited = [...all].filter(([, pruned]) => pruned.edits.length > 0);
    return {
      edits: new Map(edited.map(([path, pruned]) => [path, pruned.edits])),
      emptied: [...this.#files].flatMap(([path, pruned]) => (pruned.isEmpty ? [path] : [])),
    };
  }

  #value(node: JsonNode): Pruned {
    if (isJsonList(node)) return this.#list(node);
    return isJsonObject(node) ? this.#object(node) : untouched;
  }

  #list(list: JsonList): Pruned {
    const removed = new Set<JsonNode>();
    const inner: TextEdit[] = [];
    for (const item of list.value) {
      const pruned = this.#item(item);
      if (pruned.isEmpty) removed.add(item);
      else inner.push(...pruned.edits);
    }
    if (removed.size === 0) return { isEmpty: false, edits: inner };
    const edits = [...inner, ...removeEntries(list, (item) => removed.has(item))];
    return { isEmpty: removed.size === list.value.length, edits };
  }

  #item(item: JsonNode): Pruned {
    if (isJsonString(item)) return { isEmpty: this.#isRemoved(item.value), edits: [] };
    return this.#value(item);
  }

  #object(object: JsonObject): Pruned {
    const edits: TextEdit[] = [];
    const parts = [this.#root(object, edits), this.#reference(object)];
    for (const [key, value] of object.value) {
      if (levelKeys.has(key)) parts.push(this.#level(value, edits));
    }
    const hasContent = contentKeys.some((key) => findJsonMember(object, key) !== undefined);
    const isEmpty = !hasContent && parts.includes("emptied") && !parts.includes("filled");
    return { isEmpty, edits };
  }

  #level(value: JsonNode, edits: TextEdit[]): Part {
    const pruned = this.#value(value);
    edits.push(...pruned.edits);
    if (pruned.isEmpty) return "emptied";
    return findJsonItems(value)?.length === 0 ? "none" : "filled";
  }

  /** Processes a group's `root`, the page to which the group's own name links. */
  #root(object: JsonObject, edits: TextEdit[]): Part {
    const name = findJsonMemberText(object, "root");
    if (name === undefined) return "none";
    if (!this.#isRemoved(name)) return "filled";
    edits.push(...removeEntries(object, (member) => member === findJsonMember(object, "root")));
    return "emptied";
  }

  #reference(object: JsonObject): Part {
    const target = this.#configuration.files.get(findReference(object) ?? "");
    if (!target) return "none";
    return this.#file(target).isEmpty ? "emptied" : "filled";
  }

  #file({ path, root }: ParsedConfigurationFile): Pruned {
    const known = this.#files.get(path);
    if (known) return known;
    this.#files.set(path, untouched);
    const pruned = this.#value(root);
    this.#files.set(path, pruned);
    return pruned;
  }
}
