import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { isOctavoError } from "@octavo/site/core";
import { hasRight, requireRight } from "../../core/index.ts";
import type { DashboardServices } from "../services.ts";
import { parseForm } from "../form.ts";
import { publicPageOptions } from "../page-rights.ts";
import { beginSession, sendClientRedirect } from "../session/sessions.ts";
import {
  createRefusalRecorder,
  createSignInThrottle,
  type RefusalRecorder,
} from "../session/sign-in-throttle.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";

const SignIn = z.object({
  key: z.string({ error: "Enter an API key." }).trim().max(500, "The API key is too long."),
  next: z.string().optional(),
});
const Query = z.object({ next: z.string().optional().catch(undefined) });

const home = "/projects";
/** A person may fail more often than a program that guesses: people of one office share an address. */
const maxFailedCallbacks = 50;
const tooManyKeys = "Too many wrong API keys.";
/**
 * The number of a key's characters that are logged. They are enough to tell keys apart, but reveal no usable part of
 * the secret.
 */
const prefixLength = "octavo_".length + 6;

export function addSignInPages(app: FastifyInstance, services: DashboardServices): void {
  const { keys, addresses } = services;
  const throttle = createSignInThrottle();
  const { findOperator } = services.operator;
  const refusals = createRefusalRecorder({
    audit: services.audit,
    findOperator,
    onError: (err) => app.log.error({ err }, "Refused sign-ins could not be recorded"),
  });
  app.addHook("onClose", () => refusals.flush());

  app.get("/", publicPageOptions, async (request, reply) =>
    reply.redirect(request.holder ? addresses.projects : addresses.signIn, 303),
  );

  app.get("/signin", publicPageOptions, async (request, reply) => {
    const { next } = Query.parse(request.query);
    if (request.holder)
      return reply.redirect(addresses.fromRoute(chooseReturnPath(next, home)), 303);
    return sendSignIn(services, request, { reply, next });
  });

  app.post("/signin", publicPageOptions, async (request, reply) => {
    const { key, next } = parseForm(SignIn, request.body);
    const caller = await keys.authenticate(key);
    if (!caller) {
      const error = "This API key is not valid. It may be mistyped, unknown, revoked or expired.";
      const { ip: address } = request;
      try {
        throttle.recordFailure([address, key.slice(0, prefixLength)]);
      } catch (refusal) {
        await refusals.record({ address, reason: tooManyKeys, isThrottled: true });
        throw refusal;
      }
      await refusals.record({ address, reason: error });
      return sendSignIn(services, request, { reply: reply.code(401), next, error });
    }
    if (!hasRight(caller, "dashboard.use")) {
      const reason = "The key lacks the scope to sign in to the dashboard.";
      await refusals.record({ address: request.ip, reason, by: caller });
    }
    requireRight(caller, "dashboard.use");
    await beginSession(services, request, { reply, ...caller });
    return reply.redirect(addresses.fromRoute(chooseReturnPath(next, home)), 303);
  });

  app.post("/signout", publicPageOptions, async (request, reply) => {
    const { holder } = request;
    if (holder) await services.sessions.end(holder, holder.sessionId);
    return reply.header("set-cookie", services.cookie.remove()).redirect(addresses.signIn, 303);
  });

  addProviderPages(app, services, refusals);
}

/** Adds the sign-in with the provider: the redirect to the provider and the return from it. */
function addProviderPages(
  app: FastifyInstance,
  services: DashboardServices,
  refusals: RefusalRecorder,
): void {
  const { signIns, attemptCookie, addresses, toErrorResponse } = services;
  if (!signIns) return;
  const throttle = createSignInThrottle({ advice: "", maxFailures: maxFailedCallbacks });

  // The sign-in is a link, not a form, because the pages' policy allows forms to lead only to this site.
  app.get("/signin/provider", publicPageOptions, async (request, reply) => {
    const { next } = Query.parse(request.query);
    const { address, sealedAttempt } = await signIns.start(next && chooseReturnPath(next, home));
    return reply.header("set-cookie", attemptCookie.set(sealedAttempt)).redirect(address, 303);
  });

  app.get("/signin/callback", publicPageOptions, async (request, reply) => {
    reply.header("set-cookie", attemptCookie.remove());
    const query = request.url.split("?")[1] ?? "";
    try {
      throttle.check([request.ip]);
      const sealedAttempt = attemptCookie.read(request.headers.cookie);
      const { person, next } = await signIns.finish(sealedAttempt, query);
      await beginSession(services, request, { reply, ...person });
      // A redirect would not work, because browsers withhold the session's cookie from navigation that another site
      // started.
      return sendClientRedirect(reply, addresses.fromRoute(chooseReturnPath(next, home)));
    } catch (error) {
      const { status, headers, body } = toErrorResponse(error);
      if (status >= 500) request.log.error({ err: error }, "A sign-in failed");
      if (isOctavoError(error, "forbidden")) {
        await refusals.record({ address: request.ip, reason: error.message });
        throttle.recordFailure([request.ip]);
      } else if (isOctavoError(error, "rate_limited")) {
        const refused = { address: request.ip, reason: "Too many refused sign-ins." };
        await refusals.record({ ...refused, isThrottled: true });
      }
      reply.code(status).headers(headers);
      return sendSignIn(services, request, { reply, next: undefined, error: body.error });
    }
  });
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
  return sendPage(request, reply, { title: "Sign in", main: renderSignInPage(addresses, view) });
}

