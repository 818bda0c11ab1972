import { limits } from "../core/index.ts";
import type { ApiResponse, Body, Endpoint, Parameter } from "./endpoint.ts";
import {
  pickDescription,
  readContents,
  readSamples,
  readSecurity,
  readServers,
  readParameterOrHeader,
  type ReadContext,
} from "./common-parts.ts";
import type { Expansion } from "./expansion.ts";
import { operationsOf, titleOf, type OperationSource } from "./operations.ts";
import { entriesOf, arrayOf, memberOf, recordOf, stringOf } from "./plain-value.ts";
import { pointerTo } from "./pointer.ts";
import type { References } from "./references.ts";
import type { SchemaReader } from "./schemas.ts";

/**
 * Extracts an operation from its document, with the schemas that it refers to. Invalid parts are reported
 * and omitted. Its size as JSON is at most about `limits.subjectBytes`.
 */
export function readEndpoint(
  source: OperationSource,
  shared: {
    readonly references: References;
    readonly schemas: SchemaReader;
    readonly expansion: Expansion;
  },
): Endpoint {
  const context: ReadContext = { ...shared, keys: new Set() };
  const { document } = shared.references;
  const { pointer } = source.entry;
  const endpoint = { ...readOperation(source, context), callbacks: readCallbacks(source, context) };
  const length = JSON.stringify(endpoint).length;
  if (length > limits.subjectBytes) {
    document.warn("description_too_large", tooLargeMessage("examples and responses"), pointer);
    return { ...endpoint, parameters: [], responses: [], callbacks: [], samples: [] };
  }
  const { schemas, isCut } = shared.schemas.collect(
    context.keys,
    Math.max(0, shared.expansion.subjectBytes - length),
  );
  if (isCut)
    document.warn("description_too_large", tooLargeMessage("some of its schemas"), pointer);
  return { ...endpoint, schemas };
}

function tooLargeMessage(omitted: string): string {
  return `This operation is larger than one page can show; ${omitted} are omitted.`;
}

/** Everything but callbacks and schemas. */
function readOperation(source: OperationSource, context: ReadContext): Endpoint {
  const { entry, operation, item } = source;
  const { references } = context;
  const { root } = references.document;
  const own = memberOf(operation, "security");
  const security =
    own === undefined
      ? readSecurity(memberOf(root, "security"), "/security", references)
      : readSecurity(own, pointerTo(entry.pointer, "security"), references);
  const servers = [operation, item.value, root].map((holder) =>
    readServers(memberOf(holder, "servers")),
  );
  const body = readBody(source, context);
  return {
    kind: entry.kind,
    method: entry.method,
    path: entry.path,
    title: titleOf(entry),
    ...pickDescription(operation),
    isDeprecated: entry.isDeprecated,
    servers: servers.find((list) => list.length > 0) ?? [],
    security,
    parameters: readParameters(source, context),
    ...(body === undefined ? {} : { body }),
    responses: readResponses(source, context),
    callbacks: [],
    samples: readSamples(operation),
    schemas: {},
  };
}

function readParameters(
  { entry, operation, item }: OperationSource,
  context: ReadContext,
): Parameter[] {
  const found = new Map<string, Parameter>();
  const holders = [
    [item.value, item.pointer],
    [operation, entry.pointer],
  ] as const;
  for (const [holder, pointer] of holders) {
    const at = pointerTo(pointer, "parameters");
    for (const [index, value] of arrayOf(memberOf(holder, "parameters")).entries()) {
      const parameter = readParameter(value, pointerTo(at, index), context);
      if (parameter) found.set(`${parameter.place} ${parameter.name}`, parameter);
    }
  }
  return [...found.values()];
}

function readParameter(
  value: unknown,
  pointer: string,
  context: ReadContext,
): Parameter | undefined {
  const { references } = context;
  const located = references.resolve(value, pointer);
  if (!located) return undefined;
  const name = stringOf(memberOf(located.value, "name"));
  const place = memberOf(located.value, "in");
  const isPlace = place === "path" || place === "query" || place === "header" || place === "cookie";
  if (name === undefined || !isPlace) {
    const message =
      'A parameter needs a "name", and "in" with path, query, header or cookie; this one is omitted.';
    references.document.warn("description_value_invalid", message, located.pointer);
    return undefined;
  }
  const parameter = readParameterOrHeader(
    located.value,
    { name, pointer: located.pointer },
    context,
  );
  return { ...parameter, place, isRequired: parameter.isRequired || place === "path" };
}

function readBody({ entry, operation }: OperationSource, context: ReadContext): Body | undefined {
  const pointer = pointerTo(entry.pointer, "requestBody");
  const body = context.references.resolve(memberOf(operation, "requestBody"), pointer);
  if (!body) return undefined;
  return {
    ...pickDescription(body.value),
    isRequired: memberOf(body.value, "required") === true,
    contents: readContents(body.value, body.pointer, context),
  };
}

function readResponses({ entry, operation }: OperationSource, context: ReadContext): ApiResponse[] {
  const at = pointerTo(entry.pointer, "responses");
  return entriesOf(memberOf(operation, "responses")).flatMap(([status, value]): ApiResponse[] => {
    const response = status.startsWith("x-")
      ? undefined
      : context.references.resolve(value, pointerTo(at, status));
    if (!response) return [];
    return [
      {
        status,
        ...pickDescription(response.value),
        headers: readHeaders(response.value, response.pointer, context),
        contents: readContents(response.value, response.pointer, context),
      },
    ];
  });
}

function readHeaders(
  response: Readonly<Record<string, unknown>>,
  pointer: string,
  context: ReadContext,
): Omit<Parameter, "place">[] {
  const at = pointerTo(pointer, "headers");
  return entriesOf(memberOf(response, "headers")).flatMap(([name, value]) => {
    const header = context.references.resolve(value, pointerTo(at, name));
    return header
      ? [readParameterOrHeader(header.value, { name, pointer: header.pointer }, context)]
      : [];
  });
}

/** Reads the requests of `callbacks`, without callbacks of their own. */
function readCallbacks({ entry, operation }: OperationSource, context: ReadContext): Endpoint[] {
  const { references } = context;
  const endpoints: Endpoint[] = [];
  const at = pointerTo(entry.pointer, "callbacks");
  for (const [name, value] of entriesOf(memberOf(operation, "callbacks"))) {
    const callback = references.resolve(value, pointerTo(at, name));
    for (const [expression, path] of entriesOf(callback?.value)) {
      if (!callback || expression.startsWith("x-")) continue;
      const item = references.resolve(path, pointerTo(callback.pointer, expression));
      for (const source of item ? operationsOf(item, expression, "operation") : []) {
        const title = source.entry.summary ?? name;
        endpoints.push({ ...readOperation(source, context), title });
      }
    }
  }
  return endpoints;
}

/** Reads the tags that a document declares, in order, with the labels of their groups (`x-group`). */
export function readTags(root: unknown): { readonly name: string; readonly group: string }[] {
  return arrayOf(memberOf(root, "tags")).flatMap((tag) => {
    const name = stringOf(memberOf(recordOf(tag), "name"));
    if (name === undefined) return [];
    return [{ name, group: stringOf(memberOf(tag, "x-group")) ?? name }];
  });
}
