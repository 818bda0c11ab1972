import { readToken, signToken } from "./token.ts";
import type { TokenOptions } from "./token.ts";

/** A working day; after that the user signs in again. */
const maxAgeSeconds = 12 * 60 * 60;

export interface SessionCookieOptions {
  readonly key: Buffer;
  /** Whether the service is reached over https. */
  readonly isSecure: boolean;
}

/** The session cookie: a signed reference to an API key. It contains no secret and is valid for the dashboard only. */
export interface SessionCookie {
  /** The `Set-Cookie` header that starts a session. */
  begin(keyId: string): string;
  /** The `Set-Cookie` header that ends it. */
  end(): string;
  /** The key that a request's `Cookie` header refers to, if the service signed it and it has not expired. */
  read(header: string | undefined): string | undefined;
}

export function createSessionCookie({ key, isSecure }: SessionCookieOptions): SessionCookie {
  const token: TokenOptions = { key, use: "session" };
  // Browsers accept this prefix only from the host itself, over https, and for the path `/`.
  const name = isSecure ? "__Host-octavo" : "octavo";
  const attributes = `; Path=/; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
  return {
    begin: (keyId) =>
      `${name}=${signToken(token, [keyId], maxAgeSeconds)}; Max-Age=${maxAgeSeconds}${attributes}`,
    end: () => `${name}=; Max-Age=0${attributes}`,
    read(header) {
      const value = readCookie(header ?? "", name);
      return value === undefined ? undefined : readToken(token, value)?.[0];
    },
  };
}

function readCookie(header: string, name: string): string | undefined {
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