/**
 * Reports whether the request came through a proxy that the operator does not trust. All users of such a proxy seem to
 * have its address.
 */
function hasUntrustedProxy({ headers, ip, socket }: FastifyRequest): boolean {
  return headers["x-forwarded-for"] !== undefined && ip === socket.remoteAddress;
}

const maxPathLength = 2000;

/**
 * Returns the page to open after signing in: `next` if it is a path on this service, otherwise `fallback`. Never
 * returns an address that a browser could resolve to another host (`//host`, `/\host`, `/.//host`).
 */
function chooseReturnPath(next: string | undefined, fallback: string): string {
  if (next === undefined || next.length > maxPathLength || !next.startsWith("/")) return fallback;
  const url = URL.parse(next, "http://own.invalid");
  if (url?.origin !== "http://own.invalid") return fallback;
  const path = url.pathname + url.search;
  return path.startsWith("//") ? fallback : path;
}

interface SignInView {
  /** The requested page, which is opened after signing in. */
  readonly next: string | undefined;
  /** The reason why the last attempt failed. */
  readonly error?: string | undefined;
  /** The name of the sign-in provider; undefined if people can sign in only with keys. */
  readonly providerName: string | undefined;
  /** Whether requests come through a proxy that is not trusted. */
  readonly hasUntrustedProxy: boolean;
}

function renderSignInPage(addresses: Addresses, view: SignInView): SafeHtml {
  const { error, providerName, hasUntrustedProxy } = view;
  return safeHtml`<div class="sign-in card">
    <h1>Sign in</h1>
    ${error !== undefined && safeHtml`<p class="notice danger" id="key-error" role="alert">${error}</p>`}
    ${providerName !== undefined && providerLink(addresses, view)}
    ${
      providerName === undefined
        ? keyForm(addresses, view)
        : safeHtml`<details ${error !== undefined && "open"}>
            <summary>With an API key</summary>
            ${keyForm(addresses, view)}
          </details>`
    }
    ${
      hasUntrustedProxy &&
      safeHtml`<p class="faint">
        This request came through a proxy that <code>OCTAVO_TRUST_PROXY</code> does not name, so all
        of its users share one address.
      </p>`
    }
  </div>`;
}

function providerLink(addresses: Addresses, { next, providerName }: SignInView): SafeHtml {
  const query = next === undefined ? "" : `?next=${encodeURIComponent(next)}`;
  return safeHtml`<a class="button primary" href="${addresses.signInProvider}${query}"
    >Sign in with ${providerName}</a
  >`;
}

function keyForm(addresses: Addresses, { next, error, providerName }: SignInView): SafeHtml {
  return safeHtml`<p class="soft">
      Use an API key of your organization. The first key is in the file <code>admin-key</code> in
      the service's data folder. After you sign in, you can create more on the <em>API keys</em> page.
    </p>
    <form method="post" action="${addresses.signIn}">
      ${next !== undefined && safeHtml`<input type="hidden" name="next" value="${next}" />`}
      <label for="key">API key</label>
      <input
        id="key"
        name="key"
        type="password"
        required
        ${providerName === undefined && "autofocus"}
        autocomplete="current-password"
        autocapitalize="off"
        spellcheck="false"
        placeholder="octavo_…"
        maxlength="500"
        ${error !== undefined && safeHtml`aria-invalid="true" aria-describedby="key-error"`}
      />
      <button class="${providerName === undefined && "primary"}" type="submit">Sign in</button>
    </form>`;
}
