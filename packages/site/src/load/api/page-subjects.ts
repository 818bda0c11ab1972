import type { ApiDescription, ApiSubject, OperationEntry } from "../../openapi/index.ts";
import { getOperationTitle, isRemote } from "../../openapi/index.ts";
import type { ProblemLog, ProblemLocation } from "../../core/index.ts";
import { type Frontmatter, createSuggestions } from "../../site/index.ts";
import type { PageMaterial } from "./api-pages.ts";
import { cleanLocation } from "./api-source.ts";
import type { ApiSource } from "./api-source.ts";
import { type Descriptions, type KnownDescription } from "./descriptions.ts";
import {
  isLocation,
  parseNamedPart,
  formatOperationName,
  parseOperationText,
  type OperationText,
} from "./operation-index.ts";

/** The details that a page gets from the API description named in its frontmatter. */
export interface SubjectDetails {
  readonly material?: PageMaterial;
  /** The title, used if the page does not have one. */
  readonly title?: string;
  /** The sidebar title, used if the page does not have one. Defaults to the title. */
  readonly navTitle?: string;
  /** The page's operation, if `openapi` names only a file. */
  readonly openapi?: string;
}

/** The location of the frontmatter, and the API source of the page's nearest navigation level. */
interface LookupContext {
  readonly position: ProblemLocation;
  readonly inherited: ApiSource | undefined;
}

interface PageSubjectsOptions {
  readonly descriptions: Descriptions;
  readonly finder: OperationFinder;
  readonly problems: ProblemLog;
}

/** Finds the subjects of `openapi`, `openapi-schema` and `asyncapi` in frontmatter. Reports missing subjects. */
export class PageSubjects {
  readonly #options: PageSubjectsOptions;

  constructor(options: PageSubjectsOptions) {
    this.#options = options;
  }

  findDetails(frontmatter: Frontmatter, context: LookupContext): SubjectDetails {
    const { openapi, asyncapi, "openapi-schema": model } = frontmatter;
    if (openapi !== undefined) return this.#resolveOperation(openapi, context);
    if (model !== undefined) return this.#resolveModel(model, context);
    if (asyncapi !== undefined) return this.#resolveChannel(asyncapi, context);
    return {};
  }

