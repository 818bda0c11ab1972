import type { ApiResponse, Body, Parameter, Server } from "./api-subject.ts";
import type { ReadContext } from "./common-parts.ts";
import type { OperationSource } from "./operations.ts";
import { toArray, listEntries, findMember, toTrimmedString } from "./plain-value.ts";
import { joinPointer } from "./pointer.ts";
import type { Located, References } from "./document.ts";

/** Reads the parts that differ between OpenAPI 3 and Swagger 2.0. Invalid parts are reported and omitted. */
export interface Dialect {
  /** Returns the servers of the operation or, if it has none, of its path or the document. */
  readServers(source: OperationSource, root: unknown): readonly Server[];
  readRequest(source: OperationSource, context: ReadContext): RequestParts;
  readAllResponses(source: OperationSource, context: ReadContext): readonly ApiResponse[];
}

interface RequestParts {
  /** The parameters of the path and the operation, one for each name and location. */
  readonly parameters: readonly Parameter[];
  readonly body?: Body | undefined;
}

/** Reads the responses of an operation. `read` adds the parts that depend on the dialect. */
export function readResponses(
  { entry, operation }: OperationSource,
  { references }: ReadContext,
  read: (response: Located) => Omit<ApiResponse, "status">,
): ApiResponse[] {
  const basePointer = joinPointer(entry.pointer, "responses");
  return listEntries(findMember(operation, "responses")).flatMap(
    ([status, value]): ApiResponse[] => {
      const isExtension = status.startsWith("x-");
      const response = isExtension
        ? undefined
        : references.resolve(value, joinPointer(basePointer, status));
      return response ? [{ status, ...read(response) }] : [];
    },
  );
}

/** Reads the headers of a response. `read` reads one header. */
export function readHeaders(
  { value, pointer }: Located,
  { references }: ReadContext,
  read: (header: Located, name: string) => Omit<Parameter, "location">,
): Omit<Parameter, "location">[] {
  const basePointer = joinPointer(pointer, "headers");
  return listEntries(findMember(value, "headers")).flatMap(([name, header]) => {
    const located = references.resolve(header, joinPointer(basePointer, name));
    return located ? [read(located, name)] : [];
  });
}

/** A parameter with its `name` and `in`. */
export interface LocatedParameter<ParameterLocation extends string> extends Located {
  readonly name: string;
  readonly location: ParameterLocation;
}

/**
 * Returns the parameters of an operation and of its path. A parameter of the operation replaces the path's parameter
 * with the same name and location. Parameters in a location other than `locations` are reported and omitted.
 */
export function locateParameters<ParameterLocation extends string>(
  { entry, operation, item }: OperationSource,
  references: References,
  locations: readonly ParameterLocation[],
): LocatedParameter<ParameterLocation>[] {
  const found = new Map<string, LocatedParameter<ParameterLocation>>();
  const holders = [
    [item.value, item.pointer],
    [operation, entry.pointer],
  ] as const;
  for (const [holder, pointer] of holders) {
    const basePointer = joinPointer(pointer, "parameters");
    for (const [index, value] of toArray(findMember(holder, "parameters")).entries()) {
      const located = references.resolve(value, joinPointer(basePointer, index));
      if (!located) continue;
      const parameter = readNameAndPosition(located, locations);
      if (parameter) found.set(`${parameter.location} ${parameter.name}`, parameter);
      else
        references.document.warn(
          "description_value_invalid",
          formatParameterFault(locations),
          located.pointer,
        );
    }
  }
  return [...found.values()];
}

function readNameAndPosition<ParameterLocation extends string>(
  located: Located,
  locations: readonly ParameterLocation[],
): LocatedParameter<ParameterLocation> | undefined {
  const name = toTrimmedString(findMember(located.value, "name"));
  const writtenPosition = findMember(located.value, "in");
  const location = locations.find((known) => known === writtenPosition);
  return name === undefined || location === undefined ? undefined : { ...located, name, location };
}

function formatParameterFault(locations: readonly string[]): string {
  const locationList = `${locations.slice(0, -1).join(", ")} or ${locations.at(-1) ?? ""}`;
  return `A parameter needs a "name", and "in" with ${locationList}; this one is omitted.`;
}
