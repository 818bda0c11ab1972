import { setTimeout as wait } from "node:timers/promises";
import type { z } from "zod";
import { OctavoError, isOctavoError, type ErrorCode } from "@octavo/site/core";
import { redactSecrets, tryParseJson } from "../core/index.ts";
import type { GuardedFetch } from "../net/index.ts";

export interface RestClientOptions {
  readonly fetch: GuardedFetch;
  /** The API's address, without a trailing slash. */
  readonly apiUrl: string;
  /** The headers of every request, with the login. */
  readonly headers: Readonly<Record<string, string>>;
  /** The host's name for people, such as `GitLab`. */
  readonly hostLabel: string;
  /** The repository's name in messages. */
  readonly shown: string;
  /** The rights that a token needs, as the host names them. */
  readonly neededRights: string;
  readonly secrets: readonly string[];
  /** The maximum time that a call waits for a rate limit. After that, it throws `rate_limited`. */
  readonly maxWaitSeconds: number;
  /** The unit of waits between attempts. In production, it is a second. */
  readonly waitUnitMs: number;
}

type QueryValue = string | number | boolean;

export interface RestRequest {
  readonly method?: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** The path below the API's address, percent-encoded. */
  readonly path: string;
  /** The values of a list are parameters of the same name. */
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[]>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** Whether the request must not be sent again after a failure, because it would be carried out twice. */
  readonly isOnce?: boolean;
}

/** A successful response. */
export interface RestReply {
  readonly data: unknown;
  readonly headers: Headers;
}

/** Sends requests to the JSON API of a code host. Throws the errors of `CodeHost`. */
export type RestClient = (request: RestRequest) => Promise<RestReply>;

/** The number of attempts after the first, with waits of 1 and 4 units before them. */
const retries = 2;
/** The time to wait if a host reports a rate limit without a time. */
const fallbackSeconds = 60;
const maxMessageLength = 300;

export function createRestClient(options: RestClientOptions): RestClient {
  return async (request) => {
    for (let attempt = 0; ; attempt++) {
      const canRepeat = attempt < retries;
      const outcome = await send(options, request);
      if (!("failure" in outcome)) return outcome;
      const { failure, waitSeconds, isTemporary } = outcome;
      const { signal, isOnce = false } = request;
      if (waitSeconds !== undefined) {
        // The host did not carry out a request that a limit refused, so every request may be sent again.
        if (!canRepeat || waitSeconds > options.maxWaitSeconds) throw failure;
        await pause(waitSeconds * options.waitUnitMs, signal);
      } else {
        if (!canRepeat || !isTemporary || isOnce) throw failure;
        await pause((attempt + 1) ** 2 * options.waitUnitMs, signal);
      }
    }
  };
}

/** Waits without keeping the process running: a connection that callers share is opened without their signals. */
async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await wait(milliseconds, undefined, { ref: false, ...(signal && { signal }) });
}

interface Failed {
  readonly failure: OctavoError;
  /** When the host's rate limit ends. */
  readonly waitSeconds?: number;
  readonly isTemporary: boolean;
}

async function send(options: RestClientOptions, request: RestRequest): Promise<RestReply | Failed> {
  const { fetch, apiUrl, hostLabel, shown } = options;
  const { method = "GET", path, body, signal } = request;
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${apiUrl}${path}${formatQuery(request)}`, {
      method,
      headers: {
        ...options.headers,
        accept: "application/json",
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      ...(signal && { signal }),
    });
    text = await response.text();
  } catch (error) {
    if (!isOctavoError(error, "unavailable")) throw error;
    return { failure: error, isTemporary: true };
  }
  const { status, headers } = response;
  const data = tryParseJson(text);
  if (status >= 200 && status < 300 && (data !== undefined || text === "")) {
    return { data, headers };
  }
  const waitSeconds = readLimit(status, headers);
  if (waitSeconds !== undefined) {
    const failure = new OctavoError(
      "rate_limited",
      `${hostLabel}'s rate limit for ${shown} is reached; try again in ${waitSeconds} seconds.`,
      { details: { retryAfterSeconds: waitSeconds } },
    );
    return { failure, waitSeconds, isTemporary: true };
  }
  const words = formatServerMessage(readMessage(data), options.secrets);
  const [code, sentence] = describeFailure(status, words, options);
  const cause = new Error(`${hostLabel} responded with ${status}: ${words}`);
  return { failure: new OctavoError(code, sentence, { cause }), isTemporary: status >= 500 };
}

