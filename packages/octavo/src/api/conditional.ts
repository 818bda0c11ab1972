import type { FastifyReply, FastifyRequest } from "fastify";

/**
 * Answers a request whose condition does not hold (RFC 9110, 13): 412 where `If-Match` does not name the resource as
 * it is, 304 where `If-None-Match` does. Undefined if the request is to be served. Sets the resource's entity tag.
 */
export function answerCondition(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  tag: string,
): FastifyReply | undefined {
  reply.header("etag", tag);
  const wanted = headers["if-match"];
  if (wanted !== undefined && !namesEntity(wanted, (entry) => entry === tag)) {
    const error = "The resource is not as If-Match says; its ETag is that of this response.";
    return reply.code(412).send({ error });
  }
  const known = headers["if-none-match"];
  const isKnown =
    known !== undefined && namesEntity(known, (entry) => entry.replace(/^W\//, "") === tag);
  return isKnown ? reply.code(304).send() : undefined;
}

function namesEntity(header: string, isTag: (entry: string) => boolean): boolean {
  return header.trim() === "*" || header.split(",").some((entry) => isTag(entry.trim()));
}
