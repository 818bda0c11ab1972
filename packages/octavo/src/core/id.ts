import { randomBytes } from "node:crypto";

/** Prefixes of identifiers: `se_01j...` shows what kind of object it names. */
const idPrefixes = {
  organization: "org",
  project: "pr",
  key: "key",
  staticExport: "se",
  agentJob: "aj",
  webhook: "wh",
  webhookMessage: "msg",
  auditEvent: "ev",
  member: "mb",
  session: "ss",
} as const;
export type IdKind = keyof typeof idPrefixes;

/** Crockford's base 32 in lower case: no i, l, o, u, so an ID can be read aloud. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

function encode(value: bigint, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest >>= 5n)
    text = alphabet[Number(rest & 31n)] + text;
  return text;
}

/**
 * A new identifier, e.g. `se_06bq4x...`: 48 bits of milliseconds, then 80 random bits (the layout of
 * ULID), so that IDs of one kind sort by creation time.
 */
export function newId(kind: IdKind, now: number = Date.now()): string {
  const random = BigInt(`0x${randomBytes(10).toString("hex")}`);
  return `${idPrefixes[kind]}_${encode(BigInt(now), 10)}${encode(random, 16)}`;
}

/** Whether `text` has the form of an identifier of this kind; does not check that the object exists. */
export function isId(kind: IdKind, text: string): boolean {
  const prefix = `${idPrefixes[kind]}_`;
  return text.startsWith(prefix) && /^[0-9a-hjkmnp-tv-z]{26}$/.test(text.slice(prefix.length));
}
