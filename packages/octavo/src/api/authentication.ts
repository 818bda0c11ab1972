import type { FastifyRequest } from "fastify";
import { OctavoError } from "@octavo/site/core";
import type { Caller, Keys } from "../projects/index.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The authenticated caller, set before any other hook or handler of a route that requires a key. */
    caller: Caller;
  }
}

/** Returns an `onRequest` hook that responds with 401 unless the request carries a valid key. */
export function requireKey(keys: Keys): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const key = readBearerToken(request.headers.authorization);
    if (key === undefined) {
      throw new OctavoError(
        "unauthorized",
        "This call requires an API key. Send it in the header `Authorization: Bearer octavo_...`.",
      );
    }
    const caller = await keys.authenticate(key);
    if (!caller) {
      throw new OctavoError(
        "unauthorized",
        "The API key is not valid: it is mistyped, unknown, revoked or expired. Create a new one on the " +
          "dashboard's API keys page or with `octavo keys`.",
      );
    }
    request.caller = caller;
    request.actor = caller.actor;
  };
}

/** Returns the token in an `Authorization` header, or undefined if the header is missing or has a different scheme. */
export function readBearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S{1,500}) *$/i.exec(header ?? "")?.[1];
}
