import { isOctavoError, OctavoError } from "@octavo/site/core";
import { configurationNames } from "../content.ts";
import {
  walkJson,
  findJsonMember,
  parseJson,
  resolveJsonReference,
  tryParseJson,
} from "@octavo/site/text";
import type { JsonNode } from "@octavo/site/text";

/** One file of a site's configuration. */
export interface ParsedConfigurationFile {
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
    for (const path of referencesIn(file)) {
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

function* referencesIn(file: ParsedConfigurationFile): Generator<string> {
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
