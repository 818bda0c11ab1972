import { pickDescription, type ReadContext } from "./common-parts.ts";
import {
  locateParameters,
  readHeaders,
  readResponses,
  type Dialect,
  type LocatedParameter,
} from "./dialect.ts";
import type { Body, Content, Example, Parameter, Schema, Server } from "./api-subject.ts";
import type { OperationSource } from "./operations.ts";
import { toArray, listEntries, findMember, toStringItems, toTrimmedString } from "./plain-value.ts";
import { joinPointer } from "./pointer.ts";
import type { Located } from "./document.ts";

const parameterLocations = ["path", "query", "header"] as const;
const swaggerLocations = [...parameterLocations, "body", "formData"] as const;
type SwaggerParameter = LocatedParameter<(typeof swaggerLocations)[number]>;

/** The dialect that converts Swagger 2.0 to its OpenAPI 3 equivalents. */
export const swaggerDialect: Dialect = {
  readServers: ({ operation }, root) => readServers(operation, root),
  readRequest(source, context) {
    const parameters = locateParameters(source, context.references, swaggerLocations);
    const body = parameters.find(({ location }) => location === "body");
    const fields = parameters.filter(({ location }) => location === "formData");
    return {
      parameters: parameters.flatMap((parameter) => readParameter(parameter, context)),
      body: body ? readBody(body, source, context) : readForm(fields, source, context),
    };
  },
  readAllResponses(source, context) {
    return readResponses(source, context, (response) => ({
      ...pickDescription(response.value),
      headers: readHeaders(response, context, (header, name) => readValue(header, name, context)),
      contents: readResponseContents(response, source, context),
    }));
  },
};

/** Builds the servers from the schemes, the host and the base path. */
function readServers(operation: unknown, root: unknown): Server[] {
  const host = toTrimmedString(findMember(root, "host"));
  const path = (toTrimmedString(findMember(root, "basePath")) ?? "").replace(/\/+$/, "");
  if (host === undefined) return path === "" ? [] : [buildServer(path)];
  const declaredSchemes = findMember(operation, "schemes") ?? findMember(root, "schemes");
  const supported = toStringItems(declaredSchemes).filter((scheme) =>
    /^(?:https?|wss?)$/.test(scheme),
  );
  const schemes = supported.length === 0 ? ["https"] : supported;
  return schemes.map((scheme) => buildServer(`${scheme}://${host}${path}`));
}

function buildServer(url: string): Server {
  return { url, variables: {} };
}

function readParameter(parameter: SwaggerParameter, context: ReadContext): Parameter[] {
  const location = parameterLocations.find((known) => known === parameter.location);
  if (location === undefined) return [];
  const fields = readValue(parameter, parameter.name, context);
  return [{ ...fields, location, isRequired: fields.isRequired || location === "path" }];
}

/** Reads a parameter, header or form field, which is itself a schema. */
function readValue(
  { value, pointer }: Located,
  name: string,
  { schemas, keys }: ReadContext,
): Omit<Parameter, "location"> {
  const { description: _, ...schemaFields } = value;
  const example = findMember(value, "x-example");
  return {
    name,
    ...pickDescription(value),
    isRequired: findMember(value, "required") === true,
    isDeprecated: findMember(value, "deprecated") === true,
    schema: schemas.read(schemaFields, pointer, keys) ?? {},
    examples: example === undefined ? [] : [{ name: "example", value: example }],
    ...(findMember(value, "type") === "array" ? getSerialization(value) : {}),
  };
}

/** The OpenAPI 3 equivalents of `collectionFormat`. */
const serializations: Readonly<Record<string, Pick<Parameter, "style" | "explode">>> = {
  csv: { explode: false },
  multi: { explode: true },
  ssv: { style: "spaceDelimited", explode: false },
  tsv: { style: "tabDelimited", explode: false },
  pipes: { style: "pipeDelimited", explode: false },
};

