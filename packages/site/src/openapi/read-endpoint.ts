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
import { operationsOf, titleOf, type OperationSource } from "./operations.ts";
import { entriesOf, arrayOf, memberOf, recordOf, stringOf } from "./plain-value.ts";
import { pointerTo } from "./pointer.ts";
import type { References } from "./references.ts";
import type { SchemaReader } from "./schemas.ts";

/**
 * Cuts an operation out of its document, with the schemas it leads to and nothing else. What is wrong in
 * it is reported and left out. As JSON it is about as large as `limits.subjectBytes` at most.
 */
export function readEndpoint(
  source: OperationSource,
  shared: { readonly references: References; readonly schemas: SchemaReader },
): Endpoint {
  const reading: ReadContext = { ...shared, keys: new Set() };
  const { document } = shared.references;
  const { pointer } = source.entry;
  const endpoint = { ...readOperation(source, reading), callbacks: readCallbacks(source, reading) };
  const length = JSON.stringify(endpoint).length;
  if (length > limits.subjectBytes) {
    document.warn("description_too_large", tooLargeMessage("examples and responses"), pointer);
    return { ...endpoint, parameters: [], responses: [], callbacks: [], samples: [] };
  }
  const { schemas, isCut } = shared.schemas.collect(reading.keys, limits.subjectBytes - length);
  if (isCut)
    document.warn("description_too_large", tooLargeMessage("some of its schemas"), pointer);
  return { ...endpoint, schemas };
}

function tooLargeMessage(omitted: string): string {
  return `This operation says more than one page can show; ${omitted} are left out.`;
}

/** Everything but callbacks and schemas. */
function readOperation(source: OperationSource, reading: ReadContext): Endpoint {
  const { entry, operation, item } = source;
  const { references } = reading;
  const { root } = references.document;
  const own = memberOf(operation, "security");
  const security =
    own === undefined
      ? readSecurity(memberOf(root, "security"), "/security", references)
      : readSecurity(own, pointerTo(entry.pointer, "security"), references);
  const servers = [operation, item.value, root].map((holder) =>
    readServers(memberOf(holder, "servers")),
  );
  const body = readBody(source, reading);
  return {
    kind: entry.kind,
    method: entry.method,
    path: entry.path,
    title: titleOf(entry),
    ...pickDescription(operation),
    isDeprecated: entry.isDeprecated,
    servers: servers.find((list) => list.length > 0) ?? [],
    security,
    parameters: readParameters(source, reading),
    ...(body === undefined ? {} : { body }),
    responses: readResponses(source, reading),
    callbacks: [],
    samples: readSamples(operation),
    schemas: {},
  };
}

function readParameters(
  { entry, operation, item }: OperationSource,
  reading: ReadContext,
): Parameter[] {
  const found = new Map<string, Parameter>();
  const holders = [
    [item.value, item.pointer],
    [operation, entry.pointer],
  ] as const;
  for (const [holder, pointer] of holders) {
    const at = pointerTo(pointer, "parameters");
    for (const [index, value] of arrayOf(memberOf(holder, "parameters")).entries()) {
      const parameter = readParameter(value, pointerTo(at, index), reading);
      if (parameter) found.set(`${parameter.place} ${parameter.name}`, parameter);
    }
  }
  return [...found.values()];
}

function readParameter(
  value: unknown,
  pointer: string,
  reading: ReadContext,
): Parameter | undefined {
  const { references } = reading;
  const located = references.resolve(value, pointer);
  if (!located) return undefined;
  const name = stringOf(memberOf(located.value, "name"));
  const place = memberOf(located.value, "in");
  const isPlace = place === "path" || place === "query" || place === "header" || place === "cookie";
  if (name === undefined || !isPlace) {
    const message =
      'A parameter needs a "name", and "in" with path, query, header or cookie; this one is left out.';
    references.document.warn("description_value_invalid", message, located.pointer);
    return undefined;
  }
  const parameter = readParameterOrHeader(
    located.value,
    { name, pointer: located.pointer },
    reading,
  );
  return { ...parameter, place, isRequired: parameter.isRequired || place === "path" };
}

function readBody({ entry, operation }: OperationSource, reading: ReadContext): Body | undefined {
  const pointer = pointerTo(entry.pointer, "requestBody");
  const body = reading.references.resolve(memberOf(operation, "requestBody"), pointer);
  if (!body) return undefined;
  return {
    ...pickDescription(body.value),
    isRequired: memberOf(body.value, "required") === true,
    contents: readContents(body.value, body.pointer, reading),
  };
}

function readResponses({ entry, operation }: OperationSource, reading: ReadContext): ApiResponse[] {
  const at = pointerTo(entry.pointer, "responses");
  return entriesOf(memberOf(operation, "responses")).flatMap(([status, value]): ApiResponse[] => {
    const response = status.startsWith("x-")
      ? undefined
      : reading.references.resolve(value, pointerTo(at, status));
    if (!response) return [];
    return [
      {
        status,
        ...pickDescription(response.value),
        headers: readHeaders(response.value, response.pointer, reading),
        contents: readContents(response.value, response.pointer, reading),
      },
    ];
  });
}

function readHeaders(
  response: Readonly<Record<string, unknown>>,
  pointer: string,
  reading: ReadContext,
): Omit<Parameter, "place">[] {
  const at = pointerTo(pointer, "headers");
  return entriesOf(memberOf(response, "headers")).flatMap(([name, value]) => {
    const header = reading.references.resolve(value, pointerTo(at, name));
    return header
      ? [readParameterOrHeader(header.value, { name, pointer: header.pointer }, reading)]
      : [];
  });
}

/** The requests of `callbacks`; callbacks of theirs are left out. */
function readCallbacks({ entry, operation }: OperationSource, reading: ReadContext): Endpoint[] {
  const { references } = reading;
  const endpoints: Endpoint[] = [];
  const at = pointerTo(entry.pointer, "callbacks");
  for (const [name, value] of entriesOf(memberOf(operation, "callbacks"))) {
    const callback = references.resolve(value, pointerTo(at, name));
    for (const [expression, path] of entriesOf(callback?.value)) {
      if (!callback || expression.startsWith("x-")) continue;
      const item = references.resolve(path, pointerTo(callback.pointer, expression));
      for (const source of item ? operationsOf(item, expression, "operation") : []) {
        const title = source.entry.summary ?? name;
        endpoints.push({ ...readOperation(source, reading), title });
      }
    }
  }
  return endpoints;
}

/** The tags that a document declares, in its order, with the name of their group (`x-group`). */
export function readTags(root: unknown): { readonly name: string; readonly group: string }[] {
  return arrayOf(memberOf(root, "tags")).flatMap((tag) => {
    const name = stringOf(memberOf(recordOf(tag), "name"));
    if (name === undefined) return [];
    return [{ name, group: stringOf(memberOf(tag, "x-group")) ?? name }];
  });
}
