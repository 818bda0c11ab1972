import type { FastifyReply, FastifyRequest } from "fastify";

/**
 * Responds to a request whose precondition fails (RFC 9110, 13): 412 if `If-Match` does not match the resource's
 * current entity tag, 304 if `If-None-Match` matches it. Returns undefined if the caller should serve the request.
 * Always sets the `ETag` header.
 */
export function checkPreconditions(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  tag: string,
): FastifyReply | undefined {
  reply.header("etag", tag);
  const ifMatch = headers["if-match"];
  if (ifMatch !== undefined && !matchesEntityTag(ifMatch, (entry) => entry === tag)) {
    const error = "The resource does not match If-Match; its current ETag is in this response.";
    return reply.code(412).send({ error });
  }
  const ifNoneMatch = headers["if-none-match"];
  const isUnchanged =
    ifNoneMatch !== undefined &&
    matchesEntityTag(ifNoneMatch, (entry) => entry.replace(/^W\//, "") === tag);
  return isUnchanged ? reply.code(304).send() : undefined;
}

function matchesEntityTag(header: string, isTag: (entry: string) => boolean): boolean {
  return header.trim() === "*" || header.split(",").some((entry) => isTag(entry.trim()));
}
