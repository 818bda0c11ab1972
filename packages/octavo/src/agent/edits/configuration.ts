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
 * Reads a site's configuration through `read`, which throws `not_found` if a file does not exist. Returns undefined if
 * the site has no configuration. Throws `invalid_input` if the main file is not JSON. Ignores a `$ref` that cannot be
 * followed, because the renderer reports it.
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
  const queue = [main];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    for (const path of listReferences(file)) {
      if (files.has(path) || files.size > maxFiles) continue;
      const text = await readOptional(read, path);
      const root = text === undefined ? undefined : tryParseJson(path, text);
      if (root === undefined) continue;
      const file = { path, root };
      files.set(path, file);
      queue.push(file);
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

/** Names of members of a navigation level that contain deeper levels. */
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
/** Names of members that give a level content even without pages. */
const contentKeys = ["openapi", "asyncapi", "graphql", "sdk", "href", "url"];

/** Yields every string in the navigation that refers to a page: an item of `pages`, or a group's `root`. */
function* listNavigationEntries(configuration: Configuration): Generator<JsonString> {
  const visited = new Set<JsonNode>();
  const queue: JsonNode[] = [];
  const add = (node: JsonNode | undefined) => {
    if (node && !visited.has(node)) queue.push(node);
    if (node) visited.add(node);
  };
  add(findJsonMember(configuration.main.root, "navigation"));
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
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
    const newEntry = rename(node.value);
    if (newEntry === undefined || newEntry === node.value) continue;
    const { file } = node.source;
    edits.set(file, [...(edits.get(file) ?? []), setString(node, newEntry)]);
  }
  return { edits, emptied: [] };
}

/** Removes the entries for which `isRemoved` returns true, and every level that becomes empty. */
export function removeFromNavigation(
  configuration: Configuration,
  isRemoved: (entry: string) => boolean,
): NavigationEdits {
  return new NavigationPruner(configuration, isRemoved).run();
}

/** A level after the removal: whether the removal emptied it, and the edits to make if it remains. */
interface PrunedNode {
  readonly isEmpty: boolean;
  readonly edits: readonly TextEdit[];
}

/** The state of one member of a level after the removal. */
type MemberState = "none" | "emptied" | "filled";

const unchangedNode: PrunedNode = { isEmpty: false, edits: [] };

class NavigationPruner {
  readonly #configuration: Configuration;
  readonly #isRemoved: (entry: string) => boolean;
  /**
   * The results for files referenced by `$ref`. The value is `unchangedNode` while a file is being processed, which breaks
   * cycles.
   */
  readonly #prunedFiles = new Map<string, PrunedNode>();

  constructor(configuration: Configuration, isRemoved: (entry: string) => boolean) {
    this.#configuration = configuration;
    this.#isRemoved = isRemoved;
  }

  run(): NavigationEdits {
    const { main } = this.#configuration;
    const navigation = findJsonMember(main.root, "navigation");
    const prunedMain = navigation ? this.#pruneValue(navigation) : unchangedNode;
    const all = new Map([[main.path, prunedMain], ...this.#prunedFiles]);
    const edited = [...all].filter(([, pruned]) => pruned.edits.length > 0);
    return {
      edits: new Map(edited.map(([path, pruned]) => [path, pruned.edits])),
      emptied: [...this.#prunedFiles].flatMap(([path, pruned]) => (pruned.isEmpty ? [path] : [])),
    };
  }

  #pruneValue(node: JsonNode): PrunedNode {
    if (isJsonList(node)) return this.#pruneList(node);
    return isJsonObject(node) ? this.#pruneObject(node) : unchangedNode;
  }

  #pruneList(list: JsonList): PrunedNode {
    const removed = new Set<JsonNode>();
    const inner: TextEdit[] = [];
    for (const item of list.value) {
      const pruned = this.#pruneItem(item);
      if (pruned.isEmpty) removed.add(item);
      else inner.push(...pruned.edits);
    }
    if (removed.size === 0) return { isEmpty: false, edits: inner };
    const edits = [...inner, ...removeEntries(list, (item) => removed.has(item))];
    return { isEmpty: removed.size === list.value.length, edits };
  }

  #pruneItem(item: JsonNode): PrunedNode {
    if (isJsonString(item)) return { isEmpty: this.#isRemoved(item.value), edits: [] };
    return this.#pruneValue(item);
  }

  #pruneObject(object: JsonObject): PrunedNode {
    const edits: TextEdit[] = [];
    const memberStates = [this.#pruneRoot(object, edits), this.#pruneReference(object)];
    for (const [key, value] of object.value) {
      if (levelKeys.has(key)) memberStates.push(this.#pruneLevel(value, edits));
    }
    const hasContent = contentKeys.some((key) => findJsonMember(object, key) !== undefined);
    const isEmpty =
      !hasContent && memberStates.includes("emptied") && !memberStates.includes("filled");
    return { isEmpty, edits };
  }

  #pruneLevel(value: JsonNode, edits: TextEdit[]): MemberState {
    const pruned = this.#pruneValue(value);
    edits.push(...pruned.edits);
    if (pruned.isEmpty) return "emptied";
    return findJsonItems(value)?.length === 0 ? "none" : "filled";
  }

  /** Processes a group's `root`, the page to which the group's own name links. */
  #pruneRoot(object: JsonObject, edits: TextEdit[]): MemberState {
    const name = findJsonMemberText(object, "root");
    if (name === undefined) return "none";
    if (!this.#isRemoved(name)) return "filled";
    edits.push(...removeEntries(object, (member) => member === findJsonMember(object, "root")));
    return "emptied";
  }

  #pruneReference(object: JsonObject): MemberState {
    const target = this.#configuration.files.get(findReference(object) ?? "");
    if (!target) return "none";
    return this.#pruneFile(target).isEmpty ? "emptied" : "filled";
  }

  #pruneFile({ path, root }: ParsedConfigurationFile): PrunedNode {
    const finished = this.#prunedFiles.get(path);
    if (finished) return finished;
    this.#prunedFiles.set(path, unchangedNode);
    const pruned = this.#pruneValue(root);
    this.#prunedFiles.set(path, pruned);
    return pruned;
  }
}
