import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { requireRight } from "../../core/index.ts";
import type { Actor } from "../../core/index.ts";
import type { DashboardServices } from "../services.ts";
import { readForm } from "../form.ts";
import { pageForEveryone } from "../page-rights.ts";
import { signInPage } from "../pages/sign-in.ts";
import type { SignInView } from "../pages/sign-in.ts";
import { returnPath } from "../session/return-path.ts";
import { sendAgain } from "../session/sessions.ts";
import { createSignInThrottle } from "../session/sign-in-throttle.ts";

const SignIn = z.object({
  key: z.string({ error: "Enter an API key." }).trim().max(500, "This is too long for an API key."),
  next: z.string().optional(),
});
const Query = z.object({ next: z.string().optional().catch(undefined) });

const home = "/projects";
/** Of a key: enough to tell keys apart, and no part of the secret that a log should not have. */
const prefixLength = "octavo_".length + 6;

export function addSignInPages(app: FastifyInstance, services: DashboardServices): void {
  const { keys, addresses } = services;
  const throttle = createSignInThrottle();

  app.get("/", pageForEveryone, async (request, reply) =>
    reply.redirect(request.holder ? addresses.projects : addresses.signIn, 303),
  );

  app.get("/signin", pageForEveryone, async (request, reply) => {
    const { next } = Query.parse(request.query);
    if (request.holder) return reply.redirect(addresses.fromRoute(returnPath(next, home)), 303);
    return sendSignIn(services, request, { reply, next });
  });

  app.post("/signin", pageForEveryone, async (request, reply) => {
    const { key, next } = readForm(SignIn, request.body);
    const caller = await keys.authenticate(key);
    if (!caller) {
      throttle.recordFailure([request.ip, key.slice(0, prefixLength)]);
      const error = "This API key is not valid: it is mistyped, unknown, revoked or expired.";
      return sendSignIn(services, request, { reply: reply.code(401), next, error });
    }
    requireRight(caller, "dashboard.use");
    await beginSession(services, request, { reply, ...caller });
    return reply.redirect(addresses.fromRoute(returnPath(next, home)), 303);
  });

  app.post("/signout", pageForEveryone, async (request, reply) => {
    const { holder } = request;
    if (holder) await services.sessions.end(holder, holder.sessionId);
    return reply.header("set-cookie", services.cookie.remove()).redirect(addresses.signIn, 303);
  });

  addProviderPages(app, services);
}

/** A sign-in with the provider: there and back. */
function addProviderPages(app: FastifyInstance, services: DashboardServices): void {
  const { signIns, attemptCookie, addresses, toErrorResponse } = services;
  if (!signIns) return;

  // By a link and not by a form: the pages' policy lets forms lead to this site alone.
  app.get("/signin/provider", pageForEveryone, async (request, reply) => {
    const { next } = Query.parse(request.query);
    const { address, kept } = await signIns.start(next && returnPath(next, home));
    return reply.header("set-cookie", attemptCookie.set(kept)).redirect(address, 303);
  });

  app.get("/signin/callback", pageForEveryone, async (request, reply) => {
    reply.header("set-cookie", attemptCookie.remove());
    const query = request.url.split("?")[1] ?? "";
    try {
      const kept = attemptCookie.read(request.headers.cookie);
      const { person, next } = await signIns.finish(kept, query);
      await beginSession(services, request, { reply, ...person });
      // Not a redirect: browsers withhold the session's cookie from what another site led to.
      return sendAgain(reply, addresses.fromRoute(returnPath(next, home)));
    } catch (error) {
      const { status, headers, body } = toErrorResponse(error);
      if (status >= 500) request.log.error({ err: error }, "A sign-in failed");
      reply.code(status).headers(headers);
      return sendSignIn(services, request, { reply, next: undefined, error: body.error });
    }
  });
}

interface NewSession {
  readonly reply: FastifyReply;
  readonly organizationId: string;
  readonly actor: Actor;
}

/** Always a new one, whatever the browser came with; the one that it had ends. */
async function beginSession(
  { sessions, cookie }: DashboardServices,
  request: FastifyRequest,
  { reply, organizationId, actor }: NewSession,
): Promise<void> {
  const { holder, ip: address } = request;
  if (holder) await sessions.end(holder, holder.sessionId);
  const browser = request.headers["user-agent"] ?? "";
  const token = await sessions.begin({ organizationId, actor, address, browser });
  request.actor = actor;
  reply.header("set-cookie", cookie.set(token));
}

function sendSignIn(
  { addresses, signIns, sendPage }: DashboardServices,
  request: FastifyRequest,
  { reply, next, error }: Pick<SignInView, "next" | "error"> & { readonly reply: FastifyReply },
) {
  const view: SignInView = {
    next,
    error,
    providerName: signIns?.providerName,
    hasUntrustedProxy: hasUntrustedProxy(request),
  };
  return sendPage(request, reply, { title: "Sign in", main: signInPage(addresses, view) });
}

/** A proxy that the operator does not trust: all who come through it have its address. */
function hasUntrustedProxy({ headers, ip, socket }: FastifyRequest): boolean {
  return headers["x-forwarded-for"] !== undefined && ip === socket.remoteAddress;
}
