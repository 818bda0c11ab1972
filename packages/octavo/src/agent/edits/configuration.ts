import { posix } from "node:path";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import { configurationNames } from "../content.ts";
import { memberOf, parseJsonText } from "./json-text.ts";
import type { JsonObject, JsonText } from "./json-text.ts";

/** One file of a site's configuration. */
export interface ConfigurationFile {
  readonly path: string;
  readonly text: string;
  readonly root: JsonText;
}

/** `docs.json`, or `mint.json`, with the files that it names by `$ref`, nested or not. */
export interface Configuration {
  readonly main: ConfigurationFile;
  /** By path, `main` among them. */
  readonly files: ReadonlyMap<string, ConfigurationFile>;
}

const maxFiles = 200;

/**
 * Reads a site's configuration through `read`, which throws `not_found` for a file that is not there.
 * Undefined where the site has none. Throws `invalid_input` where the first file is not JSON; a
 * `$ref` that cannot be followed is passed over, as the renderer reports it.
 */
export async function readConfiguration(
  read: (path: string) => Promise<string>,
): Promise<Configuration | undefined> {
  for (const name of configurationNames) {
    const text = await readOptional(read, name);
    if (text === undefined) continue;
    const main = { path: name, text, root: parseJsonText(name, text) };
    return { main, files: await readReferences(main, read) };
  }
  return undefined;
}

async function readReferences(
  main: ConfigurationFile,
  read: (path: string) => Promise<string>,
): Promise<Map<string, ConfigurationFile>> {
  const files = new Map([[main.path, main]]);
  const waiting = [main];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    for (const path of referencesIn(file)) {
      if (files.has(path) || files.size > maxFiles) continue;
      const text = await readOptional(read, path);
      const root = text === undefined ? undefined : parseOptional(path, text);
      if (text === undefined || root === undefined) continue;
      const found = { path, text, root };
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

function parseOptional(path: string, text: string): JsonText | undefined {
  try {
    return parseJsonText(path, text);
  } catch (error) {
    if (error instanceof OctavoError) return undefined;
    throw error;
  }
}

function* referencesIn(file: ConfigurationFile): Generator<string> {
  for (const node of everyValue(file.root)) {
    const path = node.kind === "object" ? referenceOf(file.path, node) : undefined;
    if (path !== undefined) yield path;
  }
}

/** The file that an object names by `$ref`, from the file it stands in. */
export function referenceOf(file: string, object: JsonObject): string | undefined {
  const target = memberOf(object, "$ref")?.value;
  if (target?.kind !== "string" || !target.value.endsWith(".json")) return undefined;
  if (posix.isAbsolute(target.value) || /^[a-z]+:/i.test(target.value)) return undefined;
  return posix.join(posix.dirname(file), target.value);
}

/** Every value in a file, in no order that counts. */
export function* everyValue(root: JsonText): Generator<JsonText> {
  const waiting = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    yield node;
    if (node.kind === "list") for (const item of node.items) waiting.push(item);
    if (node.kind === "object") for (const { value } of node.members) waiting.push(value);
  }
}
