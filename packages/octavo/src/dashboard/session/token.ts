import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Texts that the service gave out and recognises: `<part>.<part>.<seconds>.<signature>`. They are no
 * secrets that are stored anywhere; who alters one breaks its signature.
 */
export interface TokenOptions {
  /** Made from the operator's secret for this use alone. */
  readonly key: Buffer;
  /** What the token is for: one for another use does not fit. */
  readonly use: string;
}

/** `parts` hold neither dots nor line breaks, e.g. IDs. */
export function signToken(
  options: TokenOptions,
  parts: readonly string[],
  lifeSeconds: number,
): string {
  const expires = String(Math.floor(Date.now() / 1000) + lifeSeconds);
  const content = [...parts, expires];
  return [...content, signatureOf(options, content)].join(".");
}

/** The parts that were signed; undefined for what the service did not make, or whose time is over. */
export function readToken(options: TokenOptions, token: string): readonly string[] | undefined {
  if (token.length > longestToken) return undefined;
  const content = token.split(".");
  const given = Buffer.from(content.pop() ?? "");
  const expected = Buffer.from(signatureOf(options, content));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const expires = Number(content.pop());
  return expires * 1000 > Date.now() ? content : undefined;
}

const longestToken = 500;

function signatureOf({ key, use }: TokenOptions, content: readonly string[]): string {
  return createHmac("sha256", key)
    .update([use, ...content].join("\n"))
    .digest("base64url");
}
