import { formatInlineCode } from "../text/index.ts";
import {
  pickDescription,
  readContents,
  readParameterOrHeader,
  readServers,
  type ReadContext,
} from "./common-parts.ts";
import {
  locateParameters,
  readHeaders,
  readResponses,
  type Dialect,
  type LocatedParameter,
} from "./dialect.ts";
import type { Body, Parameter } from "./api-subject.ts";
import type { OperationSource } from "./operations.ts";
import { findDescription, findMember, listEntries, toTrimmedString } from "./plain-value.ts";
import { joinPointer } from "./pointer.ts";
import type { Located } from "./references.ts";

const parameterLocations = ["path", "query", "header", "cookie"] as const;

/** OpenAPI 3.0 and 3.1. */
export const openApiDialect: Dialect = {
  servers({ operation, item }, root) {
    const lists = [operation, item.value, root].map((holder) =>
      readServers(findMember(holder, "servers")),
    );
    return lists.find((list) => list.length > 0) ?? [];
  },
  request(source, context) {
    // Read the body first, so that schemas of parameters are omitted if a page has no space for all schemas.
    const body = readBody(source, context);
    const parameters = locateParameters(source, context.references, parameterLocations);
    return { body, parameters: parameters.map((parameter) => readParameter(parameter, context)) };
  },
  responses(source, context) {
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
  const at = joinPointer(pointer, "links");
  const items = listEntries(findMember(value, "links")).flatMap(([name, entry]) => {
    const link = references.resolve(entry, joinPointer(at, name));
    return link ? [formatLink(name, link.value)] : [];
  });
  const parts = [findDescription(value) ?? "", items.join("\n")].filter((part) => part !== "");
  return parts.length === 0 ? {} : { description: parts.join("\n\n") };
}

/** Formats an operation that readers may call next, and which values of the response it gets. */
function formatLink(name: string, link: unknown): string {
  const target =
    toTrimmedString(findMember(link, "operationId")) ??
    toTrimmedString(findMember(link, "operationRef"));
  const given: readonly (readonly [string, unknown])[] = [
    ...listEntries(findMember(link, "parameters")),
    ["body", findMember(link, "requestBody")],
  ];
  const values = given.flatMap(([key, value]) => {
    if (value === undefined) return [];
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return [`${formatInlineCode(key)} = ${formatInlineCode(text)}`];
  });
  const called = [...(target === undefined ? [] : [formatInlineCode(target)]), ...values];
  const start = `- **${formatInlineCode(name)}**${called.length === 0 ? "" : ` → ${called.join(", ")}`}`;
  const description = findDescription(link);
  if (description === undefined) return start;
  return description.includes("\n")
    ? `${start}\n\n  ${description.replaceAll("\n", "\n  ")}`
    : `${start}: ${description}`;
}

function readParameter(
  { value, pointer, name, place }: LocatedParameter<Parameter["place"]>,
  context: ReadContext,
): Parameter {
  const parameter = readParameterOrHeader(value, { name, pointer }, context);
  return { ...parameter, place, isRequired: parameter.isRequired || place === "path" };
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
