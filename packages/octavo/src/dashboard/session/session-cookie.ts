export interface CookieOptions {
  /** The name of the cookie, e.g. `octavo` for the session's cookie. */
  readonly name: string;
  /** Whether the service is reached over https. */
  readonly isSecure: boolean;
  /** `Lax` is for a cookie that must be sent when the user follows a link on another site. */
  readonly sameSite: "Strict" | "Lax";
  readonly maxAgeSeconds: number;
}

/** A cookie that scripts cannot read. */
export interface Cookie {
  /** Returns the `Set-Cookie` header that sets the cookie. */
  set(value: string): string;
  /** Returns the `Set-Cookie` header that removes the cookie. */
  remove(): string;
  /** Returns the cookie's value from a request's `Cookie` header. */
  read(header: string | undefined): string | undefined;
}

export function createCookie(options: CookieOptions): Cookie {
  const { isSecure, sameSite, maxAgeSeconds } = options;
  // Browsers accept a cookie with this prefix only from the host itself, over https, and for the path `/`.
  const name = isSecure ? `__Host-${options.name}` : options.name;
  const attributes = `; Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? "; Secure" : ""}`;
  return {
    set: (value) => `${name}=${value}; Max-Age=${maxAgeSeconds}${attributes}`,
    remove: () => `${name}=; Max-Age=0${attributes}`,
    read: (header) => readCookie(header ?? "", name),
  };
}

function readCookie(header: string, name: string): string | undefined {
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
