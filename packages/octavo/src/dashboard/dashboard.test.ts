import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { parse } from "parse5";
import type { DefaultTreeAdapterTypes } from "parse5";
import { createApiClient } from "../../../../test/support/api-client.ts";
import { openDashboard, waitFor } from "../../../../test/support/running-dashboard.ts";
import type {
  HostedProject,
  RunningDashboard,
  Visit,
  Visitor,
} from "../../../../test/support/running-dashboard.ts";
import { createId } from "../core/index.ts";

let dashboard: RunningDashboard;
let organization: { readonly id: string; readonly key: string };
let hosted: HostedProject;
let ada: Visitor;
before(async () => {
  dashboard = await openDashboard();
  organization = await dashboard.openOrganization();
  hosted = await dashboard.addProject(organization.id);
  ada = await dashboard.browse().signIn(organization.key);
});
after(() => dashboard[Symbol.asyncDispose]());

type Element = DefaultTreeAdapterTypes.Element;

function elementsOf(text: string): Element[] {
  const found: Element[] = [];
  const waiting: DefaultTreeAdapterTypes.Node[] = [parse(text)];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if ("tagName" in node) found.push(node);
    if ("childNodes" in node) waiting.push(...node.childNodes);
  }
  return found;
}

/** Tags, attributes and addresses by which a text could act. */
function harmIn(text: string): string[] {
  const harm: string[] = [];
  for (const { tagName, attrs } of elementsOf(text)) {
    if (["img", "iframe", "object", "embed", "base", "b"].includes(tagName)) harm.push(tagName);
    for (const { name, value } of attrs) {
      if (name.startsWith("on") || name === "style" || name === "srcdoc") harm.push(name);
      if (["href", "src", "action"].includes(name) && !/^(\/|#|https?:)/.test(value)) {
        harm.push(`${name}=${value}`);
      }
      if (name.startsWith("hx-") && /alert\(/.test(value)) harm.push(name);
    }
  }
  const scripts = elementsOf(text).filter(({ tagName }) => tagName === "script");
  if (scripts.some(({ childNodes }) => childNodes.length > 0)) harm.push("inline script");
  return harm;
}

/** The address of the frame in a page. */
function framedIn(text: string): string {
  return /<iframe[^>]* src="([^"]+)"/.exec(text)?.[1] ?? "";
}

function location({ status, headers }: Visit): string | null {
  assert.equal(status, 303);
  return headers.get("location");
}

function jobOf(address: string | null): string {
  const id = /exports\/(se_\w+)$/.exec(address ?? "")?.[1];
  assert.ok(id, `${address} is no address of an export`);
  return id;
}

