import { OctavoError } from "@octavo/site/core";
import { findDestination, refuseDestination } from "../core/index.ts";
import type { AllowList } from "../core/index.ts";
import { createGuardedFetch } from "../net/index.ts";
import type { ResolveHostName } from "../net/index.ts";

interface ProviderFetchOptions {
  /** The only address that may be contacted. */
  readonly baseUrl: string;
  /** For messages: the provider, and the setting with its address. */
  readonly label: string;
  readonly urlVariable: string;
  readonly allow: AllowList;
  readonly resolve?: ResolveHostName | undefined;
  /** The longest time without a byte from the server. */
  readonly idleTimeoutMs: number;
  readonly maxResponseBytes: number;
}

/**
 * Creates a `fetch` for one provider. It reaches only `baseUrl`, does not follow redirects, and streams responses.
 * Failures are OctavoErrors as in `GuardedFetch`: `unavailable` if another attempt may help, `invalid_input` for
 * settings that cannot work. An aborted request rejects with the signal's reason.
 */
export function createProviderFetch(options: ProviderFetchOptions): typeof globalThis.fetch {
  const { label, urlVariable, allow, idleTimeoutMs, maxResponseBytes } = options;
  const base = readBaseUrl(options);
  const ask = createGuardedFetch({
    allow,
    resolve: options.resolve,
    idleTimeoutMs,
    maxResponseBytes,
    maxRedirects: 0,
    bodies: "streamed",
    subject: { label, source: urlVariable },
  });
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== base.origin || !url.pathname.startsWith(`${trimmed(base.pathname)}/`)) {
      throw new OctavoError("internal", `${label} may not be contacted at ${url.origin}.`);
    }
    const { body, headers, method, signal } = init;
    if (body !== undefined && body !== null && typeof body !== "string") {
      throw new TypeError("A request to a model must have a text body.");
    }
    try {
      const sent = { method, headers: Object.fromEntries(new Headers(headers)), body, signal };
      return await checkAnswer(await ask(url, sent), options);
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
  };
}

/** Throws `invalid_input` for an address that could never be reached, before any request is sent. */
function readBaseUrl({ baseUrl, urlVariable, allow }: ProviderFetchOptions): URL {
  const url = URL.parse(baseUrl);
  const isPlain = url !== null && url.username + url.password + url.search + url.hash === "";
  const place = isPlain ? findDestination(url) : undefined;
  if (!url || !place) {
    throw unusable(
      `${urlVariable} must be an https address without user, query or fragment, e.g. https://models.example.com/v1.`,
    );
  }
  const refusal = refuseDestination(place, allow);
  if (refusal !== undefined) throw unusable(`${urlVariable} is refused: ${refusal}`);
  return url;
}

/** Throws `invalid_input` for a response that cannot come from a model's API. */
async function checkAnswer(response: Response, options: ProviderFetchOptions): Promise<Response> {
  const problem = findProblem(response, options);
  if (problem === undefined) return response;
  await response.body?.cancel();
  throw unusable(problem);
}

function findProblem(
  { status, headers }: Response,
  { label, urlVariable }: ProviderFetchOptions,
): string | undefined {
  if (status >= 300 && status < 400) {
    return `${label} answers with a redirect, which is not followed: set ${urlVariable} to the address where it leads.`;
  }
  const encoding = headers.get("content-encoding") ?? "identity";
  const isPage = status < 300 && headers.get("content-type")?.startsWith("text/html") === true;
  if (encoding === "identity" && !isPage) return undefined;
  const facts = JSON.stringify(isPage ? "text/html" : encoding.slice(0, 50));
  return `${label} did not send a valid API response (status ${status}, ${facts}). Check ${urlVariable}.`;
}

function trimmed(path: string): string {
  return path.replace(/\/+$/, "");
}

function unusable(message: string): OctavoError {
  return new OctavoError("invalid_input", message);
}
