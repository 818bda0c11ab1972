import { randomBytes } from "node:crypto";

/** The prefixes of identifiers, which show the kind of the object, e.g. `se_01j...`. */
const idPrefixes = {
  organization: "org",
  project: "pr",
  key: "key",
  staticExport: "se",
  agentJob: "aj",
  deployment: "dp",
  webhook: "wh",
  webhookMessage: "msg",
  auditEvent: "ev",
  member: "mb",
  session: "ss",
  reviewNote: "rn",
  siteLink: "sl",
  hook: "hk",
  hookDelivery: "hd",
} as const;
export type IdKind = keyof typeof idPrefixes;

/** Crockford's base 32 in lower case, without i, l, o and u, so that an ID can be read aloud. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

function encode(value: bigint, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest >>= 5n)
    text = alphabet[Number(rest & 31n)] + text;
  return text;
}

/**
 * Creates an identifier such as `se_06bq4x...`. It contains 48 bits of milliseconds and 80 random bits, like a ULID, so
 * that IDs of one kind are ordered by creation time.
 */
export function createId(kind: IdKind, now: number = Date.now()): string {
  const random = BigInt(`0x${randomBytes(10).toString("hex")}`);
  return `${idPrefixes[kind]}_${encode(BigInt(now), 10)}${encode(random, 16)}`;
}

/** Reports whether `text` has the form of an identifier of this kind. Does not check that the object exists. */
export function isId(kind: IdKind, text: string): boolean {
  const prefix = `${idPrefixes[kind]}_`;
  return text.startsWith(prefix) && /^[0-9a-hjkmnp-tv-z]{26}$/.test(text.slice(prefix.length));
}
