import { OctavoError, isOctavoError } from "@octavo/site/core";
import type { AllowList } from "../core/index.ts";
import { createGuardedFetch } from "../net/index.ts";
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from "./openid-client.bundled.ts";
import type { Configuration } from "./openid-client.bundled.ts";
import { normalizeEmailAddress } from "./email-address.ts";

/** A person's identity that a provider reported. */
export interface Identity {
  readonly issuer: string;
  /** The provider's identifier, which it never reassigns. */
  readonly subject: string;
  /** The email address in lower case. Null unless the provider says that the address is verified. */
  readonly email: string | null;
  readonly name: string;
  readonly groups: readonly string[];
}

/** The secret state that a browser keeps between the start and the end of a sign-in. */
interface SignInAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** An OpenID Connect provider, used with the code flow, PKCE, state and nonce. */
interface OpenIdProvider {
  /** Returns the provider's URL for signing in. Throws `unavailable`. */
  start(): Promise<{ readonly address: string; readonly attempt: SignInAttempt }>;
  /**
   * Exchanges the code in the returned query for an identity. Throws `forbidden` if the code does not belong to the
   * attempt or the provider refuses the code. Throws `unavailable` if the provider does not respond correctly.
   */
  finish(query: string, attempt: SignInAttempt): Promise<Identity>;
}

export interface OpenIdOptions {
  /** The issuer, exactly as in the provider's discovery document. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The scopes that are requested in addition to `openid`, separated by spaces. */
  readonly scope: string;
  /** Returns the only URL to which providers may redirect people. */
  readonly callbackUrl: () => string;
  readonly allow: AllowList;
}

const maxResponseBytes = 1024 * 1024;
const requestTimeoutMs = 15_000;

export function createOpenIdProvider(options: OpenIdOptions): OpenIdProvider {
  const { issuer, scope, callbackUrl } = options;
  let pendingConfiguration: Promise<Configuration> | undefined;

  /** Returns the provider's configuration, which is loaded once. After a failure, it is loaded again. */
  function loadConfiguration(): Promise<Configuration> {
    pendingConfiguration ??= fetchConfiguration(options).catch((error: unknown) => {
      pendingConfiguration = undefined;
      throw createUnavailableError(issuer, error);
    });
    return pendingConfiguration;
  }

  return {
    async start() {
      const verifier = randomPKCECodeVerifier();
      const attempt = { state: randomState(), nonce: randomNonce(), verifier };
      const url = buildAuthorizationUrl(await loadConfiguration(), {
        redirect_uri: callbackUrl(),
        scope: `openid ${scope}`,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      });
      return { address: url.href, attempt };
    },

    async finish(query, { state, nonce, verifier }) {
      const config = await loadConfiguration();
      const url = new URL(callbackUrl());
      url.search = query;
      try {
        const tokens = await authorizationCodeGrant(config, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        const subject = claims?.sub ?? "";
        const info = await fetchUserInfo(config, tokens.access_token, subject);
        return toIdentity(issuer, subject, { ...claims, ...info });
      } catch (cause) {
        if (isOctavoError(cause)) throw cause;
        throw createRefusedError(cause);
      }
    },
  };
}

async function fetchConfiguration(options: OpenIdOptions): Promise<Configuration> {
  const url = new URL(options.issuer);
  const send = createGuardedFetch({
    allow: options.allow,
    maxResponseBytes,
    timeoutMs: requestTimeoutMs,
  });
  // The settings accept plain http only for addresses on this machine.
  const execute = url.protocol === "http:" ? [allowInsecureRequests] : [];
  const { clientId, clientSecret } = options;
  return await discovery(url, clientId, clientSecret, undefined, {
    execute,
    [customFetch]: (address, { method, headers, body, signal }) =>
      send(address, { method, headers, body: toBody(body), signal }),
  });
}

/** Converts a request body to text. The client library sends forms as `URLSearchParams`. */
function toBody(body: unknown): string | null {
  if (body instanceof URLSearchParams) return body.toString();
  return typeof body === "string" ? body : null;
}

function toIdentity(
  issuer: string,
  subject: string,
  claims: Readonly<Record<string, unknown>>,
): Identity {
  const { email, email_verified: isVerified, name, preferred_username: login, groups } = claims;
  const emailText = typeof email === "string" && isVerified === true ? email : "";
  const verifiedEmail = normalizeEmailAddress(emailText) ?? null;
  const names = [name, login, verifiedEmail, subject];
  return {
    issuer,
    subject,
    email: verifiedEmail,
    name: String(names.find((text) => typeof text === "string" && text.trim() !== "")).slice(
      0,
      200,
    ),
    groups: Array.isArray(groups) ? groups.filter((group) => typeof group === "string") : [],
  };
}

function createUnavailableError(issuer: string, cause: unknown): OctavoError {
  return new OctavoError(
    "unavailable",
    `The sign-in provider ${new URL(issuer).host} does not follow the OpenID Connect protocol. Try again, or sign ` +
      "in with an API key.",
    { cause },
  );
}

function createRefusedError(cause: unknown): OctavoError {
  return new OctavoError(
    "forbidden",
    "The sign-in was not completed because the provider's response does not belong to this browser, was used " +
      "before, or is too old. Start again.",
    { cause },
  );
}
