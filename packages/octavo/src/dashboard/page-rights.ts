import type { FastifyRequest } from "fastify";
import { requireRight } from "../core/index.ts";
import type { Right } from "../core/index.ts";
import { getSignedInUser } from "./session/sessions.ts";

/** Hides pages from the API's OpenAPI document. */
const schema = { hide: true } as const;

/** Returns the route options of a page or action that requires a right. */
export function createPageOptions<Name extends Right>(right: Name) {
  return { schema, config: { right } };
}

/** The route options of a page that requires no session. */
export const publicPageOptions = { schema, config: { right: "public" } } as const;

/** A `preHandler` hook for routes behind `requireSession`. Throws `forbidden` unless the user has the right. */
export async function requirePageRight(request: FastifyRequest): Promise<void> {
  const { right } = request.routeOptions.config;
  if (right !== undefined && right !== "public") requireRight(getSignedInUser(request), right);
}
