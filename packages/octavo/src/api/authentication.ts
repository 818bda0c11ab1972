import type { FastifyRequest } from "fastify";
import { OctavoError } from "@octavo/site/core";
import type { Caller, Keys } from "../projects/index.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The authenticated caller. Set before any handler or hook of a route that requires a key. */
    caller: Caller;
  }
}

/** An `onRequest` hook: 401 unless the request carries a valid key. */
export function requireKey(keys: Keys): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const key = bearerOf(request.headers.authorization);
    if (key === undefined) {
      throw new OctavoError(
        "unauthorized",
        "This call requires an API key: send it in the header `Authorization: Bearer octavo_...`.",
      );
    }
    const caller = await keys.authenticate(key);
    if (!caller) {
      throw new OctavoError(
        "unauthorized",
        "The API key is not valid: it is mistyped, unknown or revoked. Create one on the dashboard's " +
          "API keys page or with `octavo keys`.",
      );
    }
    request.caller = caller;
  };
}

/** What a request's `Authorization` header bears; undefined for another scheme, or none. */
export function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer +(\S{1,500}) *$/i.exec(header ?? "")?.[1];
}
