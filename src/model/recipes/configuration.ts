import type { Plan } from "./plan.ts";
import { readFiles } from "./site-tools.ts";
import { parseJsonTree, placesOf, stringMember } from "./text/json-tree.ts";
import type { JsonNode } from "./text/json-tree.ts";

/** A file of the site's configuration: `docs.json` or `mint.json`, or one that it names by `$ref`. */
export interface ConfigurationFile {
  readonly path: string;
  readonly text: string;
  readonly root: JsonNode;
}

/** References to files that hold references are followed this far. */
const mostRounds = 5;
const mostFiles = 100;

/** The configuration's files, its main one first; none where the site has none that can be read. */
export function* readConfiguration(): Plan<readonly ConfigurationFile[]> {
  const files = new Map<string, ConfigurationFile>();
  let wanted = ["docs.json", "mint.json"];
  for (let round = 0; wanted.length > 0 && round < mostRounds; round++) {
    const found = parsed(yield* readFiles(wanted));
    // Where both are there, the older one does not count.
    const counting = round === 0 ? found.slice(0, 1) : found;
    for (const file of counting) files.set(file.path, file);
    wanted = counting
      .flatMap(referencedFiles)
      .filter((path) => !files.has(path))
      .slice(0, mostFiles - files.size);
  }
  return [...files.values()];
}

function parsed(texts: ReadonlyMap<string, string>): ConfigurationFile[] {
  return [...texts].flatMap(([path, text]) => {
    const root = parseJsonTree(text);
    return root === undefined ? [] : [{ path, text, root }];
  });
}

function referencedFiles({ path, root }: ConfigurationFile): string[] {
  const folder = path.split("/").slice(0, -1);
  return [...placesOf(root)].flatMap(({ key, node }) => {
    if (key !== "$ref" || node.type !== "string" || !node.value.endsWith(".json")) return [];
    const parts = node.value.split("/").filter((part) => part !== "" && part !== ".");
    const isRooted = node.value.startsWith("/");
    return parts.includes("..") ? [] : [[...(isRooted ? [] : folder), ...parts].join("/")];
  });
}

export interface Redirect {
  /** Without slash at the ends. */
  readonly source: string;
  readonly destination: string;
}

export function redirectsOf(files: readonly ConfigurationFile[]): Redirect[] {
  return files.flatMap(({ root }) =>
    [...placesOf(root)].flatMap(({ node }) => {
      const source = stringMember(node, "source");
      const destination = stringMember(node, "destination");
      if (source === undefined || destination === undefined) return [];
      return [{ source: source.replaceAll(/^\/+|\/+$/g, ""), destination }];
    }),
  );
}
