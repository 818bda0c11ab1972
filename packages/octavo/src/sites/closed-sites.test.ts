import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, beforeEach, describe, it, mock } from "node:test";
import {
  createServedSite,
  createServedVersion,
  startServedSites,
  type AskOptions,
  type ServedResponse,
  type ServedSites,
} from "../../../../test/support/served-sites.ts";
import { createSiteToken, hashPassword } from "../core/index.ts";
import type { ServedDeployment, SiteAccess } from "./index.ts";

const page = '<!doctype html><html data-root=""><body>Secret</body></html>';
const files = {
  "index.html": page,
  "index.md": "Secret",
  "guide/start.html": page,
  "guide/start.md": "Secret",
  "404.html": "Secret",
  "llms.txt": "Secret",
  "llms-full.txt": "Secret",
  "rss.xml": "Secret",
  "sitemap.xml": "Secret",
  "robots.txt": "Secret",
  "images/a.png": "Secret",
  _redirects: "/old /guide/start 301",
  "_octavo/octavo.js": "Secret",
  "_octavo/search/all/index.js": "Secret",
  "_octavo/media/a.png": "Secret",
};

type ClosedAccess = Extract<SiteAccess, { kind: "closed" }>;

const host = "docs.example.com";
const secret = randomBytes(32);
const password = "correct horse";
/** The only link that opens the site. */
const link = "sl_1";
const signInUrl = "https://octavo.example.com/site-sign-in";
const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

const readCookies = ({ headers }: ServedResponse): string =>
  (headers["set-cookie"] ?? []).map((cookie) => cookie.split(";", 1)[0]).join("; ");
const sign = (token: Partial<Parameters<typeof createSiteToken>[1]> = {}) =>
  createSiteToken(secret, {
    use: "link",
    host,
    expiresAt: new Date(Date.now() + 60_000),
    state: link,
    ...token,
  });

