import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { sha256 } from "@octavo/site/core";
import {
  createMemory,
  createSiteToken,
  createSlots,
  verifyPassword,
  parseSiteToken,
} from "../core/index.ts";
import type { ParsedSiteToken } from "../core/index.ts";
import type { SiteAccess } from "./live-sites.ts";
import { escapeText } from "./page-edits.ts";
import { formatPath, parseRequestTarget } from "./request-path.ts";
import type { RequestTarget } from "./request-path.ts";
import { commonHeaders, sendText } from "./send-text.ts";

type ClosedAccess = Extract<SiteAccess, { kind: "closed" }>;

/** A request with any method for a closed site. */
interface GateRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly access: ClosedAccess;
  /** The requested host name. */
  readonly host: string;
  readonly target: RequestTarget;
  /** The address of the reader. */
  readonly address: string;
}

/** The check that lets readers into closed sites. */
interface Gate {
  /**
   * Returns true if the reader may read the site. Otherwise responds to the request without revealing what the site
   * contains, and returns false.
   */
  pass(gate: GateRequest): Promise<boolean>;
}

const openPath = "_octavo/open";
const sessionCookie = "__Host-octavo-site";
const stateCookie = "__Host-octavo-state";
const dayMs = 24 * 60 * 60_000;
/** The prefix of a session's state if a link opened the session. */
const linkPrefix = "link ";
/** The time for which a browser stays signed in after the correct password. */
const passwordSessionMs = 7 * dayMs;
/** The time for which a member stays signed in. Afterward, the dashboard signs the member in again without a click. */
const memberSessionMs = 60 * 60_000;
const stateCookieSeconds = 600;
const maxFormBytes = 8 * 1024;
/** The maximum number of wrong passwords from one address within `attemptWindowMs`. */
const maxAttempts = 10;
const attemptWindowMs = 10 * 60_000;
/** The maximum number of concurrent password checks, each of which uses 32 MB. */
const maxConcurrentChecks = 2;
const maxWaitingChecks = 50;

export function createGate(): Gate {
  const attempts = createMemory<number>(attemptWindowMs);
  /** Members' tokens that were used. Each token opens a site only once. */
  const usedTokens = createMemory<true>(dayMs);
  const checkSlots = createSlots(maxConcurrentChecks);
  let waitingCount = 0;

  async function checkPassword(
    gate: GateRequest,
    password: string,
  ): Promise<SessionGrant | Refusal> {
    const { access, host, address } = gate;
    const key = `${host} ${address}`;
    const count = attempts.get(key) ?? 0;
    if (count >= maxAttempts || waitingCount >= maxWaitingChecks) {
      return { status: 429, text: "There were too many attempts. Try again in a few minutes." };
    }
    // Count the attempt before the check, so that concurrent attempts count, too.
    attempts.set(key, count + 1);
    waitingCount += 1;
    const { passwordHash = "" } = access;
    const isCorrect = await checkSlots
      .run(async () => verifyPassword(password, passwordHash))
      .finally(() => (waitingCount -= 1));
    if (!isCorrect) return { status: 401, text: "The password is incorrect." };
    attempts.delete(key);
    return { state: describePassword(access), expiresAt: new Date(Date.now() + passwordSessionMs) };
  }

  function checkToken(
    { access, host, request }: GateRequest,
    text: string,
  ): SessionGrant | Refusal {
    const token = parseSiteToken(access.secret, text);
    const refusal = { status: 403, text: "The link has expired. Ask for another one." } as const;
    if (!token || token.host !== host) return refusal;
    if (token.use === "link") {
      if (!access.links.has(token.state)) return refusal;
      return { state: `${linkPrefix}${token.state}`, expiresAt: token.expiresAt };
    }
    const state = readCookie(request, stateCookie);
    const isRequested = state !== undefined && hashState(state) === token.state;
    if (token.use !== "member" || !isRequested || usedTokens.get(token.id)) {
      return { status: 403, text: "You could not be signed in. Open the page again." };
    }
    usedTokens.set(token.id, true);
    return { state: "member", expiresAt: new Date(Date.now() + memberSessionMs) };
  }

  return {
    async pass(gate) {
      const { request, response, target, host, access } = gate;
      response.setHeader("Cache-Control", "private, no-store");
      response.setHeader("X-Robots-Tag", "noindex");
      const path = target.path?.names.join("/");
      if (isSignIn(request, target)) {
        const form = await readForm(request);
        const to = cleanPath(form?.get("to"));
        const isOwnForm = isSameOrigin(request, host) && access.passwordHash !== undefined;
        const password = form?.get("password");
        if (!isOwnForm || typeof password !== "string") {
          const sentence = "This form was not sent from this site. Open the page again.";
          sendText(request, response, { status: 400, text: sentence });
          return false;
        }
        answerGrant(gate, await checkPassword(gate, password), to);
        return false;
      }
      if (path === openPath && request.method === "GET") {
        const query = new URLSearchParams(target.query);
        const grant = checkToken(gate, query.get("token") ?? "");
        answerGrant(gate, grant, cleanPath(query.get("to")));
        return false;
      }
      const token = parseSiteToken(access.secret, readCookie(request, sessionCookie) ?? "");
      if (token && isValidSession(token, access, host)) return true;
      refuse(gate);
      return false;
    },
  };
}

