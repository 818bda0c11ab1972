import { createHmac, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { createInputError } from "@octavo/site/core";

const minPasswordLength = 8;
/** The maximum length of a password, in characters, which limits the work of hashing. */
const maxPasswordLength = 1_000;

const deriveKey = promisify<string, Buffer, number, object, Buffer>(scrypt);
/** The scrypt parameters that OWASP recommends. A hash takes 32 MB and about 100 ms. */
const scryptOptions = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 };
const hashBytes = 32;

/**
 * Hashes the password of a site. The result contains the salt. Throws `invalid_input` if the password is too short or
 * too long.
 */
export async function hashPassword(password: string): Promise<string> {
  if (password.length < minPasswordLength || password.length > maxPasswordLength) {
    const range = `${minPasswordLength} to ${maxPasswordLength} characters`;
    throw createInputError(`password must have ${range}.`);
  }
  const salt = randomBytes(16);
  const hash = await deriveKey(password, salt, hashBytes, scryptOptions);
  return `scrypt.${salt.toString("base64url")}.${hash.toString("base64url")}`;
}

/** Reports whether a password matches a hash from `hashPassword`. */
export async function verifyPassword(password: string, hashed: string): Promise<boolean> {
  const [, salt = "", hash = ""] = hashed.split(".");
  if (password.length > maxPasswordLength) return false;
  const actual = await deriveKey(
    password,
    Buffer.from(salt, "base64url"),
    hashBytes,
    scryptOptions,
  );
  const expected = Buffer.from(hash, "base64url");
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

/** The right to read a closed site, proved by a signed string. */
interface SiteToken {
  /**
   * A `link` opens the site for everybody who has it, a `member` token opens it once for the browser that requested it,
   * and a browser gets a `session` in exchange for either of them or for the password.
   */
  readonly use: "link" | "member" | "session";
  /** The host name of the site. A token opens no other site. */
  readonly host: string;
  readonly expiresAt: Date;
  /** The `state` of the request that a `member` token answers, or the way in which a session was opened. */
  readonly state: string;
}

/** A parsed token with its ID. */
export interface ParsedSiteToken extends SiteToken {
  readonly id: string;
}

/** Signs a token with the secret of a site. */
export function createSiteToken(secret: Uint8Array, token: SiteToken): string {
  const { use, host, expiresAt, state } = token;
  const id = randomBytes(12).toString("base64url");
  const fields = [use, host, expiresAt.getTime().toString(36), state, id];
  const text = Buffer.from(JSON.stringify(fields)).toString("base64url");
  return `${text}.${sign(secret, text)}`;
}

const maxTokenLength = 2_000;

/** Parses a signed token. Returns undefined if it was not signed with the secret or has expired. */
export function parseSiteToken(secret: Uint8Array, text: string): ParsedSiteToken | undefined {
  if (text.length > maxTokenLength) return undefined;
  const [payload = "", signature = ""] = text.split(".", 2);
  const [given, expected] = [Buffer.from(signature), Buffer.from(sign(secret, payload))];
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  // The signature shows that `createSiteToken` wrote the text.
  const fields = JSON.parse(Buffer.from(payload, "base64url").toString()) as readonly string[];
  const [use, host = "", time = "", state = "", id = ""] = fields;
  const expiresAt = new Date(Number.parseInt(time, 36));
  if (expiresAt.getTime() <= Date.now()) return undefined;
  return { use: use as SiteToken["use"], host, expiresAt, state, id };
}

function sign(secret: Uint8Array, text: string): string {
  return createHmac("sha256", secret).update(`octavo site ${text}`).digest("base64url");
}
