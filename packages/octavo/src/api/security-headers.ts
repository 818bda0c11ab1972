import type { FastifyRequest, FastifyReply } from "fastify";

/** An answer of the API is data: no page may run it, frame it or load anything by it. */
const apiPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** What the pages of `/docs` need: their own scripts and styles, and pictures inside of styles. */
export const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** On every answer, before anything else can fail; a route may set its own policy over them. */
export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({
    "x-request-id": request.id,
    "content-security-policy": apiPolicy,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
  });
}
