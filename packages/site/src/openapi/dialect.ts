import type { ReadContext } from "./common-parts.ts";
import type { ApiResponse, Body, Parameter, Server } from "./endpoint.ts";
import type { OperationSource } from "./operations.ts";
import { entriesOf, memberOf } from "./plain-value.ts";
import { pointerTo } from "./pointer.ts";
import type { Located } from "./references.ts";

/** Reads what OpenAPI 3 and Swagger 2.0 write in different ways. Invalid parts are reported and omitted. */
export interface Dialect {
  /** The operation's own, else its path's, else the document's. */
  servers(source: OperationSource, root: unknown): readonly Server[];
  request(source: OperationSource, context: ReadContext): RequestParts;
  responses(source: OperationSource, context: ReadContext): readonly ApiResponse[];
}

export interface RequestParts {
  /** Those of the path and of the operation, without duplicates of name and place. */
  readonly parameters: readonly Parameter[];
  readonly body?: Body | undefined;
}

/** The responses of an operation, without what `read` adds. */
export function readResponses(
  { entry, operation }: OperationSource,
  { references }: ReadContext,
  read: (response: Located) => Omit<ApiResponse, "status">,
): ApiResponse[] {
  const at = pointerTo(entry.pointer, "responses");
  return entriesOf(memberOf(operation, "responses")).flatMap(([status, value]): ApiResponse[] => {
    const isExtension = status.startsWith("x-");
    const response = isExtension ? undefined : references.resolve(value, pointerTo(at, status));
    return response ? [{ status, ...read(response) }] : [];
  });
}

/** The headers of a response, each as `read` reads it. */
export function readHeaders(
  { value, pointer }: Located,
  { references }: ReadContext,
  read: (header: Located, name: string) => Omit<Parameter, "place">,
): Omit<Parameter, "place">[] {
  const at = pointerTo(pointer, "headers");
  return entriesOf(memberOf(value, "headers")).flatMap(([name, header]) => {
    const located = references.resolve(header, pointerTo(at, name));
    return located ? [read(located, name)] : [];
  });
}