describe("a closed site", () => {
  let sites: ServedSites;
  let deployment: ServedDeployment;
  let passwordHash = "";
  before(async () => {
    sites = await startServedSites({ isTrustedProxy: () => true });
    deployment = await sites.deploy(files);
    passwordHash = await hashPassword(password);
  });
  after(() => sites[Symbol.asyncDispose]());
  beforeEach(() => close({ passwordHash }));

  function close(access: Partial<ClosedAccess>, name = host): void {
    const closed: ClosedAccess = {
      kind: "closed",
      secret,
      passwordHash: undefined,
      signInUrl: undefined,
      links: new Set([link]),
      ...access,
    };
    const versions = [
      createServedVersion(deployment),
      createServedVersion(deployment, { slug: "v1", state: "old" }),
    ];
    sites.table.set(name, createServedSite(versions, { access: closed }));
  }

  /** Asks for a page with the cookies of an answer. */
  async function askAgain(from: ServedResponse): Promise<number | undefined> {
    return (await sites.ask(host, "/", { headers: { cookie: readCookies(from) } })).status;
  }

  let addresses = 0;
  /** Sends the form of the sign-in page. */
  function enter(given: string, more: Record<string, string> = {}): Promise<ServedResponse> {
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      "x-forwarded-for": `10.0.0.${(addresses += 1)}`,
      ...more,
    };
    const body = new URLSearchParams({ to: "/guide/start?a=b", password: given }).toString();
    return sites.ask(host, "/_octavo/open", { method: "POST", headers, body });
  }
  const open = (token: string, options: AskOptions = {}, to = "/guide/start") =>
    sites.ask(host, `/_octavo/open?token=${token}&to=${encodeURIComponent(to)}`, options);

  const others =
    "guide/start old v1/guide/start unknown _octavo/versions.json _octavo/versions/v1/ .well-known/llms.txt _octavo/sitemap.xml %00 //x";
  const paths = ["", ...Object.keys(files), ...others.split(" ")].map((path) => `/${path}`);

  it("is closed file by file, whether there is a file or not", async () => {
    for (const path of paths) {
      for (const headers of [{}, browser, { "if-none-match": "*" }, { range: "bytes=0-1" }]) {
        const isPerson = headers === browser;
        const response = await sites.ask(host, path, { headers });
        assert.equal(response.status, isPerson ? 401 : 404, path);
        assert.equal(response.headers["cache-control"], "private, no-store");
        assert.equal(response.headers["x-robots-tag"], "noindex");
        assert.equal(response.headers.etag, undefined);
        assert.ok(!response.body.includes("Secret"), path);
        if (!isPerson) assert.equal(response.body.toString(), "There is no such page.\n");
      }
      const only = await sites.ask(host, path, { method: "HEAD", headers: browser });
      assert.equal(only.status, 404);
    }
    assert.equal((await sites.ask(host, "/", { method: "POST" })).status, 405);
  });

  it("opens as a whole with its password, and stays out of caches", async () => {
    const answer = await enter(password);
    assert.equal(answer.status, 303);
    assert.equal(answer.headers.location, "/guide/start?a=b");
    const [cookie = ""] = answer.headers["set-cookie"] ?? [];
    assert.match(
      cookie,
      /^__Host-octavo-site=[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=\d+$/,
    );
    const headers = { cookie: `a=b; ${readCookies(answer)}` };
    for (const path of [
      "/",
      "/guide/start",
      "/index.md",
      "/images/a.png",
      "/v1/guide/start",
      "/_octavo/octavo.js",
      "/_octavo/media/a.png",
      "/sitemap.xml",
      "/robots.txt",
      "/_octavo/versions.json",
    ]) {
      const response = await sites.ask(host, path, { headers });
      assert.equal(response.status, 200, path);
      assert.equal(response.headers["cache-control"], "private, no-store", path);
    }
    assert.equal(
      (await sites.ask(host, "/guide/start.html", { headers })).headers["cache-control"],
      "private, no-store",
    );
    assert.equal(
      (await sites.ask(host, "/unknown", { headers })).headers["cache-control"],
      "private, no-store",
    );
  });

  it("does not open with a session of another site, password or secret", async () => {
    const headers = { cookie: readCookies(await enter(password)) };
    const ask = async (name = host) => (await sites.ask(name, "/", { headers })).status;
    assert.equal(await ask(), 200);
    close({ passwordHash }, "other.example.com");
    assert.equal(await ask("other.example.com"), 404);
    close({ passwordHash: await hashPassword("another one") });
    assert.equal(await ask(), 404);
    close({ signInUrl });
    assert.equal(await ask(), 404);
    close({ passwordHash, secret: randomBytes(32) });
    assert.equal(await ask(), 404);
    for (const cookie of [
      "__Host-octavo-site=",
      "__Host-octavo-site=a.b",
      `__Host-octavo-site=${"a".repeat(9_000)}`,
    ]) {
      close({ passwordHash });
      assert.equal((await sites.ask(host, "/", { headers: { cookie } })).status, 404);
    }
  });

  it("ends a session in time", async () => {
    const headers = { cookie: readCookies(await enter(password)) };
    mock.timers.enable({ apis: ["Date"], now: Date.now() + 8 * 24 * 60 * 60_000 });
    try {
      assert.equal((await sites.ask(host, "/", { headers })).status, 404);
    } finally {
      mock.timers.reset();
    }
  });

  it("refuses wrong passwords, and after some of them all from that address", async () => {
    const from = { "x-forwarded-for": "192.0.2.1, 198.51.100.7" };
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const response = await enter(`wrong ${attempt}`, from);
      assert.equal(response.status, 401);
      assert.match(response.body.toString(), /The password is incorrect/);
      assert.equal(readCookies(response), "");
    }
    const last = await enter(password, from);
    assert.equal(last.status, 429);
    assert.equal(last.headers["retry-after"], "600");
    assert.equal((await enter(password)).status, 303);
  });

  it("takes the form only from its own pages", async () => {
    assert.equal((await enter(password, { origin: "https://evil.example" })).status, 400);
    assert.equal((await enter(password, { origin: "null" })).status, 400);
    assert.equal((await enter(password, { origin: `https://${host}` })).status, 303);
    assert.equal((await enter(password, { "content-type": "text/plain" })).status, 400);
    close({ signInUrl });
    assert.equal((await enter(password)).status, 400);
  });

  it("opens with a link until it expires", async () => {
    close({});
    assert.equal((await sites.ask(host, "/", { headers: browser })).status, 404);
    for (let use = 0; use < 2; use += 1) {
      const answer = await open(sign());
      assert.deepEqual([answer.status, answer.headers.location], [303, "/guide/start"]);
      const headers = { cookie: readCookies(answer) };
      assert.equal((await sites.ask(host, "/", { headers })).status, 200);
    }
    for (const token of [
      sign({ expiresAt: new Date(Date.now() - 1) }),
      sign({ host: "other.example.com" }),
      sign({ use: "session" }),
      createSiteToken(randomBytes(32), {
        use: "link",
        host,
        expiresAt: new Date(Date.now() + 60_000),
        state: link,
      }),
      sign({ state: "another" }),
      `${sign()}x`,
      "",
      ".",
    ]) {
      const answer = await open(token);
      assert.deepEqual([answer.status, answer.headers["set-cookie"]], [403, undefined]);
    }
  });

  it("closes for readers of a link that was revoked, and only for them", async () => {
    close({ links: new Set([link, "sl_2"]) });
    const [one, other] = [await open(sign()), await open(sign({ state: "sl_2" }))];
    assert.deepEqual([await askAgain(one), await askAgain(other)], [200, 200]);
    close({ links: new Set(["sl_2"]) });
    assert.deepEqual([await askAgain(one), await askAgain(other)], [404, 200]);
    assert.equal((await open(sign())).status, 403);
  });

  it("for members is closed file by file, and asks a person to sign in", async () => {
    close({ signInUrl });
    for (const path of paths) {
      const machine = await sites.ask(host, path);
      assert.deepEqual(
        [machine.status, machine.body.toString()],
        [404, "There is no such page.\n"],
        path,
      );
      const person = await sites.ask(host, path, { headers: browser });
      assert.equal(person.status, 302, path);
      assert.equal(new URL(String(person.headers.location)).searchParams.get("host"), host);
      for (const { headers, body } of [machine, person]) {
        assert.equal(headers["cache-control"], "private, no-store", path);
        assert.equal(headers["x-robots-tag"], "noindex");
        assert.ok(!body.includes("Secret"), path);
      }
    }
  });

  it("leads nowhere else once it is open", async () => {
    for (const [to, want] of [
      ["//evil.example/", "/evil.example/"],
      ["https://evil.example/a", "/a"],
      ["/\\evil.example", "/"],
      ["/%5cevil.example", "/"],
      ["javascript:alert(1)", "/"],
      ["/a\r\nSet-Cookie: b=c", "/"],
      ["/a?b=\u00E4#c", "/a?b=%C3%A4"],
      ["/_octavo/open?token=x", "/"],
      ["", "/"],
    ] as const) {
      assert.equal((await open(sign(), {}, to)).headers.location, want, to);
    }
  });

  it("opens for a member once, in the browser that asked", async () => {
    close({ signInUrl });
    const asked = await sites.ask(host, "/guide/start?a=b", { headers: browser });
    assert.equal(asked.status, 302);
    const url = new URL(String(asked.headers.location));
    assert.equal(url.origin + url.pathname, signInUrl);
    assert.equal(url.searchParams.get("host"), host);
    assert.equal(url.searchParams.get("to"), "/guide/start?a=b");
    const cookie = readCookies(asked);
    const state = url.searchParams.get("state") ?? "";
    assert.ok(!cookie.includes(state));
    // Several windows of one browser ask with the same state.
    const again = await sites.ask(host, "/", { headers: { ...browser, cookie } });
    assert.equal(new URL(String(again.headers.location)).searchParams.get("state"), state);

    const token = sign({ use: "member", state });
    assert.equal((await open(token)).status, 403);
    assert.equal(
      (await open(token, { headers: { cookie: "__Host-octavo-state=other" } })).status,
      403,
    );
    const answer = await open(token, { headers: { cookie } });
    assert.equal(answer.status, 303);
    const headers = { cookie: readCookies(answer) };
    assert.equal((await sites.ask(host, "/", { headers })).status, 200);
    assert.equal((await open(token, { headers: { cookie } })).status, 403);
    close({ passwordHash });
    assert.equal((await sites.ask(host, "/", { headers })).status, 404);
  });

  it("offers both ways where there are both", async () => {
    close({ passwordHash, signInUrl });
    const { body } = await sites.ask(host, '/"><script>', { headers: browser });
    assert.match(body.toString(), /<form method="post"/);
    assert.match(
      body.toString(),
      /href="https:\/\/octavo\.example\.com\/site-sign-in\?host=docs\.example\.com&amp;state=/,
    );
    assert.ok(!body.includes("<script>"));
  });
});
