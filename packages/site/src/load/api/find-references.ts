import {
  findJsonItems,
  findJsonMembers,
  locateJsonNode,
  findJsonText,
  type JsonNode,
} from "../../text/index.ts";
import type { ProblemLocation } from "../../core/index.ts";
import type { PageSource } from "../read-pages.ts";
import { apiKeys, cleanLocation, readApiSource } from "./api-source.ts";
import {
  isLocation,
  parseNamedPart,
  parseOperationText,
  type OperationText,
} from "./operation-index.ts";

/** The API descriptions, operations and schemas that a site names. */
export interface ApiReferences {
  /** The location at which each description is first named, by its path or address. */
  readonly locations: ReadonlyMap<string, ProblemLocation>;
  /** The operations that are named without their description. */
  readonly operations: readonly OperationText[];
  /** The schemas that are named without their description. */
  readonly models: readonly string[];
}

/** Searches the configuration and the pages' frontmatter; does not report problems. */
export function findReferences(
  config: JsonNode | undefined,
  pages: Iterable<PageSource>,
): ApiReferences {
  const search = new ReferenceSearch();
  for (const key of ["api", "navigation"]) search.configuration(findJsonMembers(config)?.get(key));
  for (const page of pages) search.page(page);
  return search.found;
}

class ReferenceSearch {
  readonly #locations = new Map<string, ProblemLocation>();
  readonly #operations: OperationText[] = [];
  readonly #models: string[] = [];

  get found(): ApiReferences {
    return { locations: this.#locations, operations: this.#operations, models: this.#models };
  }

  configuration(start: JsonNode | undefined): void {
    const waiting = start ? [start] : [];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      const members = findJsonMembers(node);
      for (const key of apiKeys) this.#source(members?.get(key));
      const text = findJsonText(node);
      if (text !== undefined) this.#text(text, node);
      const children = [...(members?.values() ?? findJsonItems(node) ?? [])];
      for (const child of children.toReversed()) waiting.push(child);
    }
  }

  page({ file, frontmatter }: PageSource): void {
    const { openapi, asyncapi, "openapi-schema": model } = frontmatter;
    const place = { file };
    if (openapi !== undefined) {
      const operation = parseOperationText(openapi);
      if (operation) this.#operation(operation, place);
      else if (isLocation(openapi)) this.#location(openapi, place);
    }
    if (asyncapi !== undefined)
      this.#location(parseNamedPart(asyncapi).location ?? asyncapi, place);
    if (model === undefined) return;
    const { location, name } = parseNamedPart(model);
    if (location === undefined) this.#models.push(name);
    else this.#location(location, place);
  }

  #source(node: JsonNode | undefined): void {
    const locations = readApiSource(node)?.locations ?? [];
    for (const location of locations) if (node) this.#location(location, locateJsonNode(node));
  }

  #text(text: string, node: JsonNode): void {
    const operation = parseOperationText(text);
    if (operation) this.#operation(operation, locateJsonNode(node));
  }

  #operation(operation: OperationText, place: ProblemLocation): void {
    if (operation.location === undefined) this.#operations.push(operation);
    else this.#location(operation.location, place);
  }

  #location(written: string, place: ProblemLocation): void {
    const location = cleanLocation(written);
    if (location === undefined || this.#locations.has(location)) return;
    this.#locations.set(location, place);
  }
}
