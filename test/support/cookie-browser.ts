/** A browser without scripts: cookies by origin, redirects followed one by one. */
export interface CookieBrowser {
  get(address: string): Promise<BrowserAnswer>;
  post(
    address: string,
    form?: Readonly<Record<string, string>> | URLSearchParams,
    headers?: Readonly<Record<string, string>>,
  ): Promise<BrowserAnswer>;
  /** Follows redirects, beginning at an address, until `isEnd` or an answer that is none. */
  follow(address: string, isEnd?: (address: string) => boolean): Promise<Followed>;
  cookie(origin: string, name: string): string | undefined;
  setCookie(origin: string, name: string, value: string): void;
}

export interface BrowserAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Where it leads, in full. */
  readonly location: string | undefined;
}

export interface Followed {
  /** The address of the last response, or the one at which it stopped, which was not requested. */
  readonly address: string;
  readonly answer: BrowserAnswer | undefined;
}

const maxRedirects = 20;

export function openBrowser(): CookieBrowser {
  const jars = new Map<string, Map<string, string>>();
  function jarOf(origin: string): Map<string, string> {
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    return jar;
  }

  async function send(address: string, init: RequestInit = {}): Promise<BrowserAnswer> {
    const jar = jarOf(new URL(address).origin);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = new Headers(init.headers);
    if (cookie !== "") headers.set("cookie", cookie);
    const response = await fetch(address, { ...init, headers, redirect: "manual" });
    for (const set of response.headers.getSetCookie()) keep(jar, set);
    const location = response.headers.get("location");
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: location === null ? undefined : new URL(location, address).href,
    };
  }

  return {
    get: (address) => send(address),
    post: (address, form = {}, headers = { "sec-fetch-site": "same-origin" }) =>
      send(address, { method: "POST", headers, body: new URLSearchParams(form) }),
    async follow(address, isEnd = () => false) {
      let at = address;
      for (let count = 0; count < maxRedirects; count++) {
        if (isEnd(at)) return { address: at, answer: undefined };
        const answer = await send(at);
        if (answer.location === undefined) return { address: at, answer };
        at = answer.location;
      }
      throw new Error(`${address} redirects for ever`);
    },
    cookie: (origin, name) => jarOf(origin).get(name),
    setCookie: (origin, name, value) => void jarOf(origin).set(name, value),
  };
}

function keep(jar: Map<string, string>, header: string): void {
  const [pair = "", ...attributes] = header.split(";");
  const at = pair.indexOf("=");
  const name = pair.slice(0, at).trim();
  const value = pair.slice(at + 1);
  const isGone =
    attributes.some((text) => /^\s*max-age=0$/i.test(text)) ||
    attributes.some((text) => /^\s*expires=thu, 01 jan 1970/i.test(text));
  if (isGone) jar.delete(name);
  else jar.set(name, value);
}