  #resolveOperation(written: string, { position, inherited }: LookupContext): SubjectDetails {
    const operation = parseOperationText(written);
    const text = operation ?? this.#findOnlyOperation(written, position);
    if (text === undefined) {
      const unread = this.#describeUnread(written, position);
      if (unread) return unread;
      const message = `"openapi" in the frontmatter must name an operation, such as "openapi.json GET /plants"; it is ${JSON.stringify(written.slice(0, 200))}.`;
      this.#options.problems.fail("operation_missing", message, position);
      return { material: createAbsentMaterial(written) };
    }
    const found = this.#options.finder.find(text, inherited, position);
    // The sidebar shows the method next to the path.
    const absent = { title: formatOperationName(text), navTitle: text.path };
    if (!found) return { material: createAbsentMaterial(formatOperationName(text)), ...absent };
    const description = found.known.found?.description;
    const subject = found.entry && description?.getSubject(found.entry);
    if (!found.entry || !subject) return { ...createAbsentDescription(found.known), ...absent };
    const material = { subject, find: createTextFinder(description, found.entry.pointer) };
    const details = { material, title: getOperationTitle(found.entry) };
    return operation ? details : { ...details, openapi: `${written} ${formatOperationName(text)}` };
  }

  /** Returns the details for a description that could not be read and is named without an operation. */
  #describeUnread(written: string, position: ProblemLocation): SubjectDetails | undefined {
    const { descriptions, problems } = this.#options;
    const descriptionsOfName = descriptions.findByName(written, position.file);
    const [unread] = descriptionsOfName;
    if (!unread || descriptionsOfName.some(({ found }) => found)) return undefined;
    reportUnread("operation_missing", { part: "operation", unread }, { position, problems });
    return createAbsentDescription(unread);
  }

  /**
   * Returns the only operation of a description that is named by its file, or undefined if it has several operations.
   */
  #findOnlyOperation(written: string, position: ProblemLocation): OperationText | undefined {
    const descriptionsOfName = this.#options.descriptions.findByName(written, position.file);
    const operations =
      descriptionsOfName.find(({ found }) => found)?.found?.description.operations ?? [];
    const [only] = operations;
    if (!only || operations.length > 1) return undefined;
    return { location: written, kind: only.kind, method: only.method, path: only.path };
  }

  #resolveModel(written: string, { position, inherited }: LookupContext): SubjectDetails {
    const { problems } = this.#options;
    const { name, named, candidates } = this.#findModelSources(written, { position, inherited });
    for (const { found } of candidates) {
      const has = found?.description.models.includes(name) ?? false;
      const subject = has ? found?.description.getSubject({ model: name }) : undefined;
      if (!subject) continue;
      return { material: { subject, find: createTextFinder(found?.description, "") }, title: name };
    }
    const unread = named.find(({ found }) => found === undefined);
    if (unread) {
      const part = `schema "${name.slice(0, 200)}"`;
      reportUnread("schema_missing", { part, unread }, { position, problems });
      return { ...createAbsentDescription(unread), title: name };
    }
    const names = candidates.flatMap(({ found }) => found?.description.models ?? []);
    const message = `There is no schema "${name.slice(0, 200)}" in the descriptions of this site.${formatHint(names, name)}`;
    problems.fail("schema_missing", message, position);
    return { material: createAbsentMaterial(name), title: name };
  }

  /**
   * Returns the name of a schema, the descriptions that the author names, and all descriptions that may contain the
   * schema.
   */
  #findModelSources(written: string, { position, inherited }: LookupContext) {
    const { descriptions } = this.#options;
    const { location = "", name } = parseNamedPart(written);
    const own = descriptions.findByName(location, position.file);
    if (own.length > 0 || isLocation(location)) return { name, named: own, candidates: own };
    // The whole string is the name of the schema.
    const named = descriptions.findBySource(inherited);
    return { name: written.trim(), named, candidates: [...named, ...descriptions.all] };
  }

  #resolveChannel(written: string, { position }: LookupContext): SubjectDetails {
    const { descriptions, problems } = this.#options;
    const { location = "", name } = parseNamedPart(written);
    const named = descriptions.findByName(location === "" ? written : location, position.file);
    for (const { found } of named) {
      const entry = found?.description.channels.find((channel) => channel.name === name);
      const subject: ApiSubject | undefined = entry && found?.description.getSubject(entry);
      if (!entry || !subject) continue;
      const find = createTextFinder(found?.description, entry.pointer);
      return { material: { subject, find }, title: entry.title };
    }
    const unread = named.find(({ found }) => found === undefined);
    if (unread) {
      const part = `channel "${name.slice(0, 200)}"`;
      reportUnread("channel_missing", { part, unread }, { position, problems });
      return { ...createAbsentDescription(unread), title: name };
    }
    const names = named.flatMap(({ found }) =>
      (found?.description.channels ?? []).map((channel) => channel.name),
    );
    const message =
      named.length > 0 && location !== ""
        ? `There is no channel "${name.slice(0, 200)}" in ${location}.${formatHint(names, name)}`
        : '"asyncapi" in the frontmatter must name a file and a channel, such as "asyncapi.yaml orders".';
    problems.fail("channel_missing", message, position);
    return { material: createAbsentMaterial(name), title: name };
  }
}

/** Reports a part that a page cannot show because its description could not be read. */
function reportUnread(
  code: string,
  { part, unread }: { readonly part: string; readonly unread: KnownDescription },
  { position, problems }: { readonly position: ProblemLocation; readonly problems: ProblemLog },
): void {
  if (isRemote(unread.location)) return;
  problems.fail(code, formatUnread(part, unread), position);
}

function createTextFinder(description: ApiDescription | undefined, pointer: string) {
  return (text: string) => description?.findText(text, pointer);
}

function createAbsentDescription({ location }: KnownDescription): SubjectDetails {
  return { material: { absentSubject: { kind: "description", name: location } } };
}

function createAbsentMaterial(name: string): PageMaterial {
  return { absentSubject: { kind: "part", name } };
}

function formatHint(names: readonly string[], missing: string): string {
  const suggestion = createSuggestions(names)(missing);
  return suggestion === undefined ? "" : ` Did you mean "${suggestion}"?`;
}

interface FoundOperation {
  readonly known: KnownDescription;
  /** The operation; undefined if the description could not be read, which has been reported. */
  readonly entry?: OperationEntry;
}

interface FinderOptions {
  readonly descriptions: Descriptions;
  /** The value of `api.openapi` in the configuration. */
  readonly defaults: ApiSource | undefined;
  readonly problems: ProblemLog;
}

/** Finds operations by references such as `openapi.json GET /plants` and `GET /plants`. */
export class OperationFinder {
  readonly #options: FinderOptions;

  constructor(options: FinderOptions) {
    this.#options = options;
  }

