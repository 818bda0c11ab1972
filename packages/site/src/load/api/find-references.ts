import {
  findJsonItems,
  findJsonMembers,
  locateJsonNode,
  findJsonText,
  type JsonNode,
} from "../../text/index.ts";
import type { ProblemLocation } from "../../core/index.ts";
import type { PageSource } from "../read-pages.ts";
import { apiKeys, listApiNames } from "./api-source.ts";
import type { DescriptionReference } from "./descriptions.ts";
import {
  isLocation,
  parseNamedPart,
  parseOperationText,
  type OperationText,
} from "./operation-index.ts";

/** The API descriptions, operations and schemas that a site names. */
export interface ApiReferences {
  /** The named descriptions, in the order of the site. A description may occur several times. */
  readonly descriptions: readonly DescriptionReference[];
  /** The operations that are named without a description. */
  readonly operations: readonly OperationText[];
  /** The schemas that may be named without a description. */
  readonly models: readonly ModelReference[];
}

/** A schema's name, whose first word may be the name of a description. */
interface ModelReference {
  readonly name: string;
  readonly description: DescriptionReference | undefined;
}

/** Finds the references to APIs in the configuration and in the pages' frontmatter. Does not report problems. */
export function findReferences(
  config: JsonNode | undefined,
  pages: Iterable<PageSource>,
): ApiReferences {
  const search = new ReferenceSearch();
  for (const key of ["api", "navigation"]) search.searchConfig(findJsonMembers(config)?.get(key));
  for (const page of pages) search.searchPage(page);
  return search.found;
}

class ReferenceSearch {
  readonly #descriptions: DescriptionReference[] = [];
  readonly #operations: OperationText[] = [];
  readonly #models: ModelReference[] = [];

  get found(): ApiReferences {
    const [descriptions, operations] = [this.#descriptions, this.#operations];
    return { descriptions, operations, models: this.#models };
  }

  searchConfig(start: JsonNode | undefined): void {
    const pending = start ? [start] : [];
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      const members = findJsonMembers(node);
      for (const key of apiKeys) this.#addSource(members?.get(key));
      const text = findJsonText(node);
      if (text !== undefined) this.#addText(text, node);
      const children = [...(members?.values() ?? findJsonItems(node) ?? [])];
      for (const child of children.toReversed()) pending.push(child);
    }
  }

  searchPage(page: PageSource): void {
    const { openapi, asyncapi, "openapi-schema": model } = page.frontmatter;
    const position = getApiPosition(page);
    if (openapi !== undefined) {
      const operation = parseOperationText(openapi);
      if (operation) this.#addOperation(operation, position);
      else this.#descriptions.push({ written: openapi, position });
    }
    if (asyncapi !== undefined) this.#addChannel(asyncapi, position);
    if (model === undefined) return;
    const { location, name } = parseNamedPart(model);
    const has: DescriptionReference["has"] = ({ description }) => description.models.includes(name);
    const description = location === undefined ? undefined : { written: location, position, has };
    if (description) this.#descriptions.push(description);
    if (location === undefined || !isLocation(location)) {
      this.#models.push({ name: model.trim(), description });
    }
  }

  #addChannel(written: string, position: ProblemLocation): void {
    const { location, name } = parseNamedPart(written);
    const has: DescriptionReference["has"] = ({ description }) =>
      description.channels.some((channel) => channel.name === name);
    if (location === undefined) this.#descriptions.push({ written, position });
    else this.#descriptions.push({ written: location, position, has });
  }

  #addSource(node: JsonNode | undefined): void {
    for (const item of node ? listApiNames(node) : []) {
      const written = findJsonText(item);
      if (written !== undefined) {
        this.#descriptions.push({ written, position: locateJsonNode(item), isSource: true });
      }
    }
  }

  #addText(text: string, node: JsonNode): void {
    const operation = parseOperationText(text);
    if (operation) this.#addOperation(operation, locateJsonNode(node));
  }

  #addOperation(operation: OperationText, position: ProblemLocation): void {
    const { location } = operation;
    const has: DescriptionReference["has"] = ({ index }) => index.find(operation) !== undefined;
    if (location === undefined) this.#operations.push(operation);
    else this.#descriptions.push({ written: location, position, has });
  }
}

/** Returns the position of the frontmatter that names a part of an API. */
export function getApiPosition({ file, apiLine }: PageSource): ProblemLocation {
  return { file, ...(apiLine !== undefined && { line: apiLine, column: 1 }) };
}
