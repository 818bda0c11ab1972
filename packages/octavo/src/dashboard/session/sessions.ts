import type { FastifyReply, FastifyRequest } from "fastify";
import { OctavoError } from "@octavo/site/core";
import type { KeyHolder, Keys } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { html } from "../html.ts";
import type { SessionCookie } from "./session-cookie.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Who is signed in; undefined on pages that anybody may see. */
    holder: KeyHolder | undefined;
  }
}

export interface SessionOptions {
  readonly keys: Keys;
  readonly cookie: SessionCookie;
  readonly addresses: Addresses;
}

/** An `onRequest` hook: asks the database each time, so a session ends with its key. */
export function readSession({ keys, cookie }: SessionOptions) {
  return async (request: FastifyRequest): Promise<void> => {
    const keyId = cookie.read(request.headers.cookie);
    if (keyId !== undefined) request.holder = await keys.findHolder(keyId);
  };
}

/** An `onRequest` hook after `readSession`: to the sign-in, and back from there, where nobody is signed in. */
export function requireSession({ addresses }: SessionOptions) {
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> => {
    if (request.holder) return undefined;
    if (isFromOtherSite(request)) return sendAgain(request, reply, addresses);
    const signIn =
      request.method === "GET"
        ? `${addresses.signIn}?next=${encodeURIComponent(request.url)}`
        : addresses.signIn;
    // A part of a page cannot show the sign-in: the whole page goes there.
    if (request.headers["hx-request"] === "true") {
      return reply.code(204).header("hx-redirect", signIn).send();
    }
    return reply.redirect(signIn, 303);
  };
}

/** Who is signed in, in a route behind `requireSession`. */
export function holderOf({ holder }: FastifyRequest): KeyHolder {
  if (holder) return holder;
  throw new OctavoError("unauthorized", "Sign in first.");
}

/** A link on another site leads here: browsers then keep the cookie back, though somebody may be signed in. */
function isFromOtherSite({ method, headers }: FastifyRequest): boolean {
  return (
    method === "GET" && headers.cookie === undefined && headers["sec-fetch-site"] === "cross-site"
  );
}

/** The same address once more, this time from this site. A GET changes nothing, whoever led here. */
function sendAgain(request: FastifyRequest, reply: FastifyReply, addresses: Addresses) {
  const address = addresses.fromRoute(request.url);
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>Octavo</title>
        <meta http-equiv="refresh" content="0; url=${address}" />
      </head>
      <body>
        <p><a href="${address}">Continue</a></p>
      </body>
    </html>`;
  return reply.type("text/html; charset=utf-8").send(page.toString());
}