describe("a path where nothing is", () => {
  it("is a page for browsers, and an error of the API for others", async () => {
    const page = await ada.get("/nothing/here", { accept: "text/html,*/*;q=0.8" });
    assert.equal(page.status, 404);
    assert.match(page.text, /<h1>Not found<\/h1>[^]*href="\/"[^]*href="\/manual\/"/);
    assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'/);
    const answer = await ada.get("/nothing/here", { accept: "*/*" });
    assert.equal(answer.status, 404);
    assert.match(answer.text, /^\{"error":"This path does not exist/);
  });
});

describe("the audit log", () => {
  it("links to what its events name, as far as it has a page", async () => {
    const { project } = await dashboard.addProject(organization.id, "Audited");
    const started = location(await ada.post(`/projects/${project.id}/exports`));
    const { text } = await ada.get("/audit");
    assert.ok(text.includes(`<a href="${started}">`), "the export");
    assert.match(text, /<a href="\/sessions">/);
    for (const { attrs } of elementsOf(text.split("<main")[1] ?? "")) {
      const href = attrs.find(({ name }) => name === "href")?.value ?? "";
      if (href.startsWith("/projects/")) assert.equal((await ada.get(href)).status, 200, href);
    }
  });
});

describe("the settings of a project", () => {
  const form = {
    draft: "on",
    branchPrefix: "docs/",
    authorName: "Docs <b>",
    authorEmail: "docs@example.com",
    commitConvention: "conventional",
  };

  it("are changed, and said to be", async () => {
    const { project } = await dashboard.addProject(organization.id);
    const path = `/projects/${project.id}/settings`;
    assert.match((await ada.get(`/projects/${project.id}`)).text, new RegExp(`href="${path}"`));
    const refused = await ada.post(path, form);
    assert.equal(refused.status, 400);
    assert.match(
      refused.text,
      /id="authorName-refusal" role="alert">Author of the commits must be one line/,
    );
    assert.match(refused.text, /value="Docs &lt;b&gt;"[^]*value="docs@example\.com"/);
    assert.deepEqual(harmIn(refused.text), []);
    const saved = location(await ada.post(path, { ...form, authorName: "Docs Bot" }));
    assert.equal(saved, `${path}?saved`);
    const page = (await ada.get(saved)).text;
    assert.match(page, /role="status">Saved/);
    assert.match(page, /name="draft" type="checkbox" checked/);
    assert.match(page, /value="conventional" selected/);
    assert.match(page, /do not have labels or reviewers/);
    const scope = { organizationId: organization.id, projectId: null };
    const { pullRequests } = await dashboard.node.records.projects.get(scope, project.id);
    assert.deepEqual(pullRequests, {
      draft: true,
      labels: [],
      reviewers: [],
      branchPrefix: "docs/",
      author: { name: "Docs Bot", email: "docs@example.com" },
      commitConvention: "conventional",
    });
    await ada.post(path, {});
    assert.equal(
      (await dashboard.node.records.projects.get(scope, project.id)).pullRequests.draft,
      false,
    );
  });

  it("are nobody else's", async () => {
    const other = await dashboard.openOrganization("Other");
    const bob = await dashboard.browse().signIn(other.key);
    const path = `/projects/${hosted.project.id}/settings`;
    assert.equal((await bob.get(path)).status, 404);
    assert.equal((await bob.post(path, form)).status, 404);
    assert.equal((await ada.post(path, form, { origin: "https://evil.example" })).status, 403);
  });
});

describe("the sign-in", () => {
  it("takes a key, redirects back, and sets a cookie for this site only", async () => {
    const visitor = dashboard.browse();
    const path = `/projects/${hosted.project.id}?state=open`;
    const asked = location(await visitor.get(path));
    assert.equal(asked, `/signin?next=${encodeURIComponent(path)}`);
    const form = await visitor.get(asked);
    assert.equal(form.status, 200);
    const next = elementsOf(form.text).find(({ attrs }) => attrs.some((a) => a.value === "next"));
    assert.equal(next?.attrs.find(({ name }) => name === "value")?.value, path);
    const signedIn = await visitor.post("/signin", { key: organization.key, next: path });
    assert.equal(location(signedIn), path);
    const cookie = signedIn.headers.get("set-cookie") ?? "";
    assert.match(cookie, /^octavo=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/);
    assert.ok(!cookie.includes(organization.key));
    assert.equal((await visitor.get(path)).status, 200);
  });

  it("is where the root leads, unless a person is signed in", async () => {
    assert.equal(location(await dashboard.browse().get("/")), "/signin");
    assert.equal(location(await ada.get("/")), "/projects");
    assert.equal(location(await ada.get("/signin")), "/projects");
  });

  for (const next of [
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example/",
    "\\\\evil.example/",
    "/\t/evil.example/",
    "/.//evil.example/",
    "/a/..//evil.example/",
    "javascript:alert(1)",
    "projects",
    "",
    `/${"a".repeat(3000)}`,
  ]) {
    it(`redirects to its own paths only, not to ${JSON.stringify(next.slice(0, 30))}`, async () => {
      const form = { key: organization.key, next };
      assert.equal(location(await dashboard.browse().post("/signin", form)), "/projects");
    });
  }

  it("says what is wrong with a key without repeating it", async () => {
    const key = `octavo_${"0".repeat(56)}`;
    const { status, text } = await dashboard.browse().post("/signin", { key });
    assert.equal(status, 401);
    assert.match(text, /This API key is not valid/);
    assert.ok(!text.includes(key));
  });

  it("slows down who guesses, by address and by key, and never who has a valid key", async () => {
    await using other = await openDashboard();
    const visitor = other.browse();
    for (let tries = 0; tries < 10; tries++) {
      assert.equal((await visitor.post("/signin", { key: "octavo_no" })).status, 401);
    }
    const { status, headers, text } = await visitor.post("/signin", { key: "octavo_yes" });
    assert.equal(status, 429);
    assert.ok(Number(headers.get("retry-after")) > 0);
    assert.match(text, /Too many sign-ins failed/);
    const { key } = await other.openOrganization();
    assert.equal((await visitor.post("/signin", { key })).status, 303);
  });

  it("sets a Secure cookie if the service is reached by https", async () => {
    await using other = await openDashboard({ OCTAVO_BASE_URL: "https://octavo.example/docs" });
    const { key } = await other.openOrganization();
    const asked = await other.browse().get("/projects");
    assert.equal(location(asked), "/docs/signin?next=%2Fprojects");
    const origin = "https://octavo.example";
    const signedIn = await other.browse().post("/signin", { key }, { origin });
    assert.equal(location(signedIn), "/docs/projects");
    assert.match(
      signedIn.headers.get("set-cookie") ?? "",
      /^__Host-octavo=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
  });
});

describe("a session", () => {
  it("ends on the next request after its key is revoked", async () => {
    const scope = { organizationId: organization.id, projectId: null };
    const { secret, id } = await dashboard.node.records.keys.create(scope, "Short");
    const visitor = await dashboard.browse().signIn(secret);
    assert.equal((await visitor.get("/projects")).status, 200);
    await dashboard.node.records.keys.revoke(scope, id);
    assert.equal(location(await visitor.get("/projects")), "/signin?next=%2Fprojects");
    const part = await visitor.get("/projects", { "hx-request": "true" });
    assert.deepEqual(
      [part.status, part.headers.get("hx-redirect")],
      [204, "/signin?next=%2Fprojects"],
    );
  });

  it("cannot be forged or extended by a visitor", async () => {
    const signedIn = await dashboard.browse().post("/signin", { key: organization.key });
    const value = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
    const [name = "", token = ""] = value.split("=");
    for (const forged of [
      `${token.startsWith("A") ? "B" : "A"}${token.slice(1)}`,
      token.slice(0, -1),
      `${token}A`,
      `${token}.${token}`,
      token.toLowerCase(),
      createId("key"),
      "",
      ".".repeat(400),
    ]) {
      const headers = { cookie: `${name}=${forged}` };
      assert.equal((await dashboard.browse().get("/projects", headers)).status, 303, forged);
    }
    const whole = { cookie: `other=1; ${value}` };
    assert.equal((await dashboard.browse().get("/projects", whole)).status, 200);
  });

  it("ends when the person signs out", async () => {
    const visitor = await dashboard.browse().signIn(organization.key);
    const signedOut = await visitor.post("/signout");
    assert.equal(location(signedOut), "/signin");
    assert.match(signedOut.headers.get("set-cookie") ?? "", /Max-Age=0/);
  });

  it("is used after a link from another site, once the page has reloaded itself", async () => {
    const { status, text } = await dashboard
      .browse()
      .get("/projects?before=x%22y", { "sec-fetch-site": "cross-site" });
    assert.equal(status, 200);
    assert.match(text, /content="0; url=\/projects\?before=x%22y"/);
  });
});

describe("a form", () => {
  const bad: readonly Readonly<Record<string, string>>[] = [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
    { origin: "https://evil.example" },
    { origin: "null" },
    {},
  ];
  for (const headers of bad) {
    it(`is refused with ${JSON.stringify(headers)}`, async () => {
      const { project } = hosted;
      for (const path of [
        "/signin",
        "/signout",
        "/keys",
        `/projects/${project.id}/exports`,
        `/projects/${project.id}/pulls/1/merge`,
      ]) {
        const { status, text } = await ada.post(path, { name: "Evil" }, headers);
        assert.equal(status, 403, path);
        assert.match(text, /did not come from a page of this dashboard/);
      }
      const { items } = await dashboard.node.records.keys.list(
        { organizationId: organization.id, projectId: null },
        { limit: 100 },
      );
      assert.ok(!items.some(({ name }) => name === "Evil"));
    });
  }

  it("is accepted with the service's own origin from browsers that send no other header", async () => {
    const { host } = new URL(dashboard.url);
    const visitor = dashboard.browse();
    const form = { key: organization.key };
    assert.equal((await visitor.post("/signin", form, { origin: `http://${host}` })).status, 303);
  });
});

describe("pages", () => {
  it("have a policy without inline scripts, and are not cached", async () => {
    const { headers } = await ada.get("/projects");
    const policy = headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
    assert.doesNotMatch(policy, /unsafe|\*/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.equal(headers.get("cache-control"), "no-store");
  });

  it("have their own files, which are cached for ever", async () => {
    const { text } = await dashboard.browse().get("/signin");
    const files = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path);
    assert.equal(files.length, 4);
    for (const file of files) {
      const { status, headers } = await dashboard.browse().get(file ?? "");
      assert.equal(status, 200);
      assert.match(headers.get("cache-control") ?? "", /immutable/);
    }
    assert.equal((await dashboard.browse().get("/assets/..%2Findex.ts")).status, 404);
  });

  it("show the message of an error, with the request's ID", async () => {
    const { status, headers, text } = await ada.get(`/projects/${createId("project")}`);
    assert.equal(status, 404);
    assert.match(headers.get("content-type") ?? "", /^text\/html/);
    assert.match(text, /The project .* does not exist/);
    assert.ok(text.includes(headers.get("x-request-id") ?? "none"));
  });

  it("are where the address of a form leads, whether or not anyone is signed in", async () => {
    const pages = {
      "/signout": "/",
      "/keys/key_1/revoke": "/keys",
      "/projects/p/exports/x/cancel?again=/a": "/projects/p/exports/x",
      "/projects/p/pulls/1/merge": "/projects/p/pulls/1",
      "/projects/p/links": "/projects/p",
    };
    for (const [form, page] of Object.entries(pages)) {
      for (const visitor of [ada, dashboard.browse()]) {
        assert.equal(location(await visitor.get(form)), page);
      }
    }
  });

  it("respond to what belongs to others as to what does not exist", async () => {
    const other = await dashboard.openOrganization("Other");
    const theirs = await dashboard.addProject(other.id);
    await theirs.pushBranch("octavo/a", { "guide.mdx": "Other.\n" });
    const number = await theirs.openPullRequest("octavo/a");
    const them = await dashboard.browse().signIn(other.key);
    const started = await them.post(`/projects/${theirs.project.id}/exports`);
    const job = jobOf(location(started));
    const { id } = theirs.project;
    for (const path of [
      `/projects/${id}`,
      `/projects/${id}/exports/${job}`,
      `/projects/${id}/exports/${job}/download`,
      `/projects/${id}/exports/${job}/preview`,
      `/projects/${id}/pulls`,
      `/projects/${id}/pulls/${number}`,
      `/projects/${id}/pulls/${number}/changes`,
      `/projects/${id}/pulls/${number}/preview`,
      `/projects/${hosted.project.id}/exports/${job}`,
      `/projects/${hosted.project.id}/pulls/99`,
      `/projects/${hosted.project.id}/pulls/x`,
      `/projects/${hosted.project.id}/nothing`,
      "/projects/..%2F..%2Fetc",
    ]) {
      assert.equal((await ada.get(path)).status, 404, path);
    }
    for (const path of [
      `/projects/${id}/exports`,
      `/projects/${id}/exports/${job}/cancel`,
      `/projects/${hosted.project.id}/exports/${job}/cancel`,
      `/projects/${id}/pulls/${number}/merge`,
      `/projects/${id}/pulls/${number}/close`,
      `/projects/${id}/pulls/${number}/ready`,
      `/projects/${id}/pulls/${number}/changes`,
      `/projects/${id}/pulls/${number}/comment`,
      `/projects/${id}/pulls/${number}/ask`,
    ]) {
      assert.equal((await ada.post(path)).status, 404, path);
    }
    assert.ok(!(await ada.get("/projects")).text.includes(id));
    assert.ok(!(await ada.get("/keys")).text.includes(id));
  });
});

describe("a key that is limited to a project", () => {
  it("sees only that project, and cannot create keys", async () => {
    const { projects, keys } = dashboard.node.records;
    const domain = "other.acme.example";
    const other = await projects.create(organization.id, {
      name: "Other",
      domain,
      repository: "local",
    });
    const scope = { organizationId: organization.id, projectId: hosted.project.id };
    const { secret } = await keys.create(scope, "Limited");
    const visitor = await dashboard.browse().signIn(secret);
    const { text } = await visitor.get("/projects");
    assert.ok(text.includes(hosted.project.id));
    assert.ok(!text.includes(other.id));
    assert.equal((await visitor.get(`/projects/${other.id}`)).status, 404);
    assert.equal((await visitor.post(`/projects/${other.id}/exports`)).status, 404);
    const page = await visitor.get("/keys");
    assert.match(page.text, /it cannot create keys/);
    assert.ok(!page.text.includes(other.id));
    assert.ok(!page.text.includes("Ada&#39;s key"));
    assert.equal((await visitor.post("/keys", { name: "More" })).status, 403);
  });
});

describe("the sources of a project", () => {
  it("are changed one on a line, and keep the credentials of their addresses", async () => {
    const { project } = await dashboard.addProject(organization.id);
    const { projects } = dashboard.node.records;
    const scope = { organizationId: organization.id, projectId: null };
    const engine = "https://git.example/acme/engine";
    const credentials = { password: "hunter2-hunter2" };
    await projects.update(scope, project.id, { sources: [{ repository: engine, credentials }] });
    const path = `/projects/${project.id}/sources`;
    assert.match((await ada.get(`/projects/${project.id}`)).text, new RegExp(`href="${path}"`));
    const sources = `${engine}@v2:src\r\n\r\nhttps://git.example/acme/cli\r\n`;
    assert.equal(location(await ada.post(path, { sources })), `${path}?saved`);
    const page = (await ada.get(`${path}?saved`)).text;
    assert.match(page, /role="status">Saved/);
    assert.match(
      page,
      />\nhttps:\/\/git\.example\/acme\/engine@v2:src\nhttps:[^<]*cli<\/textarea>/,
    );
    const [first, second] = await projects.readSources(project.id);
    assert.deepEqual(
      [first?.ref, first?.directory, first?.credentials, second?.credentials],
      ["v2", "src", credentials, undefined],
    );
    await ada.post(path, { sources: "" });
    assert.deepEqual(await projects.readSources(project.id), []);
  });

  it("are refused with the reason, and what was written stays", async () => {
    const { project } = await dashboard.addProject(organization.id);
    const path = `/projects/${project.id}/sources`;
    for (const [sources, reason] of [
      ["file:///etc</textarea><b>", /role="alert">sources\[0\]: /],
      ["@", /role="alert">A source consists of a repository/],
      ["https://git.example/a@--upload-pack=x", /role="alert">sources\[0\]: /],
    ] as const) {
      const refused = await ada.post(path, { sources });
      assert.equal(refused.status, 400);
      assert.match(refused.text, reason);
      assert.deepEqual(harmIn(refused.text), []);
    }
    const other = await dashboard.openOrganization("Elsewhere");
    const bob = await dashboard.browse().signIn(other.key);
    assert.equal((await bob.get(path)).status, 404);
    assert.equal((await bob.post(path, { sources: "" })).status, 404);
    assert.equal((await ada.post(path, { sources: "" }, { origin: "https://evil.example" })).status, 403); // prettier-ignore
  });
});

describe("a project's page", () => {
  it("names its sources, without what opens them", async () => {
    const { id } = await dashboard.node.records.projects.create(organization.id, {
      name: "Sourced",
      domain: "sourced.acme.example",
      repository: "local",
      sources: [
        {
          repository: "https://git.example/<engine>.git",
          ref: "v2&1",
          directory: "src",
          credentials: { password: "hunter2-hunter2" },
        },
      ],
    });
    const { text } = await ada.get(`/projects/${id}`);
    const shown = text.replaceAll(/\s+/g, " ");
    assert.ok(
      shown.includes("https://git.example/%3Cengine%3E.git at <code>v2&amp;1</code>, folder"),
      shown,
    );
    assert.ok(!text.includes("hunter2"));
    await dashboard.node.records.projects.remove(
      { organizationId: organization.id, projectId: null },
      id,
    );
  });
});

describe("the API keys page", () => {
  it("creates a key that works, shows it once, and revokes it", async () => {
    const form = { name: "For CI", projectId: hosted.project.id, scopes: "read" };
    const { status, text } = await ada.post("/keys", form);
    assert.equal(status, 200);
    const [secret = ""] = /octavo_[0-9a-f]{56}/.exec(text) ?? [];
    const caller = await dashboard.node.records.keys.authenticate(secret);
    assert.equal(caller?.projectId, hosted.project.id);
    assert.deepEqual(caller.scopes, ["read"]);
    const listed = await ada.get("/keys");
    assert.ok(!listed.text.includes(secret));
    assert.match(listed.text, /For CI/);
    assert.equal(location(await ada.post(`/keys/${caller.keyId}/revoke`)), "/keys");
    assert.equal(await dashboard.node.records.keys.authenticate(secret), undefined);
    assert.equal((await ada.post(`/keys/${caller.keyId}/revoke`)).status, 404);
    assert.ok(!dashboard.log().includes(secret));
  });

  it("suggests a key that reads and exports for 90 days", async () => {
    const { text } = await ada.get("/keys");
    const checked = [...text.matchAll(/name="scopes" value="(\w+)"\s+checked/g)];
    assert.deepEqual(
      checked.map(([, scope]) => scope),
      ["read", "export"],
    );
    const day = /name="expires"\s+type="date"\s+value="([\d-]{10})"/.exec(text)?.[1] ?? "";
    const days = (Date.parse(day) - Date.now()) / (24 * 60 * 60 * 1000);
    assert.ok(days > 88 && days <= 90, day);
  });

  for (const [form, sentence] of [
    [{ name: "" }, /a name of 1 to 200/],
    [{ name: "a".repeat(201) }, /a name of 1 to 200/],
    [{ name: "a\0b" }, /a name of 1 to 200/],
    [{}, /a name of 1 to 200/],
  ] as const) {
    it(`refuses ${JSON.stringify(form).slice(0, 30)} with a message`, async () => {
      const { status, text } = await ada.post("/keys", { ...form });
      assert.equal(status, 400);
      assert.match(text, sentence);
    });
  }
});

describe("an export", () => {
  for (const format of ["tar.gz", "zip"] as const) {
    it(`can be started, followed, downloaded and viewed as ${format}`, async () => {
      const { project } = hosted;
      const path = `/projects/${project.id}`;
      const address = location(await ada.post(`${path}/exports`, { ref: "", format })) ?? "";
      const job = jobOf(address);
      const page = await waitFor(ada, address, ({ text }) => text.includes(`${address}/download`));
      assert.match(page.text, /1 error|errors/);
      assert.match(page.text, /index\.mdx:5:\d+/);
      assert.match(page.text, /\/nowhere/);
      assert.doesNotMatch(page.text, /hx-get/);
      assert.ok((await ada.get(`${path}/exports`)).text.includes(job));
      assert.match((await ada.get(`${path}/problems`)).text, /index\.mdx:5:\d+/);

      const link = location(await ada.get(`${address}/download`)) ?? "";
      const bundle = await fetch(link);
      assert.equal(bundle.status, 200);
      assert.ok((await bundle.arrayBuffer()).byteLength > 1000);

      const preview = location(await ada.get(`${address}/preview`)) ?? "";
      const frame = await ada.get(preview);
      assert.match(frame.headers.get("content-security-policy") ?? "", /; frame-src 'self'$/);
      const files = framedIn(frame.text);
      const shown = await ada.get(files, { "sec-fetch-dest": "iframe" });
      assert.equal(shown.status, 200);
      assert.match(shown.text, /<h1[^>]*>(?:<span[^>]*><\/span>)?Welcome/);
      assert.match(
        shown.headers.get("content-security-policy") ?? "",
        /^sandbox allow-scripts; default-src http:\/\/127\.0\.0\.1:\d+ .*; connect-src 'none'; form-action 'none';/,
      );
      for (const name of ["guide.html", "_octavo/report.json"]) {
        const file = await fetch(new URL(files + name, dashboard.url));
        assert.equal(file.status, 200, name);
        assert.match(file.headers.get("content-security-policy") ?? "", /^sandbox;/);
      }
      for (const name of ["..%2f..%2fadmin-key", "nothing.html", "%00", "guide.html/x"]) {
        assert.equal((await fetch(new URL(files + name, dashboard.url))).status, 404, name);
      }
      const forged = files.replace(/\.[^./]+\/$/, ".forged/");
      assert.equal((await fetch(new URL(forged, dashboard.url))).status, 403);
    });
  }

  it("refreshes its page while it runs, also without scripts", async () => {
    // Without a worker it stays where it is.
    await using other = await openDashboard({ OCTAVO_ROLES: "api" });
    const { id, key } = await other.openOrganization();
    const { project } = await other.addProject(id);
    const visitor = await other.browse().signIn(key);
    const path = location(await visitor.post(`/projects/${project.id}/exports`)) ?? "";
    for (const page of [path, `/projects/${project.id}`]) {
      const { text } = await visitor.get(page);
      assert.match(text, /hx-get="[^"]+" hx-select="#live" hx-trigger="every 1s"/);
      assert.match(text, /<noscript><meta http-equiv="refresh" content="3" \/><\/noscript>/);
    }
    assert.equal((await visitor.get(`${path}/download`)).status, 409);
    assert.equal(location(await visitor.post(`${path}/cancel`)), path);
    assert.match((await visitor.get(path)).text, /Cancelled/);
    assert.equal((await visitor.post(`${path}/cancel`)).status, 409);
  });

  it("needs a plan that includes exports", async () => {
    const { records } = dashboard.node;
    const { id, key } = await dashboard.openOrganization("Small");
    const { project } = await dashboard.addProject(id);
    await records.organizations.setPlan(id, "free");
    const visitor = await dashboard.browse().signIn(key);
    assert.match(
      (await visitor.get(`/projects/${project.id}/exports`)).text,
      /requires the enterprise plan/,
    );
    assert.equal((await visitor.post(`/projects/${project.id}/exports`)).status, 403);
  });

  it("refuses an invalid ref", async () => {
    const path = `/projects/${hosted.project.id}/exports`;
    for (const form of [{ ref: "--upload-pack=x" }, { ref: "a".repeat(300) }, { format: "rar" }]) {
      assert.equal((await ada.post(path, { ...form })).status, 400);
    }
  });
});

describe("a pull request", () => {
  it("is listed, shown, and merged once with a notice", async () => {
    const own = await dashboard.addProject(organization.id);
    await own.pushBranch("octavo/mend", {
      "guide.mdx": "---\ntitle: Guide\n---\n\n## Second\n\nWords.\n",
    });
    const body = "## What\n\nMended **one** [link](https://example.com).\n\n- `guide.mdx`";
    const number = await own.openPullRequest("octavo/mend", { title: "Mend it", body });
    const list = `/projects/${own.project.id}/pulls`;
    const path = `${list}/${number}`;
    assert.match((await ada.get(list)).text, /Mend it/);
    const page = await ada.get(path);
    assert.equal(page.status, 200);
    assert.match(page.text, /<strong>one<\/strong>/);
    const { text } = await ada.get(`${path}/changes`);
    assert.match(text, /<tr class="removed">[^]*?## First<[^]*?<tr class="added">[^]*?## Second</);
    const headCommit = /name="headCommit" value="(\w+)"/.exec(page.text)?.[1] ?? "";
    assert.equal((await ada.post(`${path}/merge`, { headCommit: "0".repeat(40) })).status, 409);
    assert.equal(location(await ada.post(`${path}/merge`, { headCommit })), path);
    assert.equal(location(await ada.post(`${path}/merge`, { headCommit })), path);
    assert.match((await ada.get(path)).text, /This pull request was merged/);
    assert.equal((await ada.post(`${path}/close`)).status, 409);
    assert.match((await ada.get(`${list}?state=merged`)).text, /Mend it/);
    assert.doesNotMatch((await ada.get(list)).text, /Mend it/);
  });

  it("that is a draft is merged after somebody has marked it as ready", async () => {
    const own = await dashboard.addProject(organization.id);
    await own.pushBranch("octavo/begun", { "guide.mdx": "---\ntitle: Guide\n---\n\nBegun.\n" });
    const number = await own.openPullRequest("octavo/begun", { isDraft: true });
    const list = `/projects/${own.project.id}/pulls`;
    const path = `${list}/${number}`;
    assert.match((await ada.get(list)).text, /<span>draft<\/span>/);
    const draft = await ada.get(path);
    assert.match(draft.text, /<span class="badge badge-open">draft<\/span>/);
    assert.match(draft.text, /This pull request cannot be merged here\..* is a draft/);
    assert.equal(location(await ada.post(`${path}/ready`)), path);
    const ready = await ada.get(path);
    assert.match(ready.text, /It can be merged without conflicts/);
    assert.doesNotMatch(ready.text, /Mark as ready/);
    await ada.post(`${path}/close`);
    assert.equal((await ada.post(`${path}/ready`)).status, 409);
  });

  it("shows which files conflict, and can be closed", async () => {
    const own = await dashboard.addProject(organization.id);
    await own.pushBranch("octavo/one", { "guide.mdx": "One.\n" });
    const number = await own.openPullRequest("octavo/one");
    await own.pushBranch("octavo/two", { "guide.mdx": "Two.\n" });
    const other = await own.openPullRequest("octavo/two");
    await dashboard.node.reviews.merge(own.project, other, {
      name: "Ada",
      email: "ada@acme.example",
    });
    const path = `/projects/${own.project.id}/pulls/${number}`;
    const { text } = await ada.get(path);
    assert.match(text, /This pull request cannot be merged here/);
    assert.match(text, /<li><code>guide\.mdx<\/code><\/li>/);
    assert.doesNotMatch(text, /action="[^"]+\/merge"/);
    assert.equal(location(await ada.post(`${path}/close`)), path);
    assert.match((await ada.get(path)).text, /This pull request was closed/);
  });
});

describe("an agent job", () => {
  it("is on its project's pages, and links to its pull request", async () => {
    const { project } = await dashboard.addProject(organization.id);
    const client = createApiClient(dashboard.url, organization.key);
    const prompt = 'Rename the term "Words" to "Sentences"';
    const { status } = await client.call("POST", `/v2/agent/${project.id}/job`, {
      body: { prompt },
    });
    assert.equal(status, 201);
    const { text } = await waitFor(ada, `/projects/${project.id}`, (visit) =>
      /Pull request<\/a|badge-failed/.test(visit.text),
    );
    const link = /href="([^"]+\/pulls\/1)"/.exec(text)?.[1] ?? "";
    assert.equal(link, `${dashboard.url}/projects/${project.id}/pulls/1`);
    const page = await ada.get(`${new URL(link).pathname}/changes`);
    assert.match(page.text, /<tr class="added">[^]*?<td class="line">Sentences\.<\/td>/);
    assert.ok((await ada.get("/projects")).text.includes(link));
  });
});

describe("what people and sites write", () => {
  const evil = `"'><img src=x onerror=alert(1)><script>alert(1)</script><b>&amp;`;

  it("is escaped on every page", async () => {
    const own = await dashboard.openOrganization(evil);
    const theirs = await dashboard.addProject(own.id, evil);
    const { project } = theirs;
    const scope = { organizationId: own.id, projectId: null };
    await dashboard.node.records.keys.create(scope, evil);
    const branch = `octavo/<b>"'&`;
    await theirs.pushBranch(branch, {
      "index.mdx": `---\ntitle: ${JSON.stringify(evil)}\n---\n\n[x](/${encodeURIComponent("<b>")}<b>)\n\n${evil}\n`,
      "<b>onerror=.mdx": evil,
    });
    const body = [
      evil,
      '[a](javascript:alert(1)) [b](data:text/html,x) [c](/keys/revoke) <https://x.example/"onerror=alert(1)>',
      `\`${evil}\` **${evil}** *${evil}*`,
      `# ${evil}`,
      `> ${evil}`,
      `- ${evil}\n  1. ${evil}`,
      `| ${evil} |\n| --- |\n| ${evil} |`,
      "```html\n" + evil + "\n```",
    ].join("\n\n");
    const number = await theirs.openPullRequest(branch, { title: evil, body });
    await dashboard.node.reviews.addComment(project.id, number, { author: evil, body });
    const visitor = await dashboard.browse().signIn(own.key);
    const exported = location(
      await visitor.post(`/projects/${project.id}/exports`, { ref: branch }),
    );
    const ended = await waitFor(visitor, exported ?? "", ({ text }) =>
      text.includes(`${exported}/download`),
    );
    assert.match(ended.text, /&lt;b&gt;onerror=\.mdx/);
    const agent = `/projects/${project.id}/agent`;
    const renamed = location(await visitor.post(agent, { prompt: `Rename "Words" to “${evil}”` }));
    const asked = location(await visitor.post(agent, { prompt: `Fix the broken links\n${evil}` }));
    for (const address of [renamed ?? "", asked ?? ""]) {
      await waitFor(visitor, address, ({ text }) => !/badge-active/.test(text));
    }
    const pages = [
      renamed ?? "",
      asked ?? "",
      agent,
      `${agent}?status=${encodeURIComponent(evil)}`,
      `${agent}/${encodeURIComponent(evil)}`,
      `${renamed}/preview/1/${encodeURIComponent(evil)}`,
      "/projects",
      `/projects/${project.id}`,
      `/projects/${project.id}/deployments`,
      `/projects/${project.id}/exports`,
      `/projects/${project.id}/problems`,
      `/projects/${project.id}/problems?kind=${encodeURIComponent(evil)}`,
      `/projects/${project.id}/settings`,
      `/projects/${project.id}/site`,
      `/projects/${project.id}/pulls`,
      `/projects/${project.id}/pulls/${number}`,
      `/projects/${project.id}/pulls/${number}/changes`,
      `/projects/${project.id}/pulls/${number}/preview`,
      `/projects/${project.id}/pulls/${number}/preview?page=index.mdx`,
      exported ?? "",
      "/keys",
      `/signin?next=${encodeURIComponent(evil)}`,
      `/projects/${encodeURIComponent(evil)}`,
      `/projects/${project.id}/exports/${encodeURIComponent(evil)}`,
      `/projects?before=${encodeURIComponent(evil)}`,
    ];
    for (const path of pages) {
      const { text, status } = await visitor.get(path);
      if (status !== 303) assert.deepEqual(harmIn(text), [], path);
    }
    const anonymous = await dashboard.browse().get(`/signin?next=${encodeURIComponent(evil)}`);
    assert.deepEqual(harmIn(anonymous.text), []);
    const { text } = await visitor.get(`/projects/${project.id}/pulls/${number}`);
    assert.match(text, /&lt;img src=x onerror=alert\(1\)&gt;/);
  });

  it("is detected by these tests if it is not escaped", () => {
    const found = harmIn(`<p>${evil}</p><a href="javascript:alert(1)">x</a>`);
    for (const harm of ["b", "img", "onerror", "inline script", "href=javascript:alert(1)"]) {
      assert.ok(found.includes(harm), harm);
    }
  });
});