/** Reports whether a request submits the form with which a reader opens a closed site. */
export function isSignIn({ method }: IncomingMessage, { path }: RequestTarget): boolean {
  return method === "POST" && path?.names.join("/") === openPath;
}

/** How a session was opened, and when it expires. */
interface SessionGrant {
  readonly state: string;
  readonly expiresAt: Date;
}

interface Refusal {
  readonly status: 401 | 403 | 429;
  readonly text: string;
}

function answerGrant(gate: GateRequest, grant: SessionGrant | Refusal, to: string): void {
  const { request, response, access, host } = gate;
  if ("status" in grant) {
    if (grant.status === 429) response.setHeader("Retry-After", attemptWindowMs / 1_000);
    if (grant.status === 403) sendText(request, response, grant);
    else sendSignIn(gate, { to, status: grant.status, problem: grant.text });
    return;
  }
  const seconds = Math.floor((grant.expiresAt.getTime() - Date.now()) / 1_000);
  const token = createSiteToken(access.secret, { use: "session", host, ...grant });
  response.setHeader("Set-Cookie", formatCookie(sessionCookie, token, seconds));
  response.setHeader("Location", to);
  sendText(request, response, { status: 303, text: "The site is open." });
}

/** Reports whether the link, membership or password that opened a session still gives access to the site. */
function isValidSession(token: ParsedSiteToken, access: ClosedAccess, host: string): boolean {
  if (token.use !== "session" || token.host !== host) return false;
  if (token.state.startsWith(linkPrefix)) {
    return access.links.has(token.state.slice(linkPrefix.length));
  }
  if (token.state === "member") return access.signInUrl !== undefined;
  return access.passwordHash !== undefined && token.state === describePassword(access);
}

/** Returns an identifier of the password, so that changing the password ends the sessions that it opened. */
function describePassword({ passwordHash = "" }: ClosedAccess): string {
  return `password ${sha256(passwordHash).slice(0, 16)}`;
}

/**
 * Responds to a reader who has not opened the site. Only a browser that requests a page is offered a way to sign in.
 */
function refuse(gate: GateRequest): void {
  const { request, response, access, target } = gate;
  const isBrowser = request.method === "GET" && /\btext\/html\b/.test(request.headers.accept ?? "");
  const canOpen = access.passwordHash !== undefined || access.signInUrl !== undefined;
  if (!isBrowser || !canOpen) {
    sendText(request, response, { status: 404, text: "There is no such page." });
    return;
  }
  const to = cleanPath(target.raw);
  if (access.passwordHash !== undefined) {
    sendSignIn(gate, { to, status: 401, problem: undefined });
    return;
  }
  response.setHeader("Location", createSignInUrl(gate, to) ?? "/");
  sendText(request, response, { status: 302, text: "Sign in to read this site." });
}

/**
 * Returns the address at which a member signs in. Also sets a cookie to which the resulting token is bound, so that the
 * token works only in this browser.
 */
function createSignInUrl(
  { request, response, access, host }: GateRequest,
  to: string,
): string | undefined {
  if (access.signInUrl === undefined) return undefined;
  const state = readCookie(request, stateCookie) ?? randomBytes(24).toString("base64url");
  response.setHeader("Set-Cookie", formatCookie(stateCookie, state, stateCookieSeconds));
  const url = new URL(access.signInUrl);
  for (const [name, value] of Object.entries({ host, state: hashState(state), to })) {
    url.searchParams.set(name, value);
  }
  return url.href;
}

function hashState(state: string): string {
  return sha256(state).slice(0, 32);
}

