/**
 * API descriptions, from a file's text to what single pages show:
 * 1. parse the text into a bounded document (`document.ts`) and list its operations or channels;
 * 2. extract the subject of each page on demand; each schema is read once.
 */
import type { ApiSubject, DataModel } from "./api-subject.ts";
import { readChannel, readChannels, type ChannelEntry } from "./channels.ts";
import {
  formatOf,
  readDocument,
  type ApiDocument,
  type DocumentSource,
  type ReportProblem,
} from "./document.ts";
import { shareExpansion, type Expansion } from "./expansion.ts";
import { readOperations, type OperationEntry } from "./operations.ts";
import { readEndpoint, readTags } from "./read-endpoint.ts";
import { References } from "./references.ts";
import { SchemaReader } from "./schemas.ts";
import { memberOf } from "./plain-value.ts";

export type { ChannelEntry } from "./channels.ts";
export type { DocumentSource, ReportProblem } from "./document.ts";
export type { OperationEntry } from "./operations.ts";
export { methods, titleOf } from "./operations.ts";

/** An OpenAPI or AsyncAPI description. */
export interface ApiDescription {
  /** In the order of the file, webhooks last; empty for AsyncAPI. */
  readonly operations: readonly OperationEntry[];
  /** Empty for OpenAPI. */
  readonly channels: readonly ChannelEntry[];
  /** Declared tags in order, with the labels of their groups. */
  readonly tags: readonly { readonly name: string; readonly group: string }[];
  /** Names of the schemas that a page can show. */
  readonly models: readonly string[];
  /** What the page of an entry, or of a schema by name, shows; cached. Undefined if it cannot be read. */
  subject(of: OperationEntry | ChannelEntry | { readonly model: string }): ApiSubject | undefined;
  /** The place of an entry by its pointer. */
  readonly placeOf: ApiDocument["placeOf"];
}

export interface ReadDescriptionOptions {
  /** Keys of schemas whose values are shown as badges after a field's name (`api.params.post`). */
  readonly shownKeys?: readonly string[];
}

/** Reads a description in OpenAPI 3 or AsyncAPI 2 or 3; undefined, with a problem reported, for anything else. */
export function readDescription(
  source: DocumentSource,
  report: ReportProblem,
  settings: ReadDescriptionOptions = {},
): ApiDescription | undefined {
  const document = readDocument(source, report);
  if (!document) return undefined;
  const format = formatOf(document);
  const major = Number.parseInt(format?.version ?? "", 10);
  const isOpenApi = format?.name === "openapi" && major === 3;
  const isAsyncApi = format?.name === "asyncapi" && (major === 2 || major === 3);
  if (isOpenApi || isAsyncApi) return new Description(document, settings);
  const found = format
    ? `It says ${format.name} ${format.version.slice(0, 20)}`
    : "It names neither";
  const message = `${JSON.stringify(source.name)} is not a description in OpenAPI 3.0 or 3.1 or AsyncAPI 2 or 3. ${found}; no pages are made of it.${conversionHint(format?.name)}`;
  report({ severity: "error", code: "description_unsupported", message, file: source.file });
  return undefined;
}

function conversionHint(format: string | undefined): string {
  return format === "swagger" ? " Convert it to OpenAPI 3: most tools that write it can." : "";
}

class Description implements ApiDescription {
  readonly operations: readonly OperationEntry[];
  readonly channels: readonly ChannelEntry[];
  readonly tags: ApiDescription["tags"];
  readonly models: readonly string[];
  readonly placeOf: ApiDocument["placeOf"];
  readonly #shared: {
    readonly references: References;
    readonly schemas: SchemaReader;
    readonly expansion: Expansion;
  };
  readonly #sources: ReadonlyMap<OperationEntry, ReturnType<typeof readOperations>[number]>;
  readonly #subjects = new Map<string, ApiSubject | undefined>();

  constructor(document: ApiDocument, { shownKeys = [] }: ReadDescriptionOptions) {
    const references = new References(document);
    const isAsync = formatOf(document)?.name === "asyncapi";
    const sources = isAsync ? [] : readOperations(references);
    this.#sources = new Map(sources.map((source) => [source.entry, source]));
    this.operations = [...this.#sources.keys()];
    this.channels = isAsync ? readChannels(references) : [];
    const entries = this.operations.length + this.channels.length;
    const expansion = shareExpansion(document.bytes, entries);
    this.#shared = { references, schemas: new SchemaReader(references, shownKeys), expansion };
    this.tags = readTags(document.root);
    const components = memberOf(memberOf(document.root, "components"), "schemas");
    this.models = Object.keys(components ?? {});
    this.placeOf = document.placeOf;
  }

  subject(of: OperationEntry | ChannelEntry | { readonly model: string }): ApiSubject | undefined {
    const key = "model" in of ? `model ${of.model}` : of.pointer;
    if (!this.#subjects.has(key)) this.#subjects.set(key, this.#readShare(of));
    return this.#subjects.get(key);
  }

  #readShare(of: OperationEntry | ChannelEntry | { readonly model: string }) {
    const subject = this.#read(of);
    const { schemaBytes } = this.#shared.expansion;
    return subject === undefined || schemaBytes === undefined
      ? subject
      : { ...subject, schemaBytes };
  }

  #read(of: OperationEntry | ChannelEntry | { readonly model: string }): ApiSubject | undefined {
    if ("model" in of) return this.#model(of.model);
    if (!("method" in of)) return readChannel(of, this.#shared);
    const source = this.#sources.get(of);
    return source && readEndpoint(source, this.#shared);
  }

  #model(name: string): DataModel | undefined {
    const key = this.#shared.schemas.keyOfComponent(name);
    if (key === undefined) return undefined;
    const { schemas: reader, expansion } = this.#shared;
    const { schemas } = reader.collect(new Set([key]), expansion.subjectBytes);
    return { kind: "model", name, schema: schemas[key] ?? {}, schemas };
  }
}
export type { ApiSubject, DataModel } from "./api-subject.ts";
export type { AsyncChannel, AsyncMessage, AsyncOperation, AsyncServer } from "./async-channel.ts";
export type {
  ApiResponse,
  Body,
  CodeSample,
  Content,
  Endpoint,
  Parameter,
  Schema,
  SecurityScheme,
  Server,
} from "./endpoint.ts";
