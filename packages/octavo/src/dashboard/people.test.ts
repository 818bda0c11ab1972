import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createApiClient } from "../../../../test/support/api-client.ts";
import { openBrowser } from "../../../../test/support/cookie-browser.ts";
import type { CookieBrowser } from "../../../../test/support/cookie-browser.ts";
import { freePort } from "../../../../test/support/free-port.ts";
import { openProvider } from "../../../../test/support/openid-provider.ts";
import type { TestAccount, TestProvider } from "../../../../test/support/openid-provider.ts";
import { openDashboard } from "../../../../test/support/running-dashboard.ts";
import type { RunningDashboard } from "../../../../test/support/running-dashboard.ts";

let provider: TestProvider;
let dashboard: RunningDashboard;
let organization: { readonly id: string; readonly key: string };
let url: string;

const ada = { sub: "ada", name: "Ada", email: "Ada@acme.example", email_verified: true };
const vic = { sub: "vic", name: "Vic", email: "vic@acme.example", email_verified: true };

before(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  provider = await openProvider(`${url}/signin/callback`);
  dashboard = await openDashboard({
    OCTAVO_PORT: String(port),
    OCTAVO_BASE_URL: url,
    OCTAVO_ALLOW: "127.0.0.1",
    OCTAVO_OIDC_ISSUER: provider.issuer,
    OCTAVO_OIDC_CLIENT_ID: provider.clientId,
    OCTAVO_OIDC_CLIENT_SECRET: provider.clientSecret,
    OCTAVO_OIDC_NAME: "Acme",
    OCTAVO_OIDC_SCOPE: "profile email groups",
    OCTAVO_OIDC_GROUPS: "editors=editor,admins=owner",
    OCTAVO_OIDC_DOMAINS: "Staff.example=viewer",
  });
  organization = await dashboard.openOrganization();
});
after(async () => {
  await dashboard[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

/** Goes to the provider and back; the last answer is the page of the callback. */
async function signIn(account: TestAccount, browser = openBrowser()) {
  provider.account = account;
  const { answer } = await browser.follow(`${url}/signin/provider?next=%2Fkeys`);
  assert.ok(answer);
  return { browser, answer };
}

async function enter(account: TestAccount): Promise<CookieBrowser> {
  const { browser, answer } = await signIn(account);
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.text, /http-equiv="refresh" content="0; url=\/keys"/);
  return browser;
}

/** As the operator does at first: with the admin key. */
async function withKey(): Promise<CookieBrowser> {
  const browser = openBrowser();
  const { status } = await browser.post(`${url}/signin`, { key: organization.key });
  assert.equal(status, 303);
  return browser;
}

async function actions(): Promise<readonly string[]> {
  const { body } = await createApiClient(url, organization.key).call<{
    events: { action: string; actor: { name: string } | null; target: { name: string } }[];
  }>("GET", "/v2/audit?limit=100");
  return body.events.map(({ action, actor, target }) =>
    [actor?.name ?? "operator", action, target.name].join(" "),
  );
}

async function memberId(browser: CookieBrowser, name: string): Promise<string> {
  const { text } = await browser.get(`${url}/members`);
  const row = text.split("<li").find((part) => part.includes(`>${name}</span>`)) ?? "";
  return /members\/(mb_\w+)\//.exec(row)?.[1] ?? "";
}

describe("people", () => {
  it("are invited by the holder of the admin key, and sign in with the provider", async () => {
    const operator = await withKey();
    const page = await openBrowser().get(`${url}/signin?next=%2Fkeys`);
    assert.match(page.text, /href="\/signin\/provider\?next=%2Fkeys"\s*>Sign in with Acme</);
    const refused = await signIn(ada);
    assert.equal(refused.answer.status, 403);
    assert.match(refused.answer.text, /ada@acme\.example is not a member/);
    const invite = { email: " Ada@Acme.example ", role: "owner" };
    assert.equal((await operator.post(`${url}/members`, invite)).status, 303);
    const again = await operator.post(`${url}/members`, invite);
    assert.equal(again.status, 409);
    assert.match(
      again.text,
      /role="alert">There is already a member with the address ada@acme\.example/,
    );
    const browser = await enter(ada);
    const keys = await browser.get(`${url}/keys`);
    assert.equal(keys.status, 200);
    assert.match(keys.text, /as <strong>Ada<\/strong>, owner/);
    const told = await actions();
    assert.ok(told.includes("Ada's key member.invited ada@acme.example"), told.join("\n"));
    assert.ok(told.includes("Ada member.joined Ada"), "accepting an invitation is recorded");
    assert.ok(told.includes("Ada session.started Ada"));
  });

  it("who are viewers see no action, and are refused what they post anyway", async () => {
    const owner = await enter(ada);
    await owner.post(`${url}/members`, { email: vic.email, role: "viewer" });
    const viewer = await enter(vic);
    const { project } = await dashboard.addProject(organization.id);
    const path = `${url}/projects/${project.id}`;
    for (const address of ["/members", "/projects", "/sessions"]) {
      assert.equal((await viewer.get(url + address)).status, 200);
    }
    const shown = (await viewer.get(path)).text;
    assert.doesNotMatch(shown, /Start an export|Ask an agent|\/settings"/);
    assert.doesNotMatch((await viewer.get(`${url}/members`)).text, /Invite|Remove/);
    const posted = await viewer.post(`${path}/exports`, {});
    assert.equal(posted.status, 403);
    assert.match(
      posted.text,
      /Your role in this organization is viewer; to start and cancel exports, you need the role owner or editor/,
    );
    for (const [address, form] of [
      ["/members", { email: "x@acme.example", role: "owner" }],
      [`/members/${await memberId(owner, "Vic")}/role`, { role: "owner" }],
      [`/projects/${project.id}/settings`, {}],
      [`/projects/${project.id}/pulls/1/merge`, {}],
    ] as const) {
      assert.equal((await viewer.post(url + address, form)).status, 403, address);
    }
    assert.equal((await viewer.get(`${url}/audit`)).status, 403);
  });

  it("change roles at once, also of the keys that they made", async () => {
    const owner = await enter(ada);
    const viewer = await enter(vic);
    const id = await memberId(owner, "Vic");
    await owner.post(`${url}/members/${id}/role`, { role: "editor" });
    const form = { name: "Vic's key", scopes: "export" };
    const made = await viewer.post(`${url}/keys`, form);
    assert.equal(made.status, 200, made.text);
    const [secret = ""] = /octavo_[0-9a-f]{56}/.exec(made.text) ?? [];
    const { keys } = dashboard.node.records;
    assert.deepEqual((await keys.authenticate(secret))?.scopes, ["export"]);
    const more = await viewer.post(`${url}/keys`, { name: "More", scopes: "admin" });
    assert.equal(more.status, 403);
    await owner.post(`${url}/members/${id}/role`, { role: "viewer" });
    assert.deepEqual((await keys.authenticate(secret))?.scopes, []);
    assert.equal((await owner.post(`${url}/members/${id}/remove`)).status, 303);
    assert.equal(await keys.authenticate(secret), undefined);
    assert.match((await viewer.get(`${url}/keys`)).location ?? "", /\/signin/);
    assert.ok((await actions()).includes("Ada member.removed Vic"));
  });

  it("take their keys with them, and name what they made for the organization", async () => {
    const owner = await enter(ada);
    const zoe = { sub: "zoe", name: "Zoe", email: "zoe@acme.example", email_verified: true };
    await owner.post(`${url}/members`, { email: zoe.email, role: "owner" });
    const browser = await enter(zoe);
    const made = await browser.post(`${url}/keys`, { name: "Zoe's", scopes: "admin" });
    const [secret = ""] = /octavo_[0-9a-f]{56}/.exec(made.text) ?? [];
    const client = createApiClient(url, secret);
    const create = async (body: object) =>
      (await client.call<{ secret: string; memberId: string | null }>("POST", "/v2/keys", { body }))
        .body;
    const personal = await create({ name: "Of the person", scopes: ["admin"] });
    const lasting = await create({ name: "Of the team", owner: "organization", scopes: ["admin"] });
    const id = await memberId(owner, "Zoe");
    assert.deepEqual([personal.memberId, lasting.memberId], [id, null]);
    const hook = { url: "https://hooks.example/x", events: ["agent.failed"] };
    await client.call("POST", "/v2/webhooks", { body: hook });
    await browser.post(`${url}/members`, { email: "guest@acme.example", role: "viewer" });

    const { text } = await owner.get(`${url}/members/${id}/remove`);
    assert.match(text, /1 session, and\s+the API keys Zoe&#39;s, Of the person/);
    assert.match(text, /API keys of the organization: Of the team/);
    assert.match(text, /invitations that were not accepted: guest@acme\.example/);
    assert.match(text, /webhooks: hooks\.example/);
    const { keys } = dashboard.node.records;
    const form = new URLSearchParams("also=keys&also=invitations");
    assert.equal((await owner.post(`${url}/members/${id}/remove`, form)).status, 303);
    for (const key of [secret, personal.secret, lasting.secret]) {
      assert.equal(await keys.authenticate(key), undefined);
    }
    const page = await owner.get(`${url}/members`);
    assert.doesNotMatch(page.text, /Zoe|guest@acme/);
    assert.match((await owner.get(`${url}/webhooks`)).text, /hooks\.example/);
    const told = await actions();
    assert.ok(told.includes("Ada key.revoked Of the team"), told.join("\n"));
    assert.ok(told.includes("Ada member.removed guest@acme.example"));
  });

  it("cannot remove or demote the last owner", async () => {
    const owner = await enter(ada);
    const id = await memberId(owner, "Ada");
    for (const [act, form] of [
      ["remove", {}],
      ["role", { role: "viewer" }],
    ] as const) {
      const { status, text } = await owner.post(`${url}/members/${id}/${act}`, form);
      assert.equal(status, 409);
      assert.match(text, /Ada is the last owner/);
    }
  });

  it("are admitted by groups and domains, and only with a verified address", async () => {
    const staff = { sub: "sam", name: "Sam", email: "sam@staff.example" };
    const unverified = await signIn({ ...staff, email_verified: false });
    assert.equal(unverified.answer.status, 403);
    assert.match(unverified.answer.text, /no verified email address/);
    const viewer = await enter({ ...staff, email_verified: true });
    assert.match((await viewer.get(`${url}/keys`)).text, /as <strong>Sam<\/strong>, viewer/);
    assert.ok((await actions()).includes("Sam member.joined Sam"));
    const eve = { sub: "eve", name: "Eve", groups: ["editors", "others"] };
    const editor = await enter(eve);
    assert.match((await editor.get(`${url}/keys`)).text, /as <strong>Eve<\/strong>, editor/);
    await enter({ ...eve, groups: ["editors", "admins"] });
    assert.match((await editor.get(`${url}/keys`)).text, /as <strong>Eve<\/strong>, owner/);
    assert.equal((await signIn({ ...eve, groups: [] })).answer.status, 403);
    assert.match((await editor.get(`${url}/keys`)).location ?? "", /\/signin/);
  });

  it("stay owners if they are the last one, whatever their groups say", async () => {
    const { members } = dashboard.node.records;
    const owner = { sub: "olga", name: "Olga", groups: ["admins"] };
    await enter(owner);
    const own = (await members.list(organization.id)).filter(
      ({ name, role }) => role === "owner" && name !== "Olga",
    );
    const by = { organizationId: organization.id };
    for (const { id } of own) await members.changeRole(by, id, "editor");
    try {
      for (const groups of [["editors"], []]) {
        const browser = await enter({ ...owner, groups });
        assert.match((await browser.get(`${url}/keys`)).text, /as <strong>Olga<\/strong>, owner/);
      }
    } finally {
      for (const { id } of own) await members.changeRole(by, id, "owner");
    }
    const demoted = await enter({ ...owner, groups: ["editors"] });
    assert.match((await demoted.get(`${url}/keys`)).text, /as <strong>Olga<\/strong>, editor/);
  });

  it("switch between their organizations, and come back to the last one", async () => {
    const second = await dashboard.openOrganization("Second");
    const sue = { sub: "sue", name: "Sue", email: "sue@acme.example", email_verified: true };
    const { members } = dashboard.node.records;
    const { email } = sue;
    await members.invite({ organizationId: organization.id }, { email, role: "viewer" });
    await members.invite({ organizationId: second.id }, { email, role: "owner" });
    const browser = await enter(sue);
    assert.match(
      (await browser.get(`${url}/keys`)).text,
      />Acme<\/a>\s+as <strong>Sue<\/strong>, viewer/,
    );
    const token = browser.cookie(url, "octavo") ?? "";
    assert.match((await browser.get(`${url}/sessions`)).text, /Switch to Second/);
    const to = (organizationId: string) =>
      browser.post(`${url}/sessions/switch`, { organizationId });
    assert.equal((await to(second.id)).status, 303);
    assert.match(
      (await browser.get(`${url}/keys`)).text,
      />Second<\/a>\s+as <strong>Sue<\/strong>, owner/,
    );
    const old = openBrowser();
    old.setCookie(url, "octavo", token);
    assert.match((await old.get(`${url}/keys`)).location ?? "", /\/signin/);
    const again = await enter(sue);
    assert.match((await again.get(`${url}/keys`)).text, />Second<\/a>/);
    const stranger = await dashboard.openOrganization("Third");
    assert.equal((await to(stranger.id)).status, 404);
    const operator = await withKey();
    const form = { organizationId: second.id };
    assert.equal((await operator.post(`${url}/sessions/switch`, form)).status, 404);
    assert.doesNotMatch((await operator.get(`${url}/sessions`)).text, /Your organizations/);
  });

  it("get roles of groups in the oldest organization alone", async () => {
    const other = await dashboard.openOrganization("Elsewhere");
    const tom = { sub: "tom", name: "Tom", email: "tom@acme.example", email_verified: true };
    const { members } = dashboard.node.records;
    const invited = { email: tom.email, role: "viewer" } as const;
    await members.invite({ organizationId: other.id }, invited);
    const browser = await enter({ ...tom, groups: ["admins"] });
    assert.match(
      (await browser.get(`${url}/keys`)).text,
      />Elsewhere<\/a>\s+as <strong>Tom<\/strong>, viewer/,
    );
  });

  it("who are refused are on record, without their keys", async () => {
    const browser = openBrowser();
    const key = `octavo_${"ab".repeat(28)}`;
    assert.equal((await browser.post(`${url}/signin`, { key })).status, 401);
    const { answer } = await signIn({ sub: "nobody", name: "Nobody" });
    assert.equal(answer.status, 403);
    const operator = await withKey();
    const { text } = await operator.get(`${url}/audit?action=session.refused`);
    assert.match(text, /session refused<\/span>[^]*127\.0\.0\.1[^]*unknown/);
    assert.match(text, /reason: This API key is not valid/);
    assert.match(text, /is not a member of any organization on this service/);
    assert.doesNotMatch(text, /octavo_ab/);
  });

  it("do not become somebody else by their address", async () => {
    const other = { sub: "mallory", name: "Mallory", email: ada.email, email_verified: true };
    const { answer } = await signIn(other);
    assert.equal(answer.status, 403);
    assert.match(answer.text, /belongs to a member with a different account/);
  });

  it("see their sessions and end them, and a sign-out ends one at once", async () => {
    const [one, two] = [await enter(ada), await enter(ada)];
    const token = two.cookie(url, "octavo") ?? "";
    const { text } = await one.get(`${url}/sessions`);
    assert.match(text, /this browser/);
    assert.equal((await two.post(`${url}/signout`)).status, 303);
    const copied = openBrowser();
    copied.setCookie(url, "octavo", token);
    assert.match((await copied.get(`${url}/keys`)).location ?? "", /\/signin/);
    const third = await enter(ada);
    const listed = (await one.get(`${url}/sessions`)).text;
    const [, newest = ""] = /sessions\/(ss_\w+)\/end/.exec(listed) ?? [];
    assert.equal((await one.post(`${url}/sessions/${newest}/end`)).status, 303);
    assert.match((await third.get(`${url}/keys`)).location ?? "", /\/signin/);
    assert.equal((await one.post(`${url}/sessions/${newest}/end`)).status, 404);
  });

  it("read and export the audit log", async () => {
    const owner = await enter(ada);
    const page = await owner.get(`${url}/audit?action=member.invited`);
    assert.match(page.text, /member invited<\/span>/);
    assert.doesNotMatch(page.text, /row-title">session started/);
    const lines = await owner.get(`${url}/audit/export?action=member.invited`);
    assert.match(lines.headers.get("content-disposition") ?? "", /audit\.jsonl/);
    for (const line of lines.text.trimEnd().split("\n")) {
      assert.equal((JSON.parse(line) as { action: string }).action, "member.invited");
    }
  });
});
