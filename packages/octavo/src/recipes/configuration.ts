import {
  findJsonMemberText,
  resolveJsonReference,
  tryParseJson,
  walkJson,
} from "@octavo/site/text";
import type { JsonEntry, JsonNode, JsonObject } from "@octavo/site/text";
import type { Plan } from "./plan.ts";
import { readFiles } from "./site-tools.ts";

/**
 * A file of the site's configuration: `docs.json`, `mint.json`, or a file that one of these includes through `$ref`.
 */
export interface ConfigurationFile {
  readonly path: string;
  readonly root: JsonNode;
}

/** The maximum depth of nested file references. */
const maxRounds = 5;
const maxFiles = 100;

/**
 * Reads the configuration's files, beginning with the main file. Returns an empty list if the site has no readable
 * configuration.
 */
export function* readConfiguration(): Plan<readonly ConfigurationFile[]> {
  const files = new Map<string, ConfigurationFile>();
  let found = parsed(yield* readFiles(["docs.json"]));
  // If both files exist, `docs.json` takes precedence.
  if (found.length === 0) found = parsed(yield* readFiles(["mint.json"]));
  for (let round = 1; found.length > 0; round++) {
    for (const file of found) files.set(file.path, file);
    if (round === maxRounds) break;
    const wanted = found
      .flatMap(({ root }) => [...walkJson(root)].flatMap((place) => referenceAt(place) ?? []))
      .filter((path) => !files.has(path))
      .slice(0, maxFiles - files.size);
    found = parsed(yield* readFiles(wanted));
  }
  return [...files.values()];
}

function parsed(texts: ReadonlyMap<string, string>): ConfigurationFile[] {
  return [...texts].flatMap(([path, text]) => {
    const root = tryParseJson(path, text);
    return root === undefined ? [] : [{ path, root }];
  });
}

/** Returns the path of the referenced file if the value belongs to a `$ref`. */
function referenceAt({ key, node }: JsonEntry): string | undefined {
  return key === "$ref" ? resolveJsonReference(node).path : undefined;
}

interface ConfigurationEntry extends JsonEntry {
  readonly file: ConfigurationFile;
}

/** Yields every value of the configuration in document order, with each included file at its reference. */
export function* listConfigurationEntries(
  files: readonly ConfigurationFile[],
): Generator<ConfigurationEntry> {
  const [main] = files;
  if (main !== undefined) yield* listEntriesWithin(main, files, []);
}

function* listEntriesWithin(
  file: ConfigurationFile,
  files: readonly ConfigurationFile[],
  around: readonly JsonObject[],
  depth = 0,
): Generator<ConfigurationEntry> {
  for (const place of walkJson(file.root, around)) {
    yield { ...place, file };
    const named = depth > maxRounds ? undefined : referenceAt(place);
    const other = files.find(({ path }) => path === named);
    if (other !== undefined) yield* listEntriesWithin(other, files, place.within, depth + 1);
  }
}

export interface Redirect {
  /** The source, without leading and trailing slashes. */
  readonly source: string;
  readonly destination: string;
}

export function listRedirects(files: readonly ConfigurationFile[]): Redirect[] {
  return files.flatMap(({ root }) =>
    [...walkJson(root)].flatMap(({ node }) => {
      const source = findJsonMemberText(node, "source");
      const destination = findJsonMemberText(node, "destination");
      if (source === undefined || destination === undefined) return [];
      return [{ source: source.replaceAll(/^\/+|\/+$/g, ""), destination }];
    }),
  );
}
