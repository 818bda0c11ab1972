/**
 * Reads API descriptions, from the text of files to the content of individual pages:
 * 1. Parse the text of each file (`description-file.ts`). The caller finds the other files to which the first refers.
 * 2. Join the files into one document (`document.ts`) and list its operations or channels.
 * 3. Extract the subject of each page on demand. Each schema is read once.
 */
import type { ApiSubject, DataModel } from "./api-subject.ts";
import { readChannel, readChannels, type ChannelEntry } from "./channels.ts";
import type { Dialect } from "./dialect.ts";
import type { DescriptionFile, ReportProblem } from "./description-file.ts";
import {
  findFormat,
  joinLinkedFiles,
  type ApiDocument,
  type LinkedFiles,
  References,
} from "./document.ts";
import { shareSchemaExpansion, type SchemaExpansion } from "./expansion.ts";
import { openApiDialect } from "./openapi-dialect.ts";
import { readOperations, type OperationEntry } from "./operations.ts";
import { readEndpoint, readTags } from "./read-endpoint.ts";
import { joinPointer } from "./pointer.ts";
import { formatOmittedSchemas, SchemaReader } from "./schemas.ts";
import { swaggerDialect } from "./swagger-dialect.ts";

export type { ChannelEntry } from "./channels.ts";
export { parseDescriptionFile } from "./description-file.ts";
export type { DescriptionFile } from "./description-file.ts";
export type { LinkedFiles } from "./document.ts";
export { isRemote } from "./pointer.ts";
export type { OperationEntry } from "./operations.ts";
export { methods, getOperationTitle } from "./operations.ts";

/** An OpenAPI, Swagger or AsyncAPI description. */
export interface ApiDescription {
  /** The operations in the order of the file, followed by the webhooks. Empty for AsyncAPI. */
  readonly operations: readonly OperationEntry[];
  /** The channels. Empty for OpenAPI. */
  readonly channels: readonly ChannelEntry[];
  /** The declared tags in order, with the labels of their groups. */
  readonly tags: readonly { readonly name: string; readonly group: string }[];
  /** Names of the schemas that a page can show. */
  readonly models: readonly string[];
  /**
   * Returns the subject of the page for an entry or a schema, from a cache. Returns undefined if the entry or schema
   * cannot be read.
   */
  getSubject(
    entry: OperationEntry | ChannelEntry | { readonly model: string },
  ): ApiSubject | undefined;
  /** Returns the location of an entry by its pointer. */
  readonly getLocation: ApiDocument["getLocation"];
  /** Finds a string that the page of an entry shows, given the entry's pointer. */
  readonly findText: ApiDocument["findText"];
}

export interface ReadDescriptionOptions {
  readonly report: ReportProblem;
  /** The files to which the description refers directly or indirectly; see `DescriptionFile.linked`. */
  readonly linked?: LinkedFiles;
  /** Keys of schemas whose values are shown as badges after a field's name (`api.params.post`). */
  readonly shownKeys?: readonly string[];
}

/** Reads a description in OpenAPI 3, Swagger 2.0 or AsyncAPI 2 or 3. Reports any other format and returns undefined. */
export function readDescription(
  main: DescriptionFile,
  { report, linked = new Map(), shownKeys = [] }: ReadDescriptionOptions,
): ApiDescription | undefined {
  const document = joinLinkedFiles(main, linked, report);
  const format = findFormat(document);
  if (format && isSupported(format)) return new Description(document, shownKeys);
  const found = format
    ? `It declares ${format.name} ${format.version.slice(0, 20)}`
    : "It declares no format";
  const message = `${JSON.stringify(main.name)} is not a description in OpenAPI 3.0 or 3.1, Swagger 2.0 or AsyncAPI 2 or 3. ${found}, so no pages are generated from it.`;
  const { file } = main.getLocation([]);
  report({ severity: "error", code: "description_unsupported", message, file });
  return undefined;
}

const supportedMajors: Readonly<Record<string, readonly number[]>> = {
  openapi: [3],
  swagger: [2],
  asyncapi: [2, 3],
};