function sendSignIn(
  gate: GateRequest,
  {
    to,
    status,
    problem,
  }: { readonly to: string; readonly status: number; readonly problem: string | undefined },
): void {
  const { response, access } = gate;
  const hasPassword = access.passwordHash !== undefined;
  const page = renderSignInPage({ to, hasPassword, signInUrl: createSignInUrl(gate, to), problem });
  response.writeHead(status, {
    ...commonHeaders,
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": Buffer.byteLength(page),
    "Content-Security-Policy": signInPolicy,
  });
  response.end(page);
}

/** Returns the text as a path of the site with its query, or the root path if the text could lead elsewhere. */
function cleanPath(text: string | null | undefined): string {
  const { path, query } = parseRequestTarget((text ?? "/").split("#", 1)[0] ?? "");
  if (!path || path.names.join("/") === openPath) return "/";
  const address = formatPath(path.names, path.isFolder);
  return address + query.replace(/[^\x21-\x7e]/gu, encodeURIComponent);
}

/** Reports whether a form was sent by a page of the site itself, according to the `Origin` header if there is one. */
function isSameOrigin({ headers }: IncomingMessage, host: string): boolean {
  const { origin } = headers;
  return origin === undefined || URL.parse(origin)?.hostname === host;
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers["content-type"] ?? ""))
    return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxFormBytes) return undefined;
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString());
}

function readCookie({ headers }: IncomingMessage, name: string): string | undefined {
  for (const pair of (headers.cookie ?? "").split(";")) {
    const [key = "", value] = pair.trim().split("=", 2);
    if (key === name) return value;
  }
  return undefined;
}

/** Formats a cookie that is sent only to this host and is hidden from scripts. */
function formatCookie(name: string, value: string, seconds: number): string {
  return `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${seconds}`;
}

interface SignInPage {
  /** The path that opens after the reader has signed in. */
  readonly to: string;
  readonly hasPassword: boolean;
  /** The address at which members sign in. */
  readonly signInUrl: string | undefined;
  /** The reason why the last attempt failed. */
  readonly problem: string | undefined;
}

/** The sign-in page's content security policy: the page loads nothing and cannot be framed. */
const signInPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const styles = `:root{color-scheme:light dark;--line:light-dark(#d4d4d8,#3f3f46);--ink:light-dark(#18181b,#fafafa);--soft:light-dark(#52525b,#a1a1aa);--page:light-dark(#fafafa,#09090b);--card:light-dark(#fff,#18181b)}
*{box-sizing:border-box}body{display:grid;min-height:100vh;margin:0;padding:1.25rem;place-items:center;background:var(--page);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
main{width:100%;max-width:24rem;padding:2rem;border:1px solid var(--line);border-radius:.75rem;background:var(--card)}
h1{margin:0;font-size:1.25rem;line-height:1.3}p{margin:.5rem 0 0;color:var(--soft)}form{margin-top:1.25rem}label{font-size:.875rem;font-weight:500}
input,button{width:100%;min-height:2.75rem;padding:.5rem .75rem;border:1px solid var(--line);border-radius:.5rem;font:inherit}input{margin-top:.25rem;background:var(--page);color:inherit}
button{margin-top:1rem;border-color:var(--ink);background:var(--ink);color:var(--card);font-weight:500;cursor:pointer}:focus-visible{outline:2px solid light-dark(#2563eb,#60a5fa);outline-offset:2px}
a{color:var(--ink)}p[role=alert]{color:light-dark(#b91c1c,#fca5a5)}`;

/** Renders the page on which readers open a closed site. */
function renderSignInPage({ to, hasPassword, signInUrl, problem }: SignInPage): string {
  const alert = problem === undefined ? "" : `<p role="alert">${escapeText(problem)}</p>`;
  const hint = hasPassword ? "<p>Enter the password to read it.</p>" : "";
  const form = `<form method="post" action="/_octavo/open"><input type="hidden" name="to" value="${escapeText(to)}"><label>Password<input type="password" name="password" required autofocus autocomplete="current-password"></label><button>Open</button></form>`;
  const link =
    signInUrl === undefined
      ? ""
      : `<p><a href="${escapeText(signInUrl)}">Sign in as a member</a></p>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>This site is protected</title><style>${styles}</style></head><body><main><h1>This site is protected</h1>${hint}${alert}${hasPassword ? form : ""}${link}</main></body></html>\n`;
}
