import type { FastifyReply, FastifyRequest } from "fastify";
import { OctavoError } from "@octavo/site/core";
import type { Actor } from "../../core/index.ts";
import type { Sessions } from "../../people/index.ts";
import type { SignedInUser } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml } from "../safe-html.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The signed-in user. On public pages, it may be undefined. */
    user: SignedInUser | undefined;
  }
}

interface SessionOptions {
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
    request.user = await sessions.find(token);
    request.actor = request.user?.actor;
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
    if (request.user) return undefined;
    if (isFromOtherSite(request))
      return sendClientRedirect(reply, addresses.fromRoute(request.url));
    const signIn =
      request.method === "GET"
        ? `${addresses.signIn}?next=${encodeURIComponent(request.url)}`
        : addresses.signIn;
    // A partial page cannot show the sign-in, so a request for a partial page redirects the whole page.
    if (request.headers["hx-request"] === "true") {
      return reply.code(204).header("hx-redirect", signIn).send();
    }
    return reply.redirect(signIn, 303);
  };
}

/** Returns the signed-in user. Call it only in routes behind `requireSession`. */
export function getSignedInUser({ user }: FastifyRequest): SignedInUser {
  if (user) return user;
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

interface CookieOptions {
  /** The name of the cookie, e.g. `octavo` for the session's cookie. */
  readonly name: string;
  /** Whether the service is reached over https. */
  readonly isSecure: boolean;
  /** `Lax` is for a cookie that must be sent when the user follows a link on another site. */
  readonly sameSite: "Strict" | "Lax";
  readonly maxAgeSeconds: number;
}

/** A cookie that scripts cannot read. */
export interface Cookie {
  /** Returns the `Set-Cookie` header that sets the cookie. */
  set(value: string): string;
  /** Returns the `Set-Cookie` header that removes the cookie. */
  remove(): string;
  /** Returns the cookie's value from a request's `Cookie` header. */
  read(header: string | undefined): string | undefined;
}

export function createCookie(options: CookieOptions): Cookie {
  const { isSecure, sameSite, maxAgeSeconds } = options;
  // Browsers accept a cookie with this prefix only from the host itself, over https, and for the path `/`.
  const name = isSecure ? `__Host-${options.name}` : options.name;
  const attributes = `; Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? "; Secure" : ""}`;
  return {
    set: (value) => `${name}=${value}; Max-Age=${maxAgeSeconds}${attributes}`,
    remove: () => `${name}=; Max-Age=0${attributes}`,
    read: (header) => readCookie(header ?? "", name),
  };
}

function readCookie(header: string, name: string): string | undefined {
  for (const pair of header.split(";")) {
    const separatorIndex = pair.indexOf("=");
    if (separatorIndex > 0 && pair.slice(0, separatorIndex).trim() === name)
      return pair.slice(separatorIndex + 1).trim();
  }
  return undefined;
}

interface NewSession {
  readonly reply: FastifyReply;
  readonly organizationId: string;
  readonly actor: Actor;
}

/** Begins a new session and ends the browser's previous one. An existing session is never reused. */
export async function beginSession(
  { sessions, cookie }: Pick<SessionOptions, "sessions" | "cookie">,
  request: FastifyRequest,
  { reply, organizationId, actor }: NewSession,
): Promise<void> {
  const { user, ip: address } = request;
  if (user) await sessions.end(user, user.sessionId);
  const browser = request.headers["user-agent"] ?? "";
  const token = await sessions.begin({ organizationId, actor, address, browser });
  request.actor = actor;
  reply.header("set-cookie", cookie.set(token));
}
