import type { Plan } from "./plan.ts";
import { readFiles } from "./site-tools.ts";
import { everyPlace, jsonMemberText, referencedFile, tryParseJson } from "@octavo/site/text";
import type { JsonNode, JsonObject, JsonPlace } from "@octavo/site/text";

/** A file of the site's configuration: `docs.json`, `mint.json`, or a file that one of these includes by `$ref`. */
export interface ConfigurationFile {
  readonly path: string;
  readonly root: JsonNode;
}

/** The maximum depth of nested file references. */
const maxRounds = 5;
const maxFiles = 100;

/** Reads the configuration's files, the main one first. Returns an empty list if the site has no readable one. */
export function* readConfiguration(): Plan<readonly ConfigurationFile[]> {
  const files = new Map<string, ConfigurationFile>();
  let found = parsed(yield* readFiles(["docs.json"]));
  // If both files exist, `docs.json` takes precedence.
  if (found.length === 0) found = parsed(yield* readFiles(["mint.json"]));
  for (let round = 1; found.length > 0; round++) {
    for (const file of found) files.set(file.path, file);
    if (round === maxRounds) break;
    const wanted = found
      .flatMap(({ root }) => [...everyPlace(root)].flatMap((place) => referenceAt(place) ?? []))
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
function referenceAt({ key, node }: JsonPlace): string | undefined {
  return key === "$ref" ? referencedFile(node).path : undefined;
}

interface ConfigurationPlace extends JsonPlace {
  readonly file: ConfigurationFile;
}

/** Yields every value of the configuration in document order, with each included file at its reference. */
export function* configurationPlaces(
  files: readonly ConfigurationFile[],
): Generator<ConfigurationPlace> {
  const [main] = files;
  if (main !== undefined) yield* placesWithin(main, files, []);
}

function* placesWithin(
  file: ConfigurationFile,
  files: readonly ConfigurationFile[],
  around: readonly JsonObject[],
  depth = 0,
): Generator<ConfigurationPlace> {
  for (const place of everyPlace(file.root, around)) {
    yield { ...place, file };
    const named = depth > maxRounds ? undefined : referenceAt(place);
    const other = files.find(({ path }) => path === named);
    if (other !== undefined) yield* placesWithin(other, files, place.within, depth + 1);
  }
}

export interface Redirect {
  /** Without leading and trailing slashes. */
  readonly source: string;
  readonly destination: string;
}

export function redirectsOf(files: readonly ConfigurationFile[]): Redirect[] {
  return files.flatMap(({ root }) =>
    [...everyPlace(root)].flatMap(({ node }) => {
      const source = jsonMemberText(node, "source");
      const destination = jsonMemberText(node, "destination");
      if (source === undefined || destination === undefined) return [];
      return [{ source: source.replaceAll(/^\/+|\/+$/g, ""), destination }];
    }),
  );
}
