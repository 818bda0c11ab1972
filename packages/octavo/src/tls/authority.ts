import { OctavoError } from "@octavo/site/core";
import { parseRetryAfter } from "../core/index.ts";
import type { GuardedFetch } from "../net/index.ts";
import { Client, crypto } from "./acme-client.bundled.ts";

const challengeTypes = ["http-01", "tls-alpn-01"] as const;
type ChallengeType = (typeof challengeTypes)[number];

/** A certificate with its private key, both as PEM. */
export interface Certificate {
  readonly key: string;
  /** The certificate, followed by the certificates of its authorities. */
  readonly chain: string;
}

/** The response that proves to an authority that the service controls a host. */
export type Challenge =
  | { readonly type: "http-01"; readonly token: string; readonly answer: string }
  | ({ readonly type: "tls-alpn-01" } & Certificate);

/** An account at an authority. */
export interface AcmeAccount {
  /** The private key, as PEM. */
  readonly key: string;
  /** The account's URL at the authority; null until the account exists. */
  readonly url: string | null;
}

interface AuthorityOptions {
  readonly directoryUrl: string;
  readonly challengeType: ChallengeType;
  /** The address to which the authority may send email; undefined if there is none. */
  readonly email: string | undefined;
  readonly fetch: GuardedFetch;
}

/** An ACME authority (RFC 8555). */
export interface Authority {
  readonly directoryUrl: string;
  /** Creates a key for a new account. */
  createAccountKey(): Promise<string>;
  /** Returns the URL of the account. Creates the account if it does not exist. */
  openAccount(account: AcmeAccount): Promise<string>;
  /**
   * Orders a certificate. Calls `publish` with each challenge. `publish` resolves once all nodes answer the challenge.
   * Throws `rate_limited` with `details.retryAfterMs` if the authority asks to retry later, and `unavailable` for all
   * other refusals.
   */
  order(
    account: AcmeAccount,
    name: string,
    publish: (challenge: Challenge) => Promise<void>,
  ): Promise<Certificate>;
}

/** The number of polls of an order or challenge, and the delays between them in milliseconds. */
const pollOptions = { backoffAttempts: 12, backoffMin: 500, backoffMax: 8_000 };

export function createAuthority(options: AuthorityOptions): Authority {
  const { directoryUrl, challengeType, email } = options;
  const openClient = ({ key, url }: AcmeAccount): Client => {
    const account = url === null ? {} : { accountUrl: url };
    const client = new Client({ directoryUrl, accountKey: key, ...pollOptions, ...account });
    // The library's own requests would bypass the address checks, and would wait for hours if the authority asked for
    // that.
    (client as unknown as LibraryInternals).http.request = createRequest(options.fetch);
    return client;
  };
  return {
    directoryUrl,
    createAccountKey: async () => (await crypto.createPrivateEcdsaKey()).toString(),
    async openAccount(account) {
      const client = openClient(account);
      const contact = email === undefined ? [] : [`mailto:${email}`];
      await client.createAccount({ termsOfServiceAgreed: true, contact });
      return client.getAccountUrl();
    },
    async order(account, name, publish) {
      try {
        const client = openClient(account);
        const order = await client.createOrder({ identifiers: [{ type: "dns", value: name }] });
        for (const authorization of await client.getAuthorizations(order)) {
          if (authorization.status === "valid") continue;
          const challenge = authorization.challenges.find(({ type }) => type === challengeType);
          if (!challenge)
            throw new Error(`The authority does not offer the challenge ${challengeType}.`);
          const answer = await client.getChallengeKeyAuthorization(challenge);
          if (challengeType === "http-01") {
            await publish({ type: challengeType, token: challenge.token, answer });
          } else {
            const key = await crypto.createPrivateEcdsaKey();
            const [, chain] = await crypto.createAlpnCertificate(authorization, answer, key);
            await publish({ type: challengeType, key: key.toString(), chain: chain.toString() });
          }
          await client.completeChallenge(challenge);
          await client.waitForValidStatus(challenge);
        }
        const key = await crypto.createPrivateEcdsaKey();
        const [, request] = await crypto.createCsr({ altNames: [name] }, key);
        const finalized = await client.finalizeOrder(order, request);
        return { key: key.toString(), chain: await client.getCertificate(finalized) };
      } catch (error) {
        throw createOrderError(error, name);
      }
    },
  };
}

/** The part of the library's client that sends all requests. The library's types do not declare it. */
interface LibraryInternals {
  readonly http: { request: LibraryRequest };
}

type LibraryRequest = (
  url: string,
  method: string,
  options?: { readonly data?: unknown },
) => Promise<{
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly data: unknown;
}>;

function createRequest(send: GuardedFetch): LibraryRequest {
  return async (url, method, { data } = {}) => {
    const response = await send(url, {
      method: method.toUpperCase(),
      headers: { "content-type": "application/jose+json", "user-agent": "octavo" },
      body: data === undefined ? null : JSON.stringify(data),
    });
    const { status } = response;
    if (status === 429 || status === 503) {
      const retryAfterMs = parseRetryAfter(response.headers.get("retry-after"), Date.now());
      throw new OctavoError(
        "rate_limited",
        `The authority asked Octavo to wait (HTTP ${status}).`,
        {
          details: { retryAfterMs },
        },
      );
    }
    const text = await response.text();
    const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "");
    const headers = Object.fromEntries(response.headers.entries());
    return { status, headers, data: isJson && text !== "" ? JSON.parse(text) : text };
  };
}

/** The maximum length of an authority's reason that is quoted in a message. */
const maxReasonLength = 400;

function createOrderError(cause: unknown, name: string): OctavoError {
  const reason = (cause instanceof Error ? cause.message : String(cause)).slice(0, maxReasonLength);
  const isRateLimited = cause instanceof OctavoError && cause.code === "rate_limited";
  return new OctavoError(
    isRateLimited ? "rate_limited" : "unavailable",
    `The authority did not issue a certificate for ${name}: ${reason}`,
    { cause, ...(isRateLimited && { details: cause.details }) },
  );
}
