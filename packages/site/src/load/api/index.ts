/**
 * Creates the API pages that the navigation and the frontmatter of a site name:
 * 1. loads each named description once (`find-references.ts`, `descriptions.ts`);
 * 2. generates the pages of operations and channels that the navigation names (`api-pages.ts`);
 * 3. adds API subjects to pages with files, as their frontmatter requests (`page-subjects.ts`).
 */
import {
  findJsonItems,
  findJsonMembers,
  locateJsonNode,
  findJsonText,
  type JsonNode,
} from "../../text/index.ts";
import type { ProblemLog } from "../../core/index.ts";
import type { PageSource } from "../read-pages.ts";
import { ApiPages, type PageGroup, type PageMaterial } from "./api-pages.ts";
import { readApiSource, type ApiSourceKey, type ApiSource } from "./api-source.ts";
import { Descriptions, type DescriptionReference } from "./descriptions.ts";
import type { RemoteApiSettings } from "./descriptions.ts";
import { findReferences, getApiPosition, type ApiReferences } from "./find-references.ts";
import { formatOperationName, parseOperationText } from "./operation-index.ts";
import { PageSubjects, type SubjectDetails, OperationFinder } from "./page-subjects.ts";

export type { PageGroup, PageMaterial } from "./api-pages.ts";
export { apiKeys, type ApiSource } from "./api-source.ts";

export interface SiteApiOptions {
  readonly root: string;
  readonly config: JsonNode | undefined;
  /** Pages with files, by path. */
  readonly pages: ReadonlyMap<string, PageSource>;
  /** The site's files other than pages, sorted. They may include descriptions that are not named anywhere. */
  readonly files: readonly string[];
  /** See `Site.basePaths`. */
  readonly basePaths: readonly string[];
  readonly problems: ProblemLog;
  readonly settings: RemoteApiSettings;
}

/** The APIs of a site. */
export interface SiteApi {
  /** Returns the `openapi` or `asyncapi` value of a navigation element, or undefined if it is missing or invalid. */
  sourceOf(element: ReadonlyMap<string, JsonNode>, key: ApiSourceKey): ApiSource | undefined;
  /** Reports whether a navigation entry names an operation, such as `GET /plants`. */
  isOperation(text: string): boolean;
  /** Returns the page of an operation that the navigation names; `inherited` is the source of the nearest level. */
  findOperationPage(entry: JsonNode, inherited: ApiSource | undefined): PageSource | undefined;
  /** Returns the pages of a navigation element without entries. */
  groupsOf(source: ApiSource, label: string): readonly PageGroup[];
  /** Returns all pages, including generated pages. `inheritedOf` returns the source of a page's nearest level. */
  complete(inheritedOf: (path: string) => ApiSource | undefined): readonly PageSource[];
  /** Whether the site names descriptions or their parts. */
  readonly isUsed: boolean;
  /** The API content of pages, by page path. Complete only after `complete` is called. */
  readonly materials: ReadonlyMap<string, PageMaterial>;
}

/** Loads the descriptions that a site names. Rejects only if the signal is aborted. */
export async function loadSiteApi(options: SiteApiOptions): Promise<SiteApi> {
  const { config, pages, files, settings } = options;
  const descriptions = new Descriptions({ ...options, shownKeys: listShownKeys(options) });
  const references = findReferences(config, pages.values());
  for (const reference of references.descriptions) {
    settings.signal?.throwIfAborted();
    await descriptions.load(reference);
  }
  if (!areAllFound(references, descriptions)) {
    const candidates = files.filter((file) => /\.(?:json|ya?ml)$/.test(file));
    for (const file of candidates) await descriptions.discover(file);
  }
  const { operations, models } = references;
  const isUsed = references.descriptions.length + operations.length + models.length > 0;
  return new Api(descriptions, { ...options, isUsed });
}

/** The maximum number of keys that are looked up in each schema. */
const maxShownKeys = 50;

/** Reads `api.params.post`: the keys of schemas that pages show as badges. */
function listShownKeys({
  config,
  problems,
}: Pick<SiteApiOptions, "config" | "problems">): readonly string[] {
  const params = findJsonMembers(
    findJsonMembers(findJsonMembers(config)?.get("api"))?.get("params"),
  );
  const node = params?.get("post");
  const items = findJsonItems(node) ?? [];
  const keys = [...new Set(items.flatMap((item) => findJsonText(item) ?? []))];
  if (node && keys.length > maxShownKeys) {
    const message = `The setting "api.params.post" has ${keys.length} keys; only the first ${maxShownKeys} are shown.`;
    problems.warn("setting_invalid", message, locateJsonNode(node));
  }
  return keys.slice(0, maxShownKeys);
}