function getSerialization(value: unknown): Pick<Parameter, "style" | "explode"> {
  const format = toTrimmedString(findMember(value, "collectionFormat")) ?? "csv";
  return Object.hasOwn(serializations, format) ? (serializations[format] ?? {}) : {};
}

function readBody(body: SwaggerParameter, source: OperationSource, context: ReadContext): Body {
  const schema = readSchema(body, context);
  const mediaTypes = findMediaTypes("consumes", source, context) ?? ["application/json"];
  return {
    ...pickDescription(body.value),
    isRequired: findMember(body.value, "required") === true,
    contents: mediaTypes.map((mediaType) => ({ mediaType, ...schema, examples: [] })),
  };
}

const formTypes = ["multipart/form-data", "application/x-www-form-urlencoded"] as const;

function readForm(
  fields: readonly SwaggerParameter[],
  source: OperationSource,
  context: ReadContext,
): Body | undefined {
  if (fields.length === 0) return undefined;
  const properties = new Map<string, Schema>();
  for (const field of fields) {
    const { schema, description, examples } = readValue(field, field.name, context);
    const all = [...examples.map(({ value }) => value), ...(schema.examples ?? [])];
    const exampleField = all.length === 0 ? {} : { examples: all };
    const descriptionField = description === undefined ? {} : { description };
    // `__proto__` would be lost as a member of an object.
    if (field.name !== "__proto__")
      properties.set(field.name, { ...schema, ...descriptionField, ...exampleField });
  }
  const required = fields.filter(({ value }) => findMember(value, "required") === true);
  const schema: Schema = {
    type: ["object"],
    properties: Object.fromEntries(properties),
    required: required.map(({ name }) => name),
  };
  const hasFile = fields.some(({ value }) => findMember(value, "type") === "file");
  const declaredTypes = findMediaTypes("consumes", source, context) ?? [];
  const formMediaTypes = declaredTypes.filter((type) =>
    formTypes.some((form) => type.startsWith(form)),
  );
  const mediaTypes = formMediaTypes.length > 0 ? formMediaTypes : [formTypes[hasFile ? 0 : 1]];
  return {
    isRequired: required.length > 0,
    contents: mediaTypes.map((mediaType) => ({ mediaType, schema, examples: [] })),
  };
}

/**
 * Reads one content per media type that is produced or has an example. The result is empty for a response without
 * content.
 */
function readResponseContents(
  response: Located,
  source: OperationSource,
  context: ReadContext,
): Content[] {
  const examples = new Map(
    listEntries(findMember(response.value, "examples")).map(([type, value]): [string, Example] => [
      type,
      { name: "example", value },
    ]),
  );
  const schema = readSchema(response, context);
  const producedTypes = findMediaTypes("produces", source, context) ?? ["application/json"];
  const mediaTypes = new Set("schema" in schema ? producedTypes : []);
  for (const type of examples.keys()) mediaTypes.add(type);
  return Array.from(mediaTypes, (mediaType) => {
    const example = examples.get(mediaType);
    return { mediaType, ...schema, examples: example ? [example] : [] };
  });
}

function readSchema(
  { value, pointer }: Located,
  { schemas, keys }: ReadContext,
): { readonly schema?: Schema } {
  const schema = schemas.read(findMember(value, "schema"), joinPointer(pointer, "schema"), keys);
  return schema === undefined ? {} : { schema };
}

/**
 * Returns the media types of the operation or, if it lists none, of the document. Returns undefined if neither lists
 * media types.
 */
function findMediaTypes(
  key: "consumes" | "produces",
  { operation }: OperationSource,
  { references }: ReadContext,
): readonly string[] | undefined {
  const declaredTypes = findMember(operation, key) ?? findMember(references.document.root, key);
  const types = [...new Set(toStringItems(toArray(declaredTypes)))];
  return types.length === 0 ? undefined : types;
}