  /**
   * Searches the description that the reference names. If it names no description, searches the descriptions of the
   * nearest navigation level, then the descriptions of the configuration, then all other descriptions, by file name.
   * Reports an operation that is not found.
   */
  find(
    text: OperationText,
    inherited: ApiSource | undefined,
    position: ProblemLocation,
  ): FoundOperation | undefined {
    const { all } = this.#options.descriptions;
    const named = this.#listNamed(text, { inherited, position });
    const candidates = text.location === undefined ? [...named, ...all] : named;
    for (const known of candidates) {
      const entry = known.found?.index.find(text);
      if (!entry) continue;
      this.#warnOfOtherFile(text, { known, first: named[0] }, position);
      return { known, entry };
    }
    const unread = named.find(({ found }) => found === undefined);
    // A remote description that was not fetched has been reported, and its pages show its address.
    if (!unread || !isRemote(unread.location))
      this.#reportMissing(text, { candidates, unread, position });
    return unread && { known: unread };
  }

  /** Reports an operation that is not in the file at the authored path, but in a different file with the same name. */
  #warnOfOtherFile(
    text: OperationText,
    {
      known,
      first,
    }: { readonly known: KnownDescription; readonly first?: KnownDescription | undefined },
    position: ProblemLocation,
  ): void {
    const path = text.location === undefined ? undefined : cleanLocation(text.location);
    if (!first || first === known || path !== first.location || !path.includes("/")) return;
    const name = formatOperationName(text).slice(0, 200);
    const message = `There is no operation "${name}" in ${path}; the operation in ${known.location} is shown instead.`;
    this.#options.problems.warn("operation_elsewhere", message, position);
  }

  #listNamed(
    { location }: OperationText,
    from: { readonly inherited: ApiSource | undefined; readonly position: ProblemLocation },
  ): readonly KnownDescription[] {
    const { descriptions, defaults } = this.#options;
    if (location !== undefined) return descriptions.findByName(location, from.position.file);
    return [...descriptions.findBySource(from.inherited), ...descriptions.findBySource(defaults)];
  }

  #reportMissing(
    text: OperationText,
    at: {
      readonly candidates: readonly KnownDescription[];
      readonly unread: KnownDescription | undefined;
      readonly position: ProblemLocation;
    },
  ): void {
    const name = formatOperationName(text).slice(0, 200);
    this.#options.problems.fail(
      "operation_missing",
      this.#formatMessage(text, name, at),
      at.position,
    );
  }

  #formatMessage(
    text: OperationText,
    name: string,
    {
      candidates,
      unread,
    }: {
      readonly candidates: readonly KnownDescription[];
      readonly unread: KnownDescription | undefined;
    },
  ): string {
    if (unread) return formatUnread(`operation "${name}"`, unread);
    const { all } = this.#options.descriptions;
    const [first] = candidates;
    if (!first && text.location !== undefined) {
      return `There is no operation "${name}" in ${text.location.slice(0, 200)}, because the site has no API description of this name.${this.#formatHint(text, all)}`;
    }
    if (!first) {
      return `"${name}" does not name an API description, and the site does not have one. Name one, as in "openapi.json ${name}", or set "openapi".`;
    }
    const where =
      text.location === undefined ? "the site's descriptions" : listLocations(candidates);
    return `There is no operation "${name}" in ${where}.${this.#formatHint(text, candidates)}`;
  }

  #formatHint(text: OperationText, candidates: readonly KnownDescription[]): string {
    const suggestion = candidates
      .map(({ found }) => found?.index.suggest(text))
      .find((found) => found !== undefined);
    if (suggestion !== undefined && suggestion !== formatOperationName(text)) {
      return ` Did you mean "${suggestion}"?`;
    }
    const { all } = this.#options.descriptions;
    const owner = all.find(({ found }) => found?.index.find(text));
    return owner ? ` It is in ${owner.location}.` : "";
  }
}

/** The maximum number of descriptions that a message names. */
const maxListedDescriptions = 3;

function listLocations(descriptions: readonly KnownDescription[]): string {
  const names = descriptions.map(({ location }) => location.slice(0, 200));
  if (names.length <= maxListedDescriptions) return names.join(" or ");
  return `${names.slice(0, maxListedDescriptions).join(", ")} or ${names.length - maxListedDescriptions} others`;
}

/** Formats the message that a part of a description is not shown because the description could not be read. */
function formatUnread(part: string, { location, isMissing }: KnownDescription): string {
  const reason = isMissing === true ? "does not exist" : "cannot be read";
  return `The ${part} is not shown: its API description, ${JSON.stringify(location)}, ${reason}.`;
}
