import type { FastifyReply, FastifyRequest } from "fastify";
import { OctavoError } from "@octavo/site/core";
import type { Sessions } from "../../people/index.ts";
import type { SignedInUser } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml } from "../safe-html.ts";
import type { Cookie } from "./session-cookie.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The signed-in user. On public pages, it may be undefined. */
    holder: SignedInUser | undefined;
  }
}

export interface SessionOptions {
  readonly sessions: Sessions;
  readonly cookie: Cookie;
  readonly addresses: Addresses;
}

/**
 * Returns an `onRequest` hook that finds the session. It queries the database on every request, so that ending a
 * session takes effect immediately.
 */
export function readSession({ sessions, cookie }: SessionOptions) {
  return async (request: FastifyRequest): Promise<void> => {
    const token = cookie.read(request.headers.cookie);
    if (token === undefined || token === "") return;
    request.holder = await sessions.find(token);
    request.actor = request.holder?.actor;
  };
}

/**
 * Returns an `onRequest` hook that must run after `readSession`. Without a session, it redirects to the sign-in, which
 * then returns to the requested page.
 */
export function requireSession({ addresses }: SessionOptions) {
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> => {
    if (request.holder) return undefined;
    if (isFromOtherSite(request))
      return sendClientRedirect(reply, addresses.fromRoute(request.url));
    const signIn =
      request.method === "GET"
        ? `${addresses.signIn}?next=${encodeURIComponent(request.url)}`
        : addresses.signIn;
    // A partial page cannot show the sign-in, so a request for one redirects the whole page.
    if (request.headers["hx-request"] === "true") {
      return reply.code(204).header("hx-redirect", signIn).send();
    }
    return reply.redirect(signIn, 303);
  };
}

/** Returns the signed-in user. Call it only in routes behind `requireSession`. */
export function getSignedInUser({ holder }: FastifyRequest): SignedInUser {
  if (holder) return holder;
  throw new OctavoError("unauthorized", "Sign in first.");
}

/**
 * Reports whether the request follows a link on another site. Browsers withhold the cookie from such a request even if
 * the user is signed in.
 */
function isFromOtherSite({ method, headers }: FastifyRequest): boolean {
  return (
    method === "GET" && headers.cookie === undefined && headers["sec-fetch-site"] === "cross-site"
  );
}

/**
 * Makes the browser open an address of this site from a page of this site. This is safe because a GET changes nothing.
 */
export function sendClientRedirect(reply: FastifyReply, address: string): FastifyReply {
  const page = safeHtml`<!doctype html>
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
