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
import { findMember } from "./plain-value.ts";
import { joinPointer } from "./pointer.ts";

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
      ...pickDescription(response.value),
      headers: readHeaders(response, context, ({ value, pointer }, name) =>
        readParameterOrHeader(value, { name, pointer }, context),
      ),
      contents: readContents(response.value, response.pointer, context),
    }));
  },
};

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
