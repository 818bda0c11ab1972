import { formatInlineCode } from "../text/index.ts";
import { pickDescription, type ReadContext, readServer } from "./common-parts.ts";
import {
  locateParameters,
  readHeaders,
  readResponses,
  type Dialect,
  type LocatedParameter,
} from "./dialect.ts";
import type { Body, Parameter, Content, Example, Server } from "./api-subject.ts";
import type { OperationSource } from "./operations.ts";
import {
  findDescription,
  findMember,
  listEntries,
  toTrimmedString,
  toArray,
} from "./plain-value.ts";
import type { PlainRecord } from "./plain-value.ts";
import { joinPointer } from "./pointer.ts";
import type { Located, References } from "./document.ts";

const parameterLocations = ["path", "query", "header", "cookie"] as const;

/** The dialect of OpenAPI 3.0 and 3.1. */
export const openApiDialect: Dialect = {
  readServers({ operation, item }, root) {
    const lists = [operation, item.value, root].map((holder) =>
      readServers(findMember(holder, "servers")),
    );
    return lists.find((list) => list.length > 0) ?? [];
  },
  readRequest(source, context) {
    // The body is read first, so that the schemas of parameters are omitted first if a page has no room for all
    // schemas.
    const body = readBody(source, context);
    const parameters = locateParameters(source, context.references, parameterLocations);
    return { body, parameters: parameters.map((parameter) => readParameter(parameter, context)) };
  },
  readAllResponses(source, context) {
    return readResponses(source, context, (response) => ({
      ...describeResponse(response, context),
      headers: readHeaders(response, context, ({ value, pointer }, name) =>
        readParameterOrHeader(value, { name, pointer }, context),
      ),
      contents: readContents(response.value, response.pointer, context),
    }));
  },
};

/** Reads the description of a response in Markdown, followed by a list of its `links`. */
function describeResponse(
  { value, pointer }: Located,
  { references }: ReadContext,
): { readonly description?: string } {
  const basePointer = joinPointer(pointer, "links");
  const items = listEntries(findMember(value, "links")).flatMap(([name, entry]) => {
    const link = references.resolve(entry, joinPointer(basePointer, name));
    return link ? [formatLink(name, link.value)] : [];
  });
  const parts = [findDescription(value) ?? "", items.join("\n")].filter((part) => part !== "");
  return parts.length === 0 ? {} : { description: parts.join("\n\n") };
}

/** Formats an operation that readers may call next, and the response values that are passed to it. */
function formatLink(name: string, link: unknown): string {
  const target =
    toTrimmedString(findMember(link, "operationId")) ??
    toTrimmedString(findMember(link, "operationRef"));
  const inputs: readonly (readonly [string, unknown])[] = [
    ...listEntries(findMember(link, "parameters")),
    ["body", findMember(link, "requestBody")],
  ];
  const values = inputs.flatMap(([key, value]) => {
    if (value === undefined) return [];
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return [`${formatInlineCode(key)} = ${formatInlineCode(text)}`];
  });
  const targetAndInputs = [...(target === undefined ? [] : [formatInlineCode(target)]), ...values];
  const start = `- **${formatInlineCode(name)}**${targetAndInputs.length === 0 ? "" : ` → ${targetAndInputs.join(", ")}`}`;
  const description = findDescription(link);
  if (description === undefined) return start;
  return description.includes("\n")
    ? `${start}\n\n  ${description.replaceAll("\n", "\n  ")}`
    : `${start}: ${description}`;
}

function readParameter(
  { value, pointer, name, location }: LocatedParameter<Parameter["location"]>,
  context: ReadContext,
): Parameter {
  const parameter = readParameterOrHeader(value, { name, pointer }, context);
  return { ...parameter, location, isRequired: parameter.isRequired || location === "path" };
}

function readBody({ entry, operation }: OperationSource, context: ReadContext): Body | undefined {
  const pointer = joinPointer(entry.pointer, "requestBody");
  const body = context.references.resolve(findMember(operation, "requestBody"), pointer);
  if (!body) return undefined;
  return {
    ...pickDescription(body.value),
    isRequired: findMember(body.value, "required") === true,
    contents: readContents(body.value, body.pointer, context),
  };
}

function readServers(value: unknown): Server[] {
  return toArray(value).flatMap((server) => {
    const url = toTrimmedString(findMember(server, "url"));
    return url === undefined ? [] : [readServer(server, url)];
  });
}

/** Reads a header, or a parameter without its location. References must already be resolved. */
function readParameterOrHeader(
  parameter: PlainRecord,
  location: { readonly name: string; readonly pointer: string },
  context: ReadContext,
): Omit<Parameter, "location"> {
  const { schemas, keys } = context;
  const ownSchema = schemas.read(
    findMember(parameter, "schema"),
    joinPointer(location.pointer, "schema"),
    keys,
  );
  // The schema of a parameter with serialized content is under a media type.
  const content = readContents(parameter, location.pointer, context)[0];
  const style = toTrimmedString(findMember(parameter, "style"));
  const explode = findMember(parameter, "explode");
  return {
    name: location.name,
    ...pickDescription(parameter),
    isRequired: findMember(parameter, "required") === true,
    isDeprecated: findMember(parameter, "deprecated") === true,
    schema: ownSchema ?? content?.schema ?? {},
    examples: [
      ...readExamples(parameter, location.pointer, context.references),
      ...(content?.examples ?? []),
    ],
    ...(style === undefined ? {} : { style }),
    ...(typeof explode === "boolean" ? { explode } : {}),
  };
}

/** Reads the media types of a body, a response or a parameter. */
function readContents(holder: PlainRecord, pointer: string, context: ReadContext): Content[] {
  const { schemas, keys, references } = context;
  const basePointer = joinPointer(pointer, "content");
  return listEntries(findMember(holder, "content")).flatMap(([mediaType, value]): Content[] => {
    const location = joinPointer(basePointer, mediaType);
    const media = references.resolve(value, location);
    if (!media) return [];
    const schemaPosition = joinPointer(media.pointer, "schema");
    const schema = schemas.read(findMember(media.value, "schema"), schemaPosition, keys);
    return [
      {
        mediaType,
        ...(schema === undefined ? {} : { schema }),
        examples: readExamples(media.value, media.pointer, references),
      },
    ];
  });
}

/** Reads `example` and the named `examples`. */
function readExamples(holder: PlainRecord, pointer: string, references: References): Example[] {
  const singleExample = findMember(holder, "example");
  const found: Example[] =
    singleExample === undefined ? [] : [{ name: "example", value: singleExample }];
  const basePointer = joinPointer(pointer, "examples");
  for (const [name, value] of listEntries(findMember(holder, "examples"))) {
    const example = references.resolve(value, joinPointer(basePointer, name))?.value;
    const exampleValue = example && readExampleValue(example);
    if (exampleValue === undefined) continue;
    const summary = toTrimmedString(findMember(example, "summary"));
    found.push({
      name,
      ...(summary === undefined ? {} : { summary }),
      ...pickDescription(example),
      ...exampleValue,
    });
  }
  return found;
}

/** Reads the value of a named example. OpenAPI 3.2 calls it `dataValue` or `serializedValue`. */
function readExampleValue(example: PlainRecord): Pick<Example, "value" | "isExternal"> | undefined {
  for (const key of ["value", "dataValue", "serializedValue"]) {
    const value = findMember(example, key);
    if (value !== undefined) return { value };
  }
  const address = toTrimmedString(findMember(example, "externalValue"));
  return address === undefined ? undefined : { value: address, isExternal: true };
}