/** Reports whether the loaded descriptions contain all operations and schemas that are named without a description. */
function areAllFound({ operations, models }: ApiReferences, descriptions: Descriptions): boolean {
  const { all } = descriptions;
  const isLoaded = (reference: DescriptionReference | undefined) =>
    reference !== undefined &&
    descriptions.findByName(reference.written, reference.position.file).length > 0;
  return (
    operations.every((text) => all.some(({ found }) => found?.index.find(text))) &&
    models.every(
      ({ name, description: reference }) =>
        isLoaded(reference) || all.some(({ found }) => found?.description.models.includes(name)),
    )
  );
}

interface ApiOptions extends SiteApiOptions {
  readonly isUsed: boolean;
}

class Api implements SiteApi {
  readonly #descriptions: Descriptions;
  readonly #finder: OperationFinder;
  readonly #pages: ApiPages;
  readonly #subjects: PageSubjects;
  readonly #defaults: ApiSource | undefined;
  readonly #options: ApiOptions;
  readonly isUsed: boolean;

  constructor(descriptions: Descriptions, options: ApiOptions) {
    this.#options = options;
    const { config, pages, problems } = options;
    const settings = findJsonMembers(findJsonMembers(config)?.get("api"));
    this.#descriptions = descriptions;
    const defaults = this.#readSource(settings?.get("openapi"));
    const finder = new OperationFinder({ descriptions, defaults, problems });
    this.isUsed = options.isUsed;
    this.#defaults = defaults;
    this.#finder = finder;
    this.#pages = new ApiPages({ descriptions, authoredPages: pages, problems });
    this.#subjects = new PageSubjects({ descriptions, finder, problems });
  }

  get materials(): ReadonlyMap<string, PageMaterial> {
    return this.#pages.materials;
  }

  sourceOf(element: ReadonlyMap<string, JsonNode>, key: ApiSourceKey): ApiSource | undefined {
    return this.#readSource(element.get(key));
  }

  #readSource(node: JsonNode | undefined): ApiSource | undefined {
    const { problems } = this.#options;
    const isName = (written: string, file: string) =>
      this.#descriptions.findByName(written, file).length > 0;
    return readApiSource(node, { problems, isName });
  }

  isOperation(text: string): boolean {
    return parseOperationText(text) !== undefined && !this.#options.pages.has(text);
  }

  findOperationPage(entry: JsonNode, inherited: ApiSource | undefined): PageSource | undefined {
    const text = parseOperationText(findJsonText(entry) ?? "");
    const found = text && this.#finder.find(text, inherited, locateJsonNode(entry));
    if (!text || !found) return undefined;
    const directory = (inherited ?? this.#defaults)?.directory ?? "api-reference";
    if (found.entry?.isExcluded === true) {
      const message = `The operation "${formatOperationName(text)}" has "x-excluded"; this entry is omitted.`;
      this.#options.problems.warn("operation_excluded", message, locateJsonNode(entry));
      return undefined;
    }
    if (found.entry) return this.#pages.getOperationPage(found.known, found.entry, directory);
    return this.#pages.createAbsentPage(found.known, directory, text);
  }

  groupsOf(source: ApiSource, label: string): readonly PageGroup[] {
    return this.#pages.listGroups(source, label);
  }

  complete(inheritedOf: (path: string) => ApiSource | undefined): readonly PageSource[] {
    const completed = [...this.#pages.generated.values()];
    for (const source of this.#options.pages.values()) {
      const { apiLine: _, ...page } = source;
      const position = getApiPosition(source);
      const inherited = inheritedOf(page.path);
      const details = this.#subjects.findDetails(page.frontmatter, { position, inherited });
      if (details.material) this.#pages.materials.set(page.path, details.material);
      completed.push(addDetails(page, details));
    }
    return completed;
  }
}

/** Adds the page's operation, and a title if the page does not have one. */
function addDetails(page: PageSource, { title, navTitle, openapi }: SubjectDetails): PageSource {
  const { frontmatter } = page;
  const named =
    openapi === undefined ? page : { ...page, frontmatter: { ...frontmatter, openapi } };
  if (title === undefined || frontmatter.title !== undefined) return named;
  return { ...named, title, navTitle: frontmatter.sidebarTitle ?? navTitle ?? title };
}
