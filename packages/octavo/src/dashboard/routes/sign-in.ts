import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { DashboardServices } from "../services.ts";
import { requireRight } from "../../core/index.ts";
import { readForm } from "../form.ts";
import { pageForEveryone } from "../page-rights.ts";
import { signInPage } from "../pages/sign-in.ts";
import type { SignInView } from "../pages/sign-in.ts";
import { returnPath } from "../session/return-path.ts";
import { createSignInThrottle } from "../session/sign-in-throttle.ts";

const SignIn = z.object({
  key: z.string({ error: "Enter an API key." }).trim().max(500, "This is too long for an API key."),
  next: z.string().optional(),
});
const Query = z.object({ next: z.string().optional().catch(undefined) });

const home = "/projects";

export function addSignInPages(app: FastifyInstance, services: DashboardServices): void {
  const { keys, audit, cookie, addresses, sendPage } = services;
  const throttle = createSignInThrottle();

  function sendSignIn(request: FastifyRequest, reply: FastifyReply, view: SignInView) {
    return sendPage(request, reply, { title: "Sign in", main: signInPage(addresses, view) });
  }

  app.get("/", pageForEveryone, async (request, reply) =>
    reply.redirect(request.holder ? addresses.projects : addresses.signIn, 303),
  );

  app.get("/signin", pageForEveryone, async (request, reply) => {
    const { next } = Query.parse(request.query);
    if (request.holder) return reply.redirect(addresses.fromRoute(returnPath(next, home)), 303);
    return sendSignIn(request, reply, { next });
  });

  app.post("/signin", pageForEveryone, async (request, reply) => {
    throttle.check(request.ip);
    const { key, next } = readForm(SignIn, request.body);
    const caller = await keys.authenticate(key);
    if (!caller) {
      throttle.recordFailure(request.ip);
      const error = "This API key is not valid: it is mistyped, unknown, revoked or expired.";
      return sendSignIn(request, reply.code(401), { next, error });
    }
    requireRight(caller, "dashboard.use");
    const target = { id: caller.keyId, name: caller.actor.name };
    await audit.record(caller, { action: "session.started", target });
    return reply
      .header("set-cookie", cookie.begin(caller.keyId))
      .redirect(addresses.fromRoute(returnPath(next, home)), 303);
  });

  app.post("/signout", pageForEveryone, async (_request, reply) =>
    reply.header("set-cookie", cookie.end()).redirect(addresses.signIn, 303),
  );
}
