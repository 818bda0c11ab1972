import { limits } from "../core/index.ts";
import { readSecurity, type ReadContext } from "./common-parts.ts";
import type { Dialect } from "./dialect.ts";
import type { Endpoint, CodeSample } from "./api-subject.ts";
import type { SchemaExpansion } from "./expansion.ts";
import { listOperations, getOperationTitle, type OperationSource } from "./operations.ts";
import {
  findDescription,
  listEntries,
  toArray,
  findMember,
  toRecord,
  toTrimmedString,
} from "./plain-value.ts";
import type { PlainRecord } from "./plain-value.ts";
import { joinPointer } from "./pointer.ts";
import type { References } from "./document.ts";
import { formatOmittedSchemas, type SchemaReader } from "./schemas.ts";

interface EndpointContext extends ReadContext {
  readonly dialect: Dialect;
}

/**
 * Extracts an operation and the schemas to which it refers from its document. Invalid parts are reported and omitted.
 * The size of the result as JSON is at most about `limits.subjectBytes`.
 */
export function readEndpoint(
  source: OperationSource,
  shared: {
    readonly references: References;
    readonly schemas: SchemaReader;
    readonly expansion: SchemaExpansion;
    readonly dialect: Dialect;
  },
): Endpoint {
  const context: EndpointContext = { ...shared, keys: new Set() };
  const { document } = shared.references;
  const { pointer } = source.entry;
  const endpoint = { ...readOperation(source, context), callbacks: readCallbacks(source, context) };
  const length = JSON.stringify(endpoint).length;
  if (length > limits.subjectBytes) {
    const message =
      "This operation is larger than one page can show; its parameters, responses, callbacks and code samples are omitted.";
    document.warn("description_too_large", message, pointer);
    return { ...endpoint, parameters: [], responses: [], callbacks: [], samples: [] };
  }
  const { schemas, omitted } = shared.schemas.collect(
    context.keys,
    Math.max(0, shared.expansion.subjectBytes - length),
  );
  if (omitted.size > 0) {
    const message = formatOmittedSchemas("operation", omitted);
    document.warn("description_too_large", message, pointer);
  }
  return { ...endpoint, schemas };
}

/** Reads an operation without its callbacks and schemas. */
function readOperation(source: OperationSource, context: EndpointContext): Endpoint {
  const { entry, operation } = source;
  const { references, dialect } = context;
  const { root } = references.document;
  const ownSecurity = findMember(operation, "security");
  const security =
    ownSecurity === undefined
      ? readSecurity(findMember(root, "security"), "/security", references)
      : readSecurity(ownSecurity, joinPointer(entry.pointer, "security"), references);
  const { parameters, body } = dialect.readRequest(source, context);
  return {
    kind: entry.kind,
    method: entry.method,
    path: entry.path,
    title: getOperationTitle(entry),
    ...describeOperation(source),
    isDeprecated: entry.isDeprecated,
    servers: dialect.readServers(source, root),
    security,
    parameters,
    ...(body === undefined ? {} : { body }),
    responses: dialect.readAllResponses(source, context),
    callbacks: [],
    samples: readSamples(operation),
    schemas: {},
  };
}

/** Returns an operation's description, followed by its path's summary and description, which apply to all methods. */
function describeOperation({ operation, item }: OperationSource): { description?: string } {
  const texts = [
    findDescription(operation),
    toTrimmedString(findMember(item.value, "summary")),
    toTrimmedString(findMember(item.value, "description")),
  ];
  const description = texts.filter((text) => text !== undefined).join("\n\n");
  return description === "" ? {} : { description };
}

/** Reads the requests of `callbacks`, but not their own callbacks. */
function readCallbacks(
  { entry, operation }: OperationSource,
  context: EndpointContext,
): Endpoint[] {
  const { references } = context;
  const endpoints: Endpoint[] = [];
  const basePointer = joinPointer(entry.pointer, "callbacks");
  for (const [name, value] of listEntries(findMember(operation, "callbacks"))) {
    const callback = references.resolve(value, joinPointer(basePointer, name));
    for (const [expression, path] of listEntries(callback?.value)) {
      if (!callback || expression.startsWith("x-")) continue;
      const item = references.resolve(path, joinPointer(callback.pointer, expression));
      for (const source of item ? listOperations(item, expression, "operation") : []) {
        const title = source.entry.summary ?? name;
        endpoints.push({ ...readOperation(source, context), title });
      }
    }
  }
  return endpoints;
}

/** Reads the tags that a document declares, in order, with the labels of their groups (`x-group`). */
export function readTags(root: unknown): { readonly name: string; readonly group: string }[] {
  return toArray(findMember(root, "tags")).flatMap((tag) => {
    const name = toTrimmedString(findMember(toRecord(tag), "name"));
    if (name === undefined) return [];
    return [{ name, group: toTrimmedString(findMember(tag, "x-group")) ?? name }];
  });
}

/** Reads `x-codeSamples`: a list of `{ lang, label, source }`. */
function readSamples(operation: PlainRecord): CodeSample[] {
  const samples = findMember(operation, "x-codeSamples") ?? findMember(operation, "x-code-samples");
  return toArray(samples).flatMap((sample) => {
    const source = toTrimmedString(findMember(sample, "source"));
    const label = toTrimmedString(findMember(sample, "label"));
    const language = toTrimmedString(findMember(sample, "lang"));
    if (!toRecord(sample) || source === undefined) return [];
    const shownLabel = label ?? language ?? "Example";
    return [{ language: (language ?? "text").toLowerCase(), label: shownLabel, source }];
  });
}