function isSupported({
  name,
  version,
}: {
  readonly name: string;
  readonly version: string;
}): boolean {
  return supportedMajors[name]?.includes(Number.parseInt(version, 10)) ?? false;
}

class Description implements ApiDescription {
  readonly operations: readonly OperationEntry[];
  readonly channels: readonly ChannelEntry[];
  readonly tags: ApiDescription["tags"];
  readonly models: readonly string[];
  readonly getLocation: ApiDocument["getLocation"];
  readonly findText: ApiDocument["findText"];
  readonly #shared: {
    readonly references: References;
    readonly schemas: SchemaReader;
    readonly expansion: SchemaExpansion;
    readonly dialect: Dialect;
  };
  readonly #sources: ReadonlyMap<OperationEntry, ReturnType<typeof readOperations>[number]>;
  readonly #subjects = new Map<string | OperationEntry | ChannelEntry, ApiSubject | undefined>();

  constructor(document: ApiDocument, shownKeys: readonly string[]) {
    const references = new References(document);
    const format = findFormat(document)?.name;
    const isAsync = format === "asyncapi";
    const sources = isAsync ? [] : readOperations(references);
    this.#sources = new Map(sources.map((source) => [source.entry, source]));
    this.operations = [...this.#sources.keys()];
    this.channels = isAsync ? readChannels(references) : [];
    const entries = this.operations.length + this.channels.length;
    const expansion = shareSchemaExpansion(document.bytes, entries);
    const schemas = new SchemaReader(references, shownKeys);
    const dialect = format === "swagger" ? swaggerDialect : openApiDialect;
    this.#shared = { references, schemas, expansion, dialect };
    this.tags = readTags(document.root);
    this.models = Object.keys(document.getValue(document.containerPointers.schemas) ?? {});
    this.getLocation = document.getLocation;
    this.findText = document.findText;
  }

  getSubject(
    entry: OperationEntry | ChannelEntry | { readonly model: string },
  ): ApiSubject | undefined {
    // Entries are not identified by their pointers, because paths that share a path item also share the pointers of its
    // operations.
    const key = "model" in entry ? `model ${entry.model}` : entry;
    if (!this.#subjects.has(key)) this.#subjects.set(key, this.#readLimitedSubject(entry));
    return this.#subjects.get(key);
  }

  #readLimitedSubject(entry: OperationEntry | ChannelEntry | { readonly model: string }) {
    const subject = this.#readSubject(entry);
    const { subjectBytes: _, ...schemaLimits } = this.#shared.expansion;
    return subject && { ...subject, ...schemaLimits };
  }

  #readSubject(
    entry: OperationEntry | ChannelEntry | { readonly model: string },
  ): ApiSubject | undefined {
    if ("model" in entry) return this.#readModel(entry.model);
    if (!("method" in entry)) return readChannel(entry, this.#shared);
    const source = this.#sources.get(entry);
    return source && readEndpoint(source, this.#shared);
  }

  #readModel(name: string): DataModel | undefined {
    const key = this.#shared.schemas.keyOfComponent(name);
    if (key === undefined) return undefined;
    const { schemas: reader, expansion, references } = this.#shared;
    const { schemas, omitted } = reader.collect(new Set([key]), expansion.subjectBytes);
    if (omitted.size > 0) {
      const { document } = references;
      const pointer = joinPointer(document.containerPointers.schemas, name);
      document.warn("description_too_large", formatOmittedSchemas("schema", omitted), pointer);
    }
    return { kind: "model", name, schema: schemas[key] ?? {}, schemas };
  }
}
export type {
  ApiResponse,
  ApiSubject,
  AsyncChannel,
  AsyncMessage,
  AsyncOperation,
  AsyncServer,
  Body,
  CodeSample,
  Content,
  DataModel,
  Endpoint,
  Example,
  Parameter,
  Schema,
  SecurityScheme,
  Server,
} from "./api-subject.ts";
