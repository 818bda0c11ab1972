import type { Plan } from "./plan.ts";
import { readFiles } from "./site-tools.ts";
import { everyPlace, jsonMemberText, referencedFile, tryParseJson } from "@octavo/site/text";
import type { JsonNode, JsonObject, JsonPlace } from "@octavo/site/text";

/** A file of the site's configuration: `docs.json` or `mint.json`, or one that it names by `$ref`. */
export interface ConfigurationFile {
  readonly path: string;
  readonly root: JsonNode;
}

/** References to files that hold references are followed this far. */
const maxRounds = 5;
const maxFiles = 100;

/** The configuration's files, its main one first; none where the site has none that can be read. */
export function* readConfiguration(): Plan<readonly ConfigurationFile[]> {
  const files = new Map<string, ConfigurationFile>();
  let found = parsed(yield* readFiles(["docs.json"]));
  // Where both are there, the older one does not count.
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

/** The file that a value names, where it is that of a `$ref`. */
function referenceAt({ key, node }: JsonPlace): string | undefined {
  return key === "$ref" ? referencedFile(node).path : undefined;
}

interface ConfigurationPlace extends JsonPlace {
  readonly file: ConfigurationFile;
}

/** Every value of the configuration in its order, each file where it is named. */
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
  /** Without slash at the ends. */
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
