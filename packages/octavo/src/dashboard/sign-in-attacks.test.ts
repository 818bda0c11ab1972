import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openBrowser } from "../../../../test/support/cookie-browser.ts";
import type { BrowserAnswer, CookieBrowser } from "../../../../test/support/cookie-browser.ts";
import { freePort } from "../../../../test/support/free-port.ts";
import { openProvider } from "../../../../test/support/openid-provider.ts";
import type { TestProvider } from "../../../../test/support/openid-provider.ts";
import { openDashboard } from "../../../../test/support/running-dashboard.ts";
import type { RunningDashboard } from "../../../../test/support/running-dashboard.ts";

let provider: TestProvider;
let dashboard: RunningDashboard;
let url: string;
let callback: string;

before(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  callback = `${url}/signin/callback`;
  provider = await openProvider(callback);
  dashboard = await openDashboard({
    OCTAVO_PORT: String(port),
    OCTAVO_BASE_URL: url,
    OCTAVO_ALLOW: "127.0.0.1",
    OCTAVO_OIDC_ISSUER: provider.issuer,
    OCTAVO_OIDC_CLIENT_ID: provider.clientId,
    OCTAVO_OIDC_CLIENT_SECRET: provider.clientSecret,
    OCTAVO_OIDC_DOMAINS: "acme.example=owner",
  });
  await dashboard.openOrganization();
  provider.account = { sub: "ada", name: "Ada", email: "ada@acme.example", email_verified: true };
});
after(async () => {
  await dashboard[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

/** A sign-in that stands at the provider's answer: who follows it is signed in. */
interface Attempt {
  readonly browser: CookieBrowser;
  /** The address at the service that the provider leads to. */
  readonly back: URL;
}

/** Where the service sends a browser to sign in. */
async function begin(browser = openBrowser(), next = "/keys"): Promise<URL> {
  const { location } = await browser.get(`${url}/signin/provider?next=${encodeURIComponent(next)}`);
  const address = new URL(location ?? "none:");
  assert.equal(address.origin, provider.issuer);
  return address;
}

async function attempt(change?: (address: URL) => void): Promise<Attempt> {
  const browser = openBrowser();
  const address = await begin(browser);
  change?.(address);
  const { address: back } = await browser.follow(address.href, (to) => to.startsWith(callback));
  return { browser, back: new URL(back) };
}

/** Nobody is signed in by an answer. */
async function assertRefused(browser: CookieBrowser, answer: BrowserAnswer): Promise<void> {
  assert.equal(answer.status, 403, answer.text);
  assert.match(answer.text, /role="alert"/);
  assert.equal(browser.cookie(url, "octavo"), undefined);
  assert.match((await browser.get(`${url}/projects`)).location ?? "", /\/signin/);
}

describe("a sign-in with the provider", () => {
  it("is asked for with the code flow, PKCE, state and nonce, for one address", async () => {
    const address = await begin();
    const query = address.searchParams;
    assert.equal(query.get("response_type"), "code");
    assert.equal(query.get("code_challenge_method"), "S256");
    assert.equal(query.get("redirect_uri"), callback);
    for (const name of ["state", "nonce", "code_challenge"]) {
      assert.match(query.get(name) ?? "", /^[\w-]{43}$/, name);
    }
  });

  const attacks: readonly [name: string, change: (back: URL, other: Attempt) => void][] = [
    ["no state", (back) => back.searchParams.delete("state")],
    ["an invented state", (back) => back.searchParams.set("state", "a".repeat(43))],
    [
      "the state of another browser",
      (back, { back: other }) => back.searchParams.set("state", stateOf(other)),
    ],
    ["two states", (back) => back.searchParams.append("state", "a".repeat(43))],
    ["no code", (back) => back.searchParams.delete("code")],
    ["an invented code", (back) => back.searchParams.set("code", "a".repeat(43))],
    [
      "the code of another browser",
      (back, { back: other }) =>
        back.searchParams.set("code", other.searchParams.get("code") ?? ""),
    ],
    ["another issuer", (back) => back.searchParams.set("iss", "https://evil.example")],
    ["no issuer", (back) => back.searchParams.delete("iss")],
  ];
  for (const [name, change] of attacks) {
    it(`is refused with ${name}`, async () => {
      const [own, other] = [await attempt(), await attempt()];
      change(own.back, other);
      await assertRefused(own.browser, await own.browser.get(own.back.href));
      for (const name of ["code", "state"]) {
        for (const value of own.back.searchParams.getAll(name)) {
          assert.ok(!dashboard.log().includes(value), `the log contains the ${name}`);
        }
      }
    });
  }

  const changes: readonly [name: string, change: (address: URL) => void][] = [
    ["another nonce", (address) => address.searchParams.set("nonce", "a".repeat(43))],
    ["no nonce", (address) => address.searchParams.delete("nonce")],
    ["another challenge", (address) => address.searchParams.set("code_challenge", "a".repeat(43))],
    ["another state", (address) => address.searchParams.set("state", "a".repeat(43))],
    [
      "no PKCE",
      ({ searchParams }) => {
        searchParams.delete("code_challenge");
        searchParams.delete("code_challenge_method");
      },
    ],
  ];
  for (const [name, change] of changes) {
    it(`is refused when it was asked for with ${name}`, async () => {
      const { browser, back } = await attempt(change);
      await assertRefused(browser, await browser.get(back.href));
    });
  }

  it("is not led anywhere else by the provider", async () => {
    for (const target of [
      "https://evil.example/",
      `${callback}/../evil`,
      `${url}/projects`,
      `${callback}?next=https://evil.example`,
    ]) {
      const browser = openBrowser();
      const address = await begin(browser);
      address.searchParams.set("redirect_uri", target);
      const { answer } = await browser.follow(
        address.href,
        (to) => !to.startsWith(provider.issuer),
      );
      assert.equal(answer?.status, 400, target);
    }
  });

  it("works once", async () => {
    const { browser, back } = await attempt();
    const kept = browser.cookie(url, "octavo-signin") ?? "";
    assert.equal((await browser.get(back.href)).status, 200);
    assert.equal((await browser.get(`${url}/keys`)).status, 200);
    assert.equal(browser.cookie(url, "octavo-signin"), undefined);
    const thief = openBrowser();
    thief.setCookie(url, "octavo-signin", kept);
    const again = await thief.get(back.href);
    assert.match(again.text, /was already used/);
    await assertRefused(thief, again);
  });

  it("is refused in another browser, and with what was altered", async () => {
    const { browser, back } = await attempt();
    const stranger = openBrowser();
    await assertRefused(stranger, await stranger.get(back.href));
    const kept = browser.cookie(url, "octavo-signin") ?? "";
    stranger.setCookie(url, "octavo-signin", `${kept.slice(0, -4)}AAAA`);
    await assertRefused(stranger, await stranger.get(back.href));
  });

  it("says so when the provider refuses it", async () => {
    const browser = openBrowser();
    const address = await begin(browser);
    const back = new URL(callback);
    back.searchParams.set("error", "access_denied");
    back.searchParams.set("state", stateOf(address));
    back.searchParams.set("iss", provider.issuer);
    await assertRefused(browser, await browser.get(back.href));
  });

  for (const next of [
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example/",
    "/.//evil.example/",
    "javascript:alert(1)",
  ]) {
    it(`leads back to its own pages only, not to ${next}`, async () => {
      const browser = openBrowser();
      const address = await begin(browser, next);
      const { answer } = await browser.follow(address.href);
      assert.match(answer?.text ?? "", /content="0; url=\/projects"/);
      assert.doesNotMatch(answer?.text ?? "", /evil|javascript:/);
    });
  }

  it("gives a new session, whatever the browser came with", async () => {
    const victim = openBrowser();
    const fixed = "f".repeat(43);
    victim.setCookie(url, "octavo", fixed);
    const address = await begin(victim);
    await victim.follow(address.href);
    const first = victim.cookie(url, "octavo") ?? "";
    assert.match(first, /^[\w-]{43}$/);
    assert.notEqual(first, fixed);
    await victim.follow((await begin(victim)).href);
    assert.notEqual(victim.cookie(url, "octavo"), first);
    for (const token of [fixed, first]) {
      const attacker = openBrowser();
      attacker.setCookie(url, "octavo", token);
      assert.match((await attacker.get(`${url}/keys`)).location ?? "", /\/signin/);
    }
  });
});

describe("what other sites send", () => {
  for (const path of [
    "/signin",
    "/signout",
    "/keys",
    "/members",
    "/members/mb_00000000000000000000000000/role",
    "/members/mb_00000000000000000000000000/remove",
    "/sessions/ss_00000000000000000000000000/end",
  ]) {
    it(`does nothing: POST ${path}`, async () => {
      const browser = openBrowser();
      await browser.follow((await begin(browser)).href);
      for (const headers of [
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" },
        { origin: "https://evil.example" },
        {},
      ]) {
        const { status } = await browser.post(url + path, { role: "owner" }, headers);
        assert.equal(status, 403);
      }
      assert.equal((await browser.get(`${url}/keys`)).status, 200);
    });
  }
});

describe("the page of the sign-in", () => {
  it("says that a proxy is not trusted", async () => {
    assert.match(await readSignIn({ "x-forwarded-for": "192.0.2.1" }), /OCTAVO_TRUST_PROXY/);
    assert.doesNotMatch(await readSignIn({}), /OCTAVO_TRUST_PROXY/);
  });
});

async function readSignIn(headers: Readonly<Record<string, string>>): Promise<string> {
  return (await fetch(`${url}/signin`, { headers })).text();
}

function stateOf({ searchParams }: URL): string {
  return searchParams.get("state") ?? "";
}

describe("sign-ins that keep failing at the provider", () => {
  it("are refused before the provider is asked again", async () => {
    let status = 0;
    for (let count = 0; count < 60 && status !== 429; count++) {
      ({ status } = await openBrowser().get(`${callback}?code=x&state=x`));
    }
    assert.equal(status, 429);
    const { answer } = await openBrowser().follow(`${url}/signin/provider`);
    assert.equal(answer?.status, 429);
    assert.match(answer.text, /Too many sign-ins failed from this address/);
  });
});
