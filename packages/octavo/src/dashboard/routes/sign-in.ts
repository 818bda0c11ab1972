import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import { formatCount, hasRight, requireRight } from "../../core/index.ts";
import type { DashboardServices } from "../services.ts";
import { parseForm } from "../form.ts";
import { publicPageOptions } from "../page-rights.ts";
import { beginSession, sendClientRedirect } from "../session/sessions.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";
import type { ActorScope, AuditLog, FindOperator } from "../../projects/index.ts";

const SignIn = z.object({
  key: z.string({ error: "Enter an API key." }).trim().max(500, "The API key is too long."),
  next: z.string().optional(),
});
const Query = z.object({ next: z.string().optional().catch(undefined) });

const homePath = "/projects";
/** The limit is higher than for keys, because everyone in an office may share one address. */
const maxFailedCallbacks = 50;
const tooManyKeysReason = "Too many wrong API keys.";
/**
 * The number of a key's characters that identify it in the throttle. They are enough to tell keys apart, but reveal no
 * usable part of the secret.
 */
const throttledPrefixLength = "octavo_".length + 6;

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
    reply.redirect(request.user ? addresses.projects : addresses.signIn, 303),
  );

  app.get("/signin", publicPageOptions, async (request, reply) => {
    const { next } = Query.parse(request.query);
    if (request.user)
      return reply.redirect(addresses.fromRoute(chooseReturnPath(next, homePath)), 303);
    return sendSignIn(services, request, { reply, next });
  });

  app.post("/signin", publicPageOptions, async (request, reply) => {
    const { key, next } = parseForm(SignIn, request.body);
    const caller = await keys.authenticate(key);
    if (!caller) {
      const error = "This API key is not valid. It may be mistyped, unknown, revoked or expired.";
      const { ip: address } = request;
      try {
        throttle.recordFailure([address, key.slice(0, throttledPrefixLength)]);
      } catch (refusal) {
        await refusals.record({ address, reason: tooManyKeysReason, isThrottled: true });
        throw refusal;
      }
      await refusals.record({ address, reason: error });
      return sendSignIn(services, request, { reply: reply.code(401), next, error });
    }
    if (!hasRight(caller, "dashboard.use")) {
      const reason = "The key lacks the scope to sign in to the dashboard.";
      await refusals.record({ address: request.ip, reason, scope: caller });
    }
    requireRight(caller, "dashboard.use");
    await beginSession(services, request, { reply, ...caller });
    return reply.redirect(addresses.fromRoute(chooseReturnPath(next, homePath)), 303);
  });

  app.post("/signout", publicPageOptions, async (request, reply) => {
    const { user } = request;
    if (user) await services.sessions.end(user, user.sessionId);
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
    const { address, sealedAttempt } = await signIns.start(
      next && chooseReturnPath(next, homePath),
    );
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
      return sendClientRedirect(reply, addresses.fromRoute(chooseReturnPath(next, homePath)));
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
    ${providerName !== undefined && renderProviderLink(addresses, view)}
    ${
      providerName === undefined
        ? renderKeyForm(addresses, view)
        : safeHtml`<details ${error !== undefined && "open"}>
            <summary>With an API key</summary>
            ${renderKeyForm(addresses, view)}
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

function renderProviderLink(addresses: Addresses, { next, providerName }: SignInView): SafeHtml {
  const query = next === undefined ? "" : `?next=${encodeURIComponent(next)}`;
  return safeHtml`<a class="button primary" href="${addresses.signInProvider}${query}"
    >Sign in with ${providerName}</a
  >`;
}

function renderKeyForm(addresses: Addresses, { next, error, providerName }: SignInView): SafeHtml {
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

/**
 * The window of the throttle. The throttle only limits the cost of attempts. Keys cannot be guessed, because they have
 * 192 random bits.
 */
const windowMs = 5 * 60 * 1000;
/** The maximum number of entries in one node's memory. The oldest entries are removed first. */
const maxEntries = 10_000;

/** Counts failed sign-ins by subject, e.g. an IP address or the first characters of a key. */
interface SignInThrottle {
  /** Throws `rate_limited` if one of the subjects has too many failures. Does not record a failure. */
  check(subjects: readonly string[]): void;
  /**
   * Records a failure for each subject, e.g. an address or the first characters of a key. Throws `rate_limited` if any
   * subject has too many failures.
   */
  recordFailure(subjects: readonly string[]): void;
}

interface Entry {
  count: number;
  readonly expiresAtMs: number;
}

interface ThrottleOptions {
  /** The advice that follows the sentence about when to try again. */
  readonly advice?: string;
  readonly maxFailures?: number;
  readonly now?: () => number;
}

function createSignInThrottle({
  advice = "A valid key works immediately.",
  maxFailures = 10,
  now = Date.now,
}: ThrottleOptions = {}): SignInThrottle {
  const failures = new Map<string, Entry>();

  function getEntry(subject: string): Entry {
    const entry = failures.get(subject);
    if (entry && entry.expiresAtMs > now()) return entry;
    failures.delete(subject);
    const newEntry = { count: 0, expiresAtMs: now() + windowMs };
    failures.set(subject, newEntry);
    const oldest = failures.keys().next();
    if (failures.size > maxEntries && !oldest.done) failures.delete(oldest.value);
    return newEntry;
  }

  function check(entries: readonly Entry[]): void {
    const fullEntry = entries.find(({ count }) => count >= maxFailures);
    if (fullEntry)
      throw createThrottledError(Math.ceil((fullEntry.expiresAtMs - now()) / 1000), advice);
  }

  return {
    check: (subjects) => check(subjects.flatMap((subject) => failures.get(subject) ?? []).filter(({ expiresAtMs }) => expiresAtMs > now())), // prettier-ignore
    recordFailure(subjects) {
      const entries = subjects.map(getEntry);
      check(entries);
      for (const entry of entries) entry.count++;
    },
  };
}

function createThrottledError(retryAfterSeconds: number, advice: string): OctavoError {
  return new OctavoError(
    "rate_limited",
    `Too many sign-ins failed from this address or with a similar key. Try again in ${Math.ceil(retryAfterSeconds / 60)} minutes. ${advice}`.trim(),
    { details: { retryAfterSeconds } },
  );
}

/** A sign-in that was refused. */
interface RefusedSignIn {
  /** The browser's IP address. */
  readonly address: string;
  /** A message that contains no part of a key. */
  readonly reason: string;
  /** Whether the sign-in was refused because of too many earlier refusals. */
  readonly isThrottled?: boolean;
  /** The holder of a valid key. If omitted, the refusal concerns the organization that runs the service. */
  readonly scope?: ActorScope;
}

/** Records refused sign-ins in the audit log. */
interface RefusalRecorder {
  readonly record: (refused: RefusedSignIn) => Promise<void>;
  /** Ends the window and records the number of its refusals that were not recorded individually, if there are any. */
  readonly flush: () => Promise<void>;
}

interface RefusalOptions {
  readonly audit: Pick<AuditLog, "record">;
  readonly findOperator: FindOperator;
  /** Receives the error if the timer at the end of a window fails to write the record. */
  readonly onError: (error: unknown) => void;
  readonly now?: () => number;
}

/** The maximum numbers of records per window, so that refused sign-ins cannot fill the log or the database. */
const maxRecords = { perAddress: 10, perNode: 50 };
const maxReasonLength = 300;

/**
 * Returns a recorder. It records each refusal of an address, up to ten per window and up to fifty for all addresses,
 * and one throttled sign-in per address and window. At the end of the window, one record contains the number of the
 * remaining refusals.
 */
export function createRefusalRecorder(options: RefusalOptions): RefusalRecorder {
  const { audit, findOperator, onError, now = Date.now } = options;
  let currentWindow = openWindow(now());

  async function writeRecord(refused: RefusedSignIn, details: Readonly<Record<string, unknown>>) {
    const organizationId = refused.scope?.organizationId ?? (await findOperator());
    if (organizationId === undefined) return;
    const target = { id: refused.address, name: refused.address };
    const scope = { organizationId, actor: refused.scope?.actor };
    await audit.record(scope, { action: "session.refused", target, details });
  }

  async function flush(): Promise<void> {
    const { refusals, addresses, since, timer } = currentWindow.rest;
    clearTimeout(timer);
    currentWindow = openWindow(now());
    if (refusals === 0) return;
    const attempts = formatCount(refusals, "more sign-in");
    const sources = formatCount(addresses.size, "address", "addresses");
    const reason = `Refused ${attempts} from ${sources}, which are not recorded individually.`;
    const details = { reason, refusals, addresses: addresses.size, since: since.toISOString() };
    await writeRecord({ address: "several addresses", reason }, details);
  }

  return {
    flush,
    async record(refused) {
      const { address, isThrottled = false } = refused;
      if (currentWindow.until <= now()) await flush();
      const count = currentWindow.counts.get(address) ?? 0;
      const isFull = currentWindow.total >= maxRecords.perNode || count >= maxRecords.perAddress;
      if (
        isThrottled
          ? currentWindow.throttled.has(address) || currentWindow.total >= maxRecords.perNode
          : isFull
      ) {
        countUnrecorded(currentWindow, address);
        currentWindow.rest.timer ??= setTimeout(
          () => void flush().catch(onError),
          windowMs,
        ).unref();
        return;
      }
      currentWindow.total += 1;
      currentWindow.counts.set(address, count + 1);
      if (isThrottled) currentWindow.throttled.add(address);
      const reason = refused.reason.slice(0, maxReasonLength).toWellFormed();
      await writeRecord(refused, { address, reason });
    },
  };
}

function openWindow(startMs: number) {
  const unrecorded = {
    refusals: 0,
    addresses: new Set<string>(),
    since: new Date(startMs),
    timer: undefined as NodeJS.Timeout | undefined,
  };
  const counts = new Map<string, number>();
  return {
    until: startMs + windowMs,
    total: 0,
    counts,
    throttled: new Set<string>(),
    rest: unrecorded,
  };
}

function countUnrecorded({ rest }: ReturnType<typeof openWindow>, address: string): void {
  rest.refusals += 1;
  if (rest.addresses.size < maxEntries) rest.addresses.add(address);
}
