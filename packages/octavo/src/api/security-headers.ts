import type { FastifyRequest, FastifyReply } from "fastify";

/** The policy of API responses. They are data, so no page may run or frame them or load anything through them. */
const apiPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** The policy of the manual, in addition to the one in each of its pages. */
export const manualPolicy = [
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join("; ");

/** Sets the headers of every response before anything can fail. A route may override the policy. */
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
