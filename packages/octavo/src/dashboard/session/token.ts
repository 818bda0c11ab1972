import { createHmac } from "node:crypto";
import { isSameSecret } from "../../core/index.ts";

/**
 * Signed tokens that the service issues: `<part>.<part>.<seconds>.<signature>`. They are not stored
 * anywhere; any change breaks the signature.
 */
export interface TokenOptions {
  /** Derived from the operator's secret for this use only. */
  readonly key: Buffer;
  /** The token's purpose: a token for another use is invalid. */
  readonly use: string;
}

/** `parts` must not contain dots or line breaks, e.g. IDs. */
export function signToken(
  options: TokenOptions,
  parts: readonly string[],
  maxAgeSeconds: number,
): string {
  const expires = String(Math.floor(Date.now() / 1000) + maxAgeSeconds);
  const content = [...parts, expires];
  return [...content, signatureOf(options, content)].join(".");
}

/** The signed parts; undefined if the service did not sign the token, or it has expired. */
export function readToken(options: TokenOptions, token: string): readonly string[] | undefined {
  if (token.length > maxTokenLength) return undefined;
  const content = token.split(".");
  const given = content.pop() ?? "";
  if (!isSameSecret(given, signatureOf(options, content))) return undefined;
  const expires = Number(content.pop());
  return expires * 1000 > Date.now() ? content : undefined;
}

const maxTokenLength = 500;

function signatureOf({ key, use }: TokenOptions, content: readonly string[]): string {
  return createHmac("sha256", key)
    .update([use, ...content].join("\n"))
    .digest("base64url");
}
