import { readToken, signToken } from "./token.ts";
import type { TokenOptions } from "./token.ts";

/** As long as a working day: then the key is asked for again. */
const lifeSeconds = 12 * 60 * 60;

export interface SessionCookieOptions {
  readonly key: Buffer;
  /** Whether the service is reached by https. */
  readonly isSecure: boolean;
}

/** The one cookie: a signed reference to an API key. It holds no secret and opens nothing but the dashboard. */
export interface SessionCookie {
  /** `Set-Cookie` that begins a session. */
  begin(keyId: string): string;
  /** `Set-Cookie` that ends it. */
  end(): string;
  /** The key that a request's `Cookie` header refers to, if the service set it and its time is not over. */
  read(header: string | undefined): string | undefined;
}

export function createSessionCookie({ key, isSecure }: SessionCookieOptions): SessionCookie {
  const token: TokenOptions = { key, use: "session" };
  // Browsers take a name with this prefix from this host alone, over https, and for no other path.
  const name = isSecure ? "__Host-octavo" : "octavo";
  const attributes = `; Path=/; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
  return {
    begin: (keyId) =>
      `${name}=${signToken(token, [keyId], lifeSeconds)}; Max-Age=${lifeSeconds}${attributes}`,
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
