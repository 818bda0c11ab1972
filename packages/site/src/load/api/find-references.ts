import { itemsOf, membersOf, placeOf, jsonText, type JsonNode } from "../../text/index.ts";
import type { ProblemPlace } from "../../core/index.ts";
import type { PageSource } from "../read-pages.ts";
import { apiKeys, cleanLocation, readApiSource } from "./api-source.ts";
import { isLocation, namedPart, operationText, type OperationText } from "./operation-index.ts";

/** The API descriptions, operations and schemas that a site names. */
export interface ApiReferences {
  /** By path or address of the description, the place where it is first named. */
  readonly locations: ReadonlyMap<string, ProblemPlace>;
  /** Operations that are named without their description. */
  readonly operations: readonly OperationText[];
  /** Schemas that are named without their description. */
  readonly models: readonly string[];
}

/** Searches the configuration and the pages' frontmatter; reports nothing. */
export function findReferences(
  config: JsonNode | undefined,
  pages: Iterable<PageSource>,
): ApiReferences {
  const search = new ReferenceSearch();
  for (const key of ["api", "navigation"]) search.configuration(membersOf(config)?.get(key));
  for (const page of pages) search.page(page);
  return search.found;
}

class ReferenceSearch {
  readonly #locations = new Map<string, ProblemPlace>();
  readonly #operations: OperationText[] = [];
  readonly #models: string[] = [];

  get found(): ApiReferences {
    return { locations: this.#locations, operations: this.#operations, models: this.#models };
  }

  configuration(start: JsonNode | undefined): void {
    const waiting = start ? [start] : [];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      const members = membersOf(node);
      for (const key of apiKeys) this.#source(members?.get(key));
      const text = jsonText(node);
      if (text !== undefined) this.#text(text, node);
      const children = [...(members?.values() ?? itemsOf(node) ?? [])];
      for (const child of children.toReversed()) waiting.push(child);
    }
  }

  page({ file, frontmatter }: PageSource): void {
    const { openapi, asyncapi, "openapi-schema": model } = frontmatter;
    const place = { file };
    if (openapi !== undefined) {
      const operation = operationText(openapi);
      if (operation) this.#operation(operation, place);
      else if (isLocation(openapi)) this.#location(openapi, place);
    }
    if (asyncapi !== undefined) this.#location(namedPart(asyncapi).location ?? asyncapi, place);
    if (model === undefined) return;
    const { location, name } = namedPart(model);
    if (location === undefined) this.#models.push(name);
    else this.#location(location, place);
  }

  #source(node: JsonNode | undefined): void {
    const locations = readApiSource(node)?.locations ?? [];
    for (const location of locations) if (node) this.#location(location, placeOf(node));
  }

  #text(text: string, node: JsonNode): void {
    const operation = operationText(text);
    if (operation) this.#operation(operation, placeOf(node));
  }

  #operation(operation: OperationText, place: ProblemPlace): void {
    if (operation.location === undefined) this.#operations.push(operation);
    else this.#location(operation.location, place);
  }

  #location(written: string, place: ProblemPlace): void {
    const location = cleanLocation(written);
    if (location === undefined || this.#locations.has(location)) return;
    this.#locations.set(location, place);
  }
}