function formatQuery({ query = {} }: RestRequest): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) parameters.append(name, String(one));
  }
  return parameters.size === 0 ? "" : `?${parameters.toString()}`;
}

/** Returns the message of an error response. Hosts write it as a text, a list, or lists by field. */
function readMessage(data: unknown): string {
  const { message, error, error_description } = (data ?? {}) as Record<string, unknown>;
  const found = error_description ?? message ?? error ?? "no words";
  return typeof found === "string" ? found : JSON.stringify(found);
}

function readLimit(status: number, headers: Headers): number | undefined {
  if (status !== 429) return undefined;
  const after = Number(headers.get("retry-after"));
  if (after > 0) return Math.ceil(after);
  const reset = Number(headers.get("ratelimit-reset"));
  return reset > 0 ? Math.max(1, Math.ceil(reset - Date.now() / 1000)) : fallbackSeconds;
}

function describeFailure(
  status: number,
  words: string,
  { hostLabel, shown, neededRights }: RestClientOptions,
): [code: ErrorCode, sentence: string] {
  switch (status) {
    case 401:
      return [
        "forbidden",
        `${hostLabel} does not accept the project's token for ${shown}, because it is wrong, expired or revoked. Set a new token in the project.`,
      ];
    case 403:
      return [
        "forbidden",
        `${hostLabel} does not allow the project's token to do this in ${shown}. It needs ${neededRights}. (${words})`,
      ];
    case 404:
    case 410:
      return [
        "not_found",
        `${hostLabel} did not find this in ${shown}: it does not exist, or the project's token has no access.`,
      ];
    case 400:
    case 422:
      return ["invalid_input", `${hostLabel} rejected this request for ${shown}: ${words}`];
    case 405:
    case 409:
    case 412:
    case 423:
      return ["conflict", `${hostLabel} refused this request for ${shown}: ${words}`];
    default:
      return [
        "unavailable",
        status < 300
          ? describeForeignReply(hostLabel)
          : `${hostLabel} returned an unexpected response for ${shown} (${status}). Try again later.`,
      ];
  }
}

/** Returns a server's message as one short line without secrets. */
export function formatServerMessage(words: string, secrets: readonly string[]): string {
  return redactSecrets(words, secrets)
    .replaceAll(/\p{Cc}+/gu, " ")
    .slice(0, maxMessageLength);
}

/** Parses a response. Throws `unavailable` if the response does not come from the code host. */
export function readReply<T>(schema: z.ZodType<T>, data: unknown, hostLabel: string): T {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  throw new OctavoError("unavailable", describeForeignReply(hostLabel), { cause: result.error });
}

function describeForeignReply(hostLabel: string): string {
  return `The response does not come from ${hostLabel}. Check the address of the project's repository.`;
}

/** Matches the address of the last page in the header `Link`. */
const lastPage = /[?&]page=(\d{1,7})[^<>]*>; rel="last"/;

/** Returns the items of the last two pages of a list that a host sorts by time, oldest first. */
export async function readNewest<Item>(
  readPage: (page: number) => Promise<{ items: Item[]; link: string | null | undefined }>,
): Promise<Item[]> {
  const first = await readPage(1);
  const last = Number(lastPage.exec(first.link ?? "")?.[1] ?? 1);
  const found = last > 2 ? [] : first.items;
  for (const page of [last - 1, last].filter((number) => number > 1)) {
    found.push(...(await readPage(page)).items);
  }
  return found;
}
