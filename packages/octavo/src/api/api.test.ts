import assert from "node:assert/strict";
import { resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import type { ClientResponse, ApiClient } from "../../../../test/support/api-client.ts";
import { openApiContract } from "../../../../test/support/api-contract.ts";
import type { ApiContract } from "../../../../test/support/api-contract.ts";
import { newDomain, openApi } from "../../../../test/support/running-api.ts";
import type { RunningApi, TestOrganization } from "../../../../test/support/running-api.ts";
import { createId } from "../core/index.ts";
import type { StaticExportJob } from "../jobs/index.ts";

let api: RunningApi;
let contract: ApiContract;
let acme: TestOrganization;
let stranger: TestOrganization;

before(async () => {
  api = await openApi();
  [acme, stranger] = [await api.openOrganization(), await api.openOrganization("pro")];
  contract = await openApiContract(api.url, "/openapi.json");
});
after(() => api[Symbol.asyncDispose]());

const jobs = "/v1/static-export/jobs";
const formatJson = (value: unknown) => JSON.stringify(value, null, 2);

/** A body of so many megabytes without a length: it has to be read before its size is known. */
function chunks(count: number): ReadableStream {
  return ReadableStream.from(Array.from({ length: count }, () => Buffer.alloc(1024 * 1024, "x")));
}

/** Every answer has these; every error has the one body. */
function assertWellFormed({ status, headers, body }: ClientResponse): void {
  assert.match(headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/);
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.ok(headers.get("content-security-policy"));
  if (status < 400) return;
  const { error, ...rest } = body as { error: string };
  assert.match(error, /^[^\n]{10,}\.$/);
  assert.deepEqual(rest, {});
  assert.equal(status === 401, headers.has("www-authenticate"));
  assert.equal(status === 405, headers.has("allow"));
  assert.equal(status === 429 || status === 503, headers.has("retry-after"));
  assert.doesNotMatch(error, /\/(home|tmp|root|src)\/|select |insert |octavo_[0-9a-f]{10}/);
}

interface Expectation {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly client?: ApiClient;
  readonly says?: RegExp;
}

async function expectAnswer<Body>(expected: Expectation): Promise<ClientResponse<Body>> {
  const { method, path, body, headers = {}, client = acme.client } = expected;
  const answer = await client.call<Body>(method, path, { body, headers });
  const shown = `${method} ${path}: ${JSON.stringify(answer.body)}`;
  assert.equal(answer.status, expected.status, shown);
  assertWellFormed(answer);
  contract.assertDescribed(method, path, answer);
  if (expected.says) assert.match((answer.body as { error: string }).error, expected.says);
  return answer;
}

async function startExport(
  organization: TestOrganization,
  domain?: string,
): Promise<StaticExportJob> {
  const project = await organization.addProject(domain);
  const { body } = await organization.client.call<StaticExportJob>("POST", jobs, {
    body: { domain: project.domain },
  });
  return body;
}

async function limitedClient(organization: TestOrganization, projectId: string) {
  const { secret } = await api.keys.create({ organizationId: organization.id, projectId }, "CI");
  return api.client(secret);
}

describe("the path of an export", () => {
  test("from its start to its bundle", async () => {
    const { domain } = await acme.addProject();
    const started = await expectAnswer<StaticExportJob>({
      method: "POST",
      path: jobs,
      body: { domain, version: "v1", paths: ["index"], ref: "main", format: "zip" },
      status: 202,
    });
    const { jobId } = started.body;
    assert.match(jobId, /^se_/);
    assert.equal(started.headers.get("location"), `${jobs}/${jobId}`);
    assert.deepEqual(
      { ...started.body, jobId: "", createdAt: "", updatedAt: "" },
      {
        jobId: "",
        createdBy: { type: "key", id: acme.keyId, name: "Test" },
        createdAt: "",
        updatedAt: "",
        status: "queued",
        progress: 0,
        pageCount: 0,
        domain,
        version: "v1",
        ref: "main",
        commit: null,
        format: "zip",
      },
    );
    assert.match(started.body.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const ended = await acme.client.waitForExport(jobId);
    assert.equal(ended.status, "completed");
    const path = `${jobs}/${jobId}`;
    const got = await expectAnswer<StaticExportJob>({ method: "GET", path, status: 200 });
    assert.deepEqual(got.body, ended);
    const bundle = { method: "POST", path: `${path}/bundle`, status: 200 };
    const { body } = await expectAnswer<{ jobId: string; expiresAt: string }>(bundle);
    assert.equal(body.jobId, jobId);
    await expectAnswer({ ...bundle, body: {} });
    await expectAnswer({ ...bundle, headers: { "content-type": "application/json" } });
    const cancel = { method: "POST", path: `${path}/cancel` };
    await expectAnswer({ ...cancel, status: 409, says: /completed/ });
  });

  test("cancelled", async () => {
    const { jobId } = await startExport(acme, newDomain("slow"));
    const path = `${jobs}/${jobId}`;
    const bundle = { method: "POST", path: `${path}/bundle`, status: 409 };
    await expectAnswer({ ...bundle, says: /queued|running/ });
    const cancel = { method: "POST", path: `${path}/cancel` };
    const { body } = await expectAnswer<StaticExportJob>({ ...cancel, status: 200 });
    assert.equal(body.status, "failed");
    assert.match(body.error ?? "", /^Cancelled/);
    await expectAnswer({ ...cancel, status: 409, says: /failed/ });
    await expectAnswer({ ...bundle, says: /Cancelled/ });
  });

  test("gets 410 for a bundle that retention removed", async () => {
    const { jobId } = await startExport(acme);
    await acme.client.waitForExport(jobId);
    await api.database.kysely
      .updateTable("static_export_jobs")
      .set({ bundle_key: null, bundle_bytes: null })
      .where("id", "=", jobId)
      .execute();
    const path = `${jobs}/${jobId}/bundle`;
    await expectAnswer({ method: "POST", path, status: 410, says: /start the export again/ });
  });

  test("has an ETag that changes with the job", async () => {
    const { jobId } = await startExport(acme, newDomain("slow"));
    const get = { method: "GET", path: `${jobs}/${jobId}` };
    await acme.client.call("POST", `${get.path}/cancel`);
    const { headers } = await expectAnswer({ ...get, status: 200 });
    const tag = headers.get("etag") ?? "";
    assert.match(tag, /^"[^"]+"$/);
    for (const value of [tag, `W/${tag}`, `"x", ${tag}`, "*"]) {
      const same = await expectAnswer({ ...get, status: 304, headers: { "if-none-match": value } });
      assert.equal(same.headers.get("etag"), tag);
    }
    await expectAnswer({ ...get, status: 200, headers: { "if-none-match": '"0"' } });
    for (const value of [tag, `"0", ${tag}`, "*"]) {
      await expectAnswer({ ...get, status: 200, headers: { "if-match": value } });
    }
    for (const value of ['"0"', `W/${tag}`]) {
      const other = await expectAnswer({ ...get, status: 412, headers: { "if-match": value } });
      assert.equal(other.headers.get("etag"), tag);
    }
  });
});

for (const method of ["GET", "POST", "DELETE", "PATCH"]) {
  test(`a path with a slash at its end is unknown to ${method}`, async () => {
    for (const path of [`${jobs}/`, "/v2/keys/", "/v2/projects/", "/healthz/"]) {
      const answer = await acme.client.call<{ error: string }>(method, path);
      assert.equal(answer.status, 404, path);
      assertWellFormed(answer);
      assert.match(answer.body.error, /This path does not exist/);
    }
  });
}

test("a compressed body is refused", async () => {
  const post = { method: "POST", path: jobs, body: { domain: "x.example" } };
  const encoded = (coding: string) => ({ ...post, headers: { "content-encoding": coding } });
  const { headers } = await expectAnswer({ ...encoded("br"), status: 415, says: /compressed/ });
  assert.equal(headers.get("accept-encoding"), "identity");
  await expectAnswer({ ...encoded("identity"), status: 400, says: /does not belong/ });
});

describe("starting an export is refused", () => {
  const bodies: [name: string, body: unknown, says: RegExp][] = [
    ["without a body", undefined, /body must be a JSON object/],
    ["with a list for a body", [], /body must be a JSON object/],
    ["with null for a body", null, /body must be a JSON object/],
    ["without a domain", {}, /domain is missing/],
    [
      "with a misspelled domain",
      { domian: "x" },
      /domain is missing; the body contains unknown fields: "domian"\./,
    ],
    ["with a number for a domain", { domain: 1 }, /^domain must be text\.$/],
    [
      "with an address for a domain",
      { domain: "https://docs.example.com" },
      /domain must be a host/,
    ],
    ["with a domain nobody has", { domain: "nobody.example" }, /nobody\.example/],
    [
      "with unknown fields",
      { domain: "a.example", color: 1, __proto__x: 1 },
      /"color", "__proto__x"/,
    ],
    [
      "with an empty version",
      { domain: "a.example", version: "" },
      /version must have at least 1 character\./,
    ],
    ["with a long version", { domain: "a.example", version: "x".repeat(101) }, /at most 100/],
    [
      "without paths in the list",
      { domain: "a.example", paths: [] },
      /paths must have at least 1 entry\./,
    ],
    ["with an empty path", { domain: "a.example", paths: ["a", ""] }, /paths\.1 must have/],
    [
      "with too many paths",
      { domain: "a.example", paths: Array(10_001).fill("a") },
      /10000 entries/,
    ],
    ["with an unknown format", { domain: "a.example", format: "rar" }, /one of tar\.gz, zip/],
    ["with an option for a ref", { domain: "a.example", ref: "--upload-pack=x" }, /ref .* Git/],
    ["with NUL", { domain: "a.example", version: "a\0b" }, /NUL/],
    ["with half a surrogate pair", { domain: "a.example", version: "a\ud800" }, /surrogate/],
    ["with NUL in an unknown field's name", { domain: "a.example", "a\0": 1 }, /NUL/],
  ];
  for (const [name, body, says] of bodies) {
    test(name, async () => {
      await expectAnswer({ method: "POST", path: jobs, body, status: 400, says });
    });
  }

  test("with the domain of another organization, with the same error as an unknown one", async () => {
    const { domain } = await stranger.addProject();
    const start = { method: "POST", path: jobs, status: 400 };
    const [theirs, nobodys] = [
      await expectAnswer<{ error: string }>({ ...start, body: { domain } }),
      await expectAnswer<{ error: string }>({ ...start, body: { domain: "nobody.example" } }),
    ];
    assert.equal(theirs.body.error.replace(domain, "nobody.example"), nobodys.body.error);
  });

  test("below the plan enterprise, after the body was checked", async () => {
    const { domain } = await stranger.addProject();
    const start = { method: "POST", path: jobs, client: stranger.client };
    await expectAnswer({ ...start, body: { domain }, status: 403, says: /enterprise/ });
    await expectAnswer({ ...start, body: { domain, x: 1 }, status: 400 });
    await expectAnswer({ ...start, body: { domain: "nobody.example" }, status: 400 });
  });

  test("with a body that is too large, of another type, or not JSON", async () => {
    const raw = async (content: string | Uint8Array | ReadableStream, type: string) => {
      const response = await fetch(api.url + jobs, {
        method: "POST",
        body: content,
        ...(content instanceof ReadableStream && { duplex: "half" as const }),
        headers: { authorization: `Bearer ${acme.key}`, "content-type": type },
      });
      const { status, headers } = response;
      const answer = { status, headers, body: await response.json() };
      assertWellFormed(answer);
      contract.assertDescribed("POST", jobs, answer);
      return answer.status;
    };
    assert.equal(await raw("x".repeat(8 * 1024 * 1024 + 1), "application/json"), 413);
    assert.equal(await raw("x".repeat(8 * 1024 * 1024 + 1), "text/plain"), 413);
    assert.equal(await raw(chunks(9), "application/json"), 413);
    assert.equal(await raw(chunks(9), "text/plain"), 413);
    assert.equal(await raw(chunks(1), "text/plain"), 415);
    assert.equal(await raw("{}", "text/plain"), 415);
    assert.equal(await raw("{}", "nonsense"), 415);
    assert.equal(await raw("a=b", "application/x-www-form-urlencoded"), 415);
    assert.equal(await raw("{", "application/json"), 400);
    assert.equal(await raw(Uint8Array.of(0x22, 0xff, 0x22), "application/json"), 400);
    assert.equal(
      await raw('{"__proto__": {"x": 1}, "domain": "a.example"}', "application/json"),
      400,
    );
    assert.equal(await raw("[".repeat(1_000_000), "application/json"), 400);
    const deep = `{"domain":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    assert.equal(await raw(deep, "application/json; charset=utf-8"), 400);
    assert.equal((await acme.client.call("GET", "/healthz")).status, 200);
  });
});

describe("lists", () => {
  test("of exports are paginated, newest first, and can be filtered", async () => {
    const mine = await api.openOrganization();
    const made: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      made.unshift((await startExport(mine)).jobId);
      await mine.client.waitForExport(made[0] ?? "");
    }
    const slow = await startExport(mine, newDomain("slow"));
    await mine.client.call("POST", `${jobs}/${slow.jobId}/cancel`);
    type List = { jobs: StaticExportJob[]; nextCursor: string | null };
    const list = async (query: string) => {
      const path = `${jobs}?${query}`;
      const call = { method: "GET", path, status: 200, client: mine.client };
      const { body } = await expectAnswer<List>(call);
      return { ids: body.jobs.map(({ jobId }) => jobId), nextCursor: body.nextCursor };
    };
    const first = await list("limit=3");
    assert.deepEqual(first.ids, [slow.jobId, made[0], made[1]]);
    const second = await list(`limit=3&cursor=${first.nextCursor}`);
    assert.deepEqual(second, { ids: [made[2]], nextCursor: null });
    assert.deepEqual((await list("")).ids, [slow.jobId, ...made]);
    assert.deepEqual((await list("status=failed")).ids, [slow.jobId]);
    assert.deepEqual((await list(`domain=${slow.domain}`)).ids, [slow.jobId]);
    assert.deepEqual((await list("domain=nobody.example")).ids, []);
    const others = await expectAnswer<List>({
      method: "GET",
      path: `${jobs}?limit=100`,
      status: 200,
    });
    assert.equal(
      others.body.jobs.some(({ jobId }) => made.includes(jobId)),
      false,
    );
  });

  const otherKind = Buffer.from("msg_00000000000000000000000000").toString("base64url");
  const queries: [query: string, says: RegExp][] = [
    ["limit=0", /limit must be/],
    ["limit=101", /limit must be/],
    ["limit=ten", /limit must be/],
    ["limit=", /limit must be/],
    ["limit=1&limit=2", /limit/],
    ["cursor=x", /cursor must be/],
    ["cursor=", /cursor must be/],
    [`cursor=${otherKind}`, /cursor must be/],
  ];
  for (const path of [jobs, "/v2/projects", "/v2/keys", "/v2/webhooks"]) {
    for (const [query, says] of queries) {
      test(`${path}?${query} is refused`, async () => {
        await expectAnswer({ method: "GET", path: `${path}?${query}`, status: 400, says });
      });
    }
  }
  test("of exports refuse unknown values and hostile text", async () => {
    await expectAnswer({ method: "GET", path: `${jobs}?status=done`, status: 400, says: /one of/ });
    await expectAnswer({ method: "GET", path: `${jobs}?domain=%00`, status: 400, says: /NUL/ });
  });
});

describe("projects", () => {
  const path = "/v2/projects";
  const repository = "https://git.example/docs.git";

  test("are made, read, changed, listed and deleted", async () => {
    const domain = newDomain();
    const credentials = { username: "ada", token: "hunter2-hunter2" };
    const body = { name: "Docs", domain, repository, credentials };
    const made = await expectAnswer<{ id: string }>({ method: "POST", path, body, status: 201 });
    const { id } = made.body;
    const own = `${path}/${id}`;
    assert.equal(made.headers.get("location"), own);
    const got = await expectAnswer<object>({ method: "GET", path: own, status: 200 });
    const { createdAt, ...rest } = got.body as { createdAt: string };
    assert.deepEqual(rest, {
      id,
      name: "Docs",
      domain,
      repository,
      ref: null,
      directory: ".",
      codeHost: "local",
      model: null,
      remoteScripts: [],
      pullRequests: {
        draft: false,
        labels: [],
        reviewers: [],
        branchPrefix: "octavo/",
        author: null,
        commitConvention: null,
      },
      signingPublicKey: null,
      sources: [],
      createdBy: { type: "key", id: acme.keyId, name: "Test" },
    });
    assert.match(createdAt, /Z$/);
    assert.deepEqual(await api.projects.readCredentials(id), {
      username: "ada",
      password: "hunter2-hunter2",
    });
    const change = { method: "PATCH", path: own, body: { ref: "next", directory: "docs" } };
    const changed = await expectAnswer({ ...change, status: 200 });
    assert.deepEqual(changed.body, { ...got.body, ref: "next", directory: "docs" });
    const hosts = ["plausible.io", "*.example.com"];
    const asks = { method: "PATCH", path: own, body: { remoteScripts: hosts }, status: 200 };
    const { body: asking } = await expectAnswer<{ remoteScripts: string[] }>(asks);
    assert.deepEqual(asking.remoteScripts, ["https://*.example.com", "https://plausible.io"]);
    await expectAnswer({ ...asks, body: { remoteScripts: ["*"] }, status: 400 });
    await expectAnswer({ ...asks, body: { remoteScripts: [] } });
    const list = await expectAnswer<{ projects: object[] }>({ method: "GET", path, status: 200 });
    assert.deepEqual(list.body.projects[0], changed.body);
    await expectAnswer({ method: "DELETE", path: own, status: 204 });
    await expectAnswer({ method: "GET", path: own, status: 404 });
    await expectAnswer({ method: "DELETE", path: own, status: 404 });
    assert.equal(api.log().includes("hunter2"), false);
  });

  test("have sources, whose credentials are never returned", async () => {
    const engine = "https://git.example/engine.git";
    const token = "hunter2-hunter2";
    const body = {
      name: "Docs",
      domain: newDomain(),
      repository,
      sources: [
        { repository: engine, ref: "v2.1", directory: "/src/", credentials: token },
        { repository: "git@git.example:cli.git" },
      ],
    };
    const made = await expectAnswer<{ id: string; sources: object[] }>({
      method: "POST",
      path,
      body,
      status: 201,
    });
    assert.deepEqual(made.body.sources, [
      { repository: engine, ref: "v2.1", directory: "src" },
      { repository: "git@git.example:cli.git", ref: null, directory: "." },
    ]);
    const own = `${path}/${made.body.id}`;
    const credentialsOf = async () =>
      (await api.projects.readSources(made.body.id)).map(({ credentials }) => credentials);
    assert.deepEqual(await credentialsOf(), [{ password: token }, undefined]);

    // As a client does that reads, changes and writes back.
    const moved = [{ repository: engine, ref: null, directory: "lib" }];
    const patch = (sources: unknown) => ({ method: "PATCH", path: own, body: { sources } });
    const changed = await expectAnswer<object>({ ...patch(moved), status: 200 });
    assert.deepEqual((changed.body as typeof made.body).sources, moved);
    assert.deepEqual(await credentialsOf(), [{ password: token }]);
    await expectAnswer({ method: "PATCH", path: own, body: { name: "B" }, status: 200 });
    assert.deepEqual(await credentialsOf(), [{ password: token }]);
    const removed = [{ repository: engine, credentials: null }];
    await expectAnswer({ ...patch(removed), status: 200 });
    assert.deepEqual(await credentialsOf(), [undefined]);

    const refused: [sources: unknown, says: RegExp][] = [
      [Array.from({ length: 11 }, (_, index) => ({ repository: `${engine}${index}` })), /10/],
      [[{ repository: "local" }], /sources\[0\]: repository must be an address/],
      [
        [{ repository: engine }, { repository: "hunter2" }],
        /sources\[1\]: This is not a repository/,
      ],
      [
        [{ repository: "https://ada:hunter2@git.example/a" }],
        /sources\[0\]: .*user name or password/,
      ],
      [[{ repository: "http://git.example/a" }], /sources\[0\]: .*use https/],
      [[{ repository: "https://10.0.0.1/a" }], /sources\[0\]: .*OCTAVO_ALLOW/],
      [[{ repository: "file:///etc" }], /sources\[0\]: .*OCTAVO_ALLOW/],
      [[{ repository: engine, ref: "--x" }], /sources\[0\]: ref/],
      [[{ repository: engine, directory: "../x" }], /sources\[0\]: directory points outside/],
      [
        [{ repository: engine }, { repository: engine, directory: "." }],
        /sources\[1\]: is a duplicate/,
      ],
      [[{ repository: engine, branch: "x" }], /branch/],
      [[{ repository: engine, credentials: {} }], /credentials/],
      [{}, /sources/],
    ];
    for (const [sources, says] of refused) {
      await expectAnswer({ ...patch(sources), status: 400, says });
    }
    await expectAnswer({ ...patch([]), status: 200 });
    assert.deepEqual(await credentialsOf(), []);
    assert.equal(api.log().includes("hunter2"), false);
  });

  test("accept credentials in common forms", async () => {
    const project = await acme.addProject();
    const forms: [given: unknown, kept: object | undefined][] = [
      ["token-token", { password: "token-token" }],
      [{ token: "t" }, { password: "t" }],
      ["token-of-a-file\n", { password: "token-of-a-file" }],
      [
        { username: "a", password: "p" },
        { username: "a", password: "p" },
      ],
      [{ privateKey: "k" }, { privateKey: "k" }],
      [null, undefined],
    ];
    for (const [credentials, kept] of forms) {
      const body = { credentials };
      await expectAnswer({ method: "PATCH", path: `${path}/${project.id}`, body, status: 200 });
      assert.deepEqual(await api.projects.readCredentials(project.id), kept);
    }
  });

  test("say how their pull requests are opened, and keep what a change does not name", async () => {
    const pullRequests = { draft: true, author: { name: " Docs Bot ", email: "docs@example.com" } };
    const body = { name: "Docs", domain: newDomain(), repository, pullRequests };
    const made = await expectAnswer<{ id: string }>({ method: "POST", path, body, status: 201 });
    const own = { path: `${path}/${made.body.id}`, status: 200 };
    const patch = async (changes: object) => {
      const sent = { method: "PATCH", ...own, body: changes };
      return (await expectAnswer<{ pullRequests: object }>(sent)).body.pullRequests;
    };
    const settings = {
      draft: true,
      labels: [],
      reviewers: [],
      branchPrefix: "octavo/",
      author: { name: "Docs Bot", email: "docs@example.com" },
      commitConvention: null,
    };
    assert.deepEqual(await patch({ name: "Docs" }), settings);
    assert.deepEqual(await patch({ pullRequests: { branchPrefix: "docs/", draft: null } }), {
      ...settings,
      draft: false,
      branchPrefix: "docs/",
    });
    assert.deepEqual(await patch({ pullRequests: { author: null, branchPrefix: null } }), {
      ...settings,
      draft: false,
      author: null,
    });
    const refused = {
      method: "PATCH",
      ...own,
      status: 400,
      body: { pullRequests: { labels: ["docs"], reviewers: ["octocat"] } },
    };
    await expectAnswer({
      ...refused,
      says: /codeHost local\) do not support labels and reviewers\./,
    });
    const github = {
      repository: "https://github.com/acme/docs",
      pullRequests: { labels: [" docs ", "docs"], reviewers: ["@octocat", "acme/docs"] },
    };
    const kept = { ...settings, draft: false, author: null };
    assert.deepEqual(await patch(github), {
      ...kept,
      labels: ["docs"],
      reviewers: ["octocat", "acme/docs"],
    });
    const moved = { ...refused, body: { repository } };
    await expectAnswer({ ...moved, says: /do not support labels and reviewers/ });
  });

  test("have a unique domain: 409", async () => {
    const taken = await stranger.addProject();
    const mine = await acme.addProject();
    const body = { name: "Docs", domain: taken.domain, repository };
    await expectAnswer({ method: "POST", path, body, status: 409, says: /another project/ });
    const patch = { method: "PATCH", path: `${path}/${mine.id}`, body: { domain: taken.domain } };
    await expectAnswer({ ...patch, status: 409, says: /another project/ });
  });

  const bodies: [name: string, body: object, says: RegExp][] = [
    ["an unknown field", { color: 1 }, /"color"/],
    ["no name", { name: "" }, /name must have/],
    ["a domain with a path", { domain: "docs.example.com/x" }, /host name/],
    ["a repository that is none", { repository: "ftp://x.example/a" }, /https or ssh/],
    ["a private repository", { repository: "https://10.0.0.1/a" }, /OCTAVO_ALLOW/],
    ["a file", { repository: "file:///etc" }, /OCTAVO_ALLOW/],
    ["credentials in the address", { repository: "https://u:p@x.example/a" }, /credentials/],
    [
      "another code host",
      { codeHost: "bitbucket" },
      /codeHost must be one of github, gitlab, gitea, local/,
    ],
    ["a directory outside", { directory: "../.." }, /directory points outside/],
    ["an option for a branch", { ref: "-x" }, /valid Git ref name/],
    ["a model without provider", { model: "gpt" }, /provider\/model/],
    [
      "a model whose key is not set",
      { model: "openai/gpt-5" },
      /needs OPENAI_API_KEY, which is not set\. .*set testModel to false \(--no-test-model/,
    ],
    ["credentials of another form", { credentials: { key: 1 } }, /credentials must be a token/],
    [
      "a token of two lines",
      { credentials: "a\nb" },
      /tokens, names and passwords must be one line/,
    ],
    ["NUL", { name: "a\0" }, /NUL/],
    [
      "unknown settings",
      { pullRequests: { color: 1 } },
      /pullRequests contains unknown fields: "color"/,
    ],
    [
      "drafts in words",
      { pullRequests: { draft: "yes" } },
      /pullRequests\.draft must be true or false/,
    ],
    [
      "a label of two lines",
      { pullRequests: { labels: ["a\nb"] } },
      /"a\\nb" is not a valid label/,
    ],
    [
      "too many labels",
      { pullRequests: { labels: Array.from({ length: 21 }, (_, n) => `l${n}`) } },
      /at most 20/,
    ],
    [
      "a reviewer that is none",
      { pullRequests: { reviewers: ["a b"] } },
      /"a b" is neither a user/,
    ],
    [
      "a prefix with a space",
      { pullRequests: { branchPrefix: "my docs/" } },
      /"my docs\/" is not a valid prefix/,
    ],
    ["an empty prefix", { pullRequests: { branchPrefix: "" } }, /"" is not a valid prefix/],
    ["an option for a prefix", { pullRequests: { branchPrefix: "--x/" } }, /is not a valid prefix/],
    [
      "a ref for a prefix",
      { pullRequests: { branchPrefix: "refs/heads/" } },
      /is not a valid prefix/,
    ],
    [
      "an author without address",
      { pullRequests: { author: { name: "A", email: "a" } } },
      /email must be an email address/,
    ],
    [
      "an author with brackets",
      { pullRequests: { author: { name: "A <b@c>", email: "b@c" } } },
      /author\.name must be one line/,
    ],
    [
      "an author without name",
      { pullRequests: { author: { email: "b@c" } } },
      /author\.name is missing/,
    ],
    [
      "a signing key that is none",
      { signingKey: "hunter2" },
      /signingKey is not a private key in the format that ssh-keygen/,
    ],
    [
      "another convention",
      { pullRequests: { commitConvention: "gitmoji" } },
      /commitConvention must be conventional or plain/,
    ],
  ];
  for (const [name, fields, says] of bodies) {
    test(`are refused with ${name}`, async () => {
      const body = { name: "Docs", domain: newDomain(), repository, ...fields };
      await expectAnswer({ method: "POST", path, body, status: 400, says });
      const { id } = await acme.addProject();
      await expectAnswer({
        method: "PATCH",
        path: `${path}/${id}`,
        body: fields,
        status: 400,
        says,
      });
    });
  }
});

describe("API keys", () => {
  const path = "/v2/keys";

  test("are created, listed without secret, and stop working when revoked", async () => {
    const body = { name: "CI" };
    type Made = { id: string; secret: string };
    const made = await expectAnswer<Made>({ method: "POST", path, body, status: 201 });
    const { secret, ...shown } = made.body;
    const client = api.client(secret);
    await expectAnswer({ method: "GET", path, status: 200, client });
    const list = await expectAnswer<{ keys: object[] }>({ method: "GET", path, status: 200 });
    const [first] = list.body.keys as { lastUsedAt: string | null }[];
    assert.deepEqual({ ...first, lastUsedAt: null }, shown);
    assert.ok(first?.lastUsedAt);
    await expectAnswer({ method: "DELETE", path: `${path}/${shown.id}`, status: 204 });
    await expectAnswer({ method: "GET", path, status: 401, client, says: /revoked/ });
    await expectAnswer({ method: "DELETE", path: `${path}/${shown.id}`, status: 404 });
    assert.equal(api.log().includes(secret), false);
  });

  test("have scopes and an expiry, and give no more than they have", async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const body = { name: "Admin", scopes: ["admin", "read"], expiresAt };
    type Made = { id: string; secret: string; scopes: string[]; expiresAt: string };
    const made = await expectAnswer<Made>({ method: "POST", path, body, status: 201 });
    assert.deepEqual([made.body.scopes, made.body.expiresAt], [["read", "admin"], expiresAt]);
    const client = api.client(made.body.secret);
    const post = { method: "POST", path, client };
    await expectAnswer({ ...post, body: { name: "x", scopes: ["read"] }, status: 201 });
    const more = { name: "x", scopes: ["read", "agent"] };
    await expectAnswer({ ...post, body: more, status: 403, says: /have yourself.*not agent/ });
    await expectAnswer({ ...post, body: { name: "x" }, status: 403, says: /not export, agent/ });
    const { domain } = await acme.addProject();
    const start = { method: "POST", path: jobs, client, body: { domain } };
    await expectAnswer({ ...start, status: 403, says: /scopes read and admin; .* scope export/ });
    await expectAnswer({ ...start, body: { x: 1 }, status: 400 });
  });

  for (const [field, says] of [
    [{ scopes: [] }, /scopes must have at least 1/],
    [{ scopes: ["write"] }, /scopes\.0 must be one of read, export, agent, admin/],
    [{ expiresAt: "tomorrow" }, /expiresAt must be a time such as/],
    [{ expiresAt: "2020-01-01T00:00:00Z" }, /expiresAt must be a time in the future/],
  ] as const) {
    test(`are refused with ${JSON.stringify(field)}`, async () => {
      const body = { name: "a", ...field };
      await expectAnswer({ method: "POST", path, body, status: 400, says });
    });
  }

  test("are refused for a missing project", async () => {
    const post = { method: "POST", path };
    await expectAnswer({ ...post, body: {}, status: 400, says: /name is missing/ });
    await expectAnswer({ ...post, body: { name: "a", x: 1 }, status: 400, says: /"x"/ });
    const { id } = await stranger.addProject();
    const body = { name: "a", projectId: id };
    await expectAnswer({ ...post, body, status: 400, says: /project .* does not exist/ });
    const remove = { method: "DELETE", path: `${path}/${stranger.keyId}` };
    await expectAnswer({ ...remove, status: 404 });
  });

  test("limited to a project can read and change nothing else", async () => {
    const [own, other] = [await acme.addProject(), await acme.addProject()];
    const otherJob = await startExport(acme);
    const client = await limitedClient(acme, own.id);
    const started = { method: "POST", path: jobs, client };
    await expectAnswer({ ...started, body: { domain: own.domain }, status: 202 });
    await expectAnswer({ ...started, body: { domain: other.domain }, status: 400, says: /domain/ });
    await expectAnswer({ method: "GET", path: `${jobs}/${otherJob.jobId}`, status: 404, client });
    const list = { method: "GET", path: jobs, status: 200, client };
    const seen = await expectAnswer<{ jobs: StaticExportJob[] }>(list);
    assert.deepEqual(new Set(seen.body.jobs.map(({ domain }) => domain)), new Set([own.domain]));
    await expectAnswer({ method: "GET", path: `/v2/projects/${other.id}`, status: 404, client });
    await expectAnswer({ method: "GET", path: `/v2/projects/${own.id}`, status: 200, client });
    const projects = { method: "GET", path: "/v2/projects", status: 200, client };
    const { body } = await expectAnswer<{ projects: { id: string }[] }>(projects);
    assert.deepEqual(
      body.projects.map(({ id }) => id),
      [own.id],
    );
    const project = { name: "x", domain: newDomain(), repository: "local" };
    const create = { method: "POST", path: "/v2/projects", client };
    await expectAnswer({ ...create, body: project, status: 403, says: /limited to the project/ });
    await expectAnswer({ ...create, body: { ...project, x: 1 }, status: 400 });
    const key = { method: "POST", path, body: { name: "x" }, client };
    await expectAnswer({ ...key, status: 403, says: /limited to the project/ });
    await expectAnswer({ method: "DELETE", path: `${path}/${acme.keyId}`, status: 404, client });
    const keys = await expectAnswer<{ keys: object[] }>({
      method: "GET",
      path,
      status: 200,
      client,
    });
    assert.equal(keys.body.keys.length, 1);

    const sibling = { name: "Sibling", projectId: own.id };
    const made = await acme.client.call<{ id: string }>("POST", path, { body: sibling });
    const revoke = { method: "DELETE", path: `${path}/${made.body.id}`, client };
    await expectAnswer({ ...revoke, status: 403, says: /revoke other keys/ });
    const remove = { method: "DELETE", path: `/v2/projects/${own.id}`, client };
    await expectAnswer({ ...remove, status: 403, says: /delete projects/ });
  });

  test("limited to a project can revoke itself", async () => {
    const { id: projectId } = await acme.addProject();
    const body = { name: "Own", projectId };
    const made = await acme.client.call<{ id: string; secret: string }>("POST", path, { body });
    const client = api.client(made.body.secret);
    await expectAnswer({ method: "DELETE", path: `${path}/${made.body.id}`, status: 204, client });
    await expectAnswer({ method: "GET", path, status: 401, client });
  });

  test("cannot all be revoked", async () => {
    const { keyId, client } = await api.openOrganization();
    const remove = { method: "DELETE", path: `${path}/${keyId}`, client };
    await expectAnswer({ ...remove, status: 409, says: /last API key that can administer/ });
  });
});

describe("every route", () => {
  const unknownJob = createId("staticExport");
  const routes: [method: string, path: string][] = [
    ["POST", jobs],
    ["GET", jobs],
    ["GET", `${jobs}/${unknownJob}`],
    ["POST", `${jobs}/${unknownJob}/bundle`],
    ["POST", `${jobs}/${unknownJob}/cancel`],
    ["GET", `${jobs}/${unknownJob}/events`],
    ["POST", "/v2/projects"],
    ["GET", "/v2/projects"],
    ["GET", `/v2/projects/${createId("project")}`],
    ["PATCH", `/v2/projects/${createId("project")}`],
    ["DELETE", `/v2/projects/${createId("project")}`],
    ["POST", "/v2/keys"],
    ["GET", "/v2/keys"],
    ["DELETE", `/v2/keys/${createId("key")}`],
    ["POST", "/v2/webhooks"],
    ["GET", "/v2/webhooks"],
    ["GET", `/v2/webhooks/${createId("webhook")}`],
    ["DELETE", `/v2/webhooks/${createId("webhook")}`],
  ];
  const credentials: [name: string, header: Record<string, string>][] = [
    ["no key", { authorization: "" }],
    ["another scheme", { authorization: "Basic b2N0YXZvOng=" }],
    ["a malformed key", { authorization: "Bearer octavo_x" }],
    ["a key with a wrong checksum", { authorization: `Bearer octavo_${"0".repeat(56)}` }],
  ];
  for (const [method, path] of routes) {
    test(`${method} ${path} requires a key before anything else`, async () => {
      for (const [, headers] of credentials) {
        const body = method === "GET" ? undefined : { nonsense: true };
        await expectAnswer({ method, path, body, headers, status: 401, says: /key/ });
      }
    });
    if (!/_/.test(path)) continue;
    test(`${method} ${path} looks for the thing before the body`, async () => {
      const withBody = method !== "GET" && { headers: { "content-type": "text/plain" }, body: "x" };
      await expectAnswer({ method, path, ...withBody, status: 404, says: /does not exist/ });
      const strange = path.replace(/[a-z]+_[0-9a-z]{26}/, "%00..%2f%F0%9F%98%80");
      await expectAnswer({ method, path: strange, status: 404, says: /does not exist/ });
      await expectAnswer({ method, path: path.replace(/_/, `_${"x".repeat(5_000)}`), status: 404 });
    });
  }

  test("refuses a well-formed key that does not exist", async () => {
    const scope = { organizationId: acme.id, projectId: null };
    const { id, secret } = await api.keys.create(scope, "Forgotten");
    await api.database.kysely.deleteFrom("api_keys").where("id", "=", id).execute();
    const client = api.client(secret);
    await expectAnswer({ method: "GET", path: jobs, client, status: 401, says: /unknown/ });
  });

  test("refuses an unexpected body, naming the fields", async () => {
    const { jobId } = await startExport(acme);
    const post = { method: "POST", path: `${jobs}/${jobId}/cancel`, status: 400 };
    await expectAnswer({ ...post, body: { force: true }, says: /"force"/ });
    await expectAnswer({ ...post, body: [1], says: /no body/ });
  });

  test("responds with 404 for another organization's resources", async () => {
    const job = await startExport(acme);
    const project = await acme.addProject();
    const things: [method: string, path: string][] = [
      ["GET", `${jobs}/${job.jobId}`],
      ["POST", `${jobs}/${job.jobId}/bundle`],
      ["POST", `${jobs}/${job.jobId}/cancel`],
      ["GET", `${jobs}/${job.jobId}/events`],
      ["GET", `/v2/projects/${project.id}`],
      ["PATCH", `/v2/projects/${project.id}`],
      ["DELETE", `/v2/projects/${project.id}`],
      ["DELETE", `/v2/keys/${acme.keyId}`],
    ];
    for (const [method, path] of things) {
      await expectAnswer({ method, path, status: 404, client: stranger.client });
    }
  });

  test("responds to other methods with 405 and the allowed ones, without a key", async () => {
    const cases: [path: string, method: string, allow: string][] = [
      [jobs, "DELETE", "GET, HEAD, POST"],
      [jobs, "OPTIONS", "GET, HEAD, POST"],
      [jobs, "PROPFIND", "GET, HEAD, POST"],
      [`${jobs}/x`, "POST", "GET, HEAD"],
      [`${jobs}/x/bundle`, "GET", "POST"],
      [`${jobs}/x/events`, "HEAD", "GET"],
      ["/v2/projects/x", "PUT", "DELETE, GET, HEAD, PATCH"],
      ["/v2/keys/x", "GET", "DELETE"],
      ["/v2/webhooks/x", "PUT", "DELETE, GET, HEAD, PATCH"],
      ["/bundles/a/b", "POST", "GET, HEAD"],
      ["/healthz", "POST", "GET, HEAD"],
      ["/openapi.json", "PUT", "GET, HEAD"],
      ["/docs", "POST", "GET, HEAD"],
    ];
    for (const [path, method, allow] of cases) {
      const response = await fetch(api.url + path, { method });
      assert.equal(response.status, 405, `${method} ${path}`);
      assert.equal(response.headers.get("allow"), allow);
      if (method === "HEAD") continue;
      const { status, headers } = response;
      assertWellFormed({ status, headers, body: await response.json() });
    }
  });

  test("that does not exist responds with 404 without a key", async () => {
    for (const path of ["/", "/v1", "/v3/x", `${jobs}/a/`, `${jobs}/a/b/c`, "/docs/json"]) {
      for (const type of ["text/plain", "application/json"]) {
        const request = { method: "POST", body: "x", headers: { "content-type": type } };
        const response = await fetch(api.url + path, request);
        assert.equal(response.status, 404, path);
        const { status, headers } = response;
        assertWellFormed({ status, headers, body: await response.json() });
      }
    }
  });
});

test("an internal error reveals nothing, and is logged", async () => {
  const broken = await openApi();
  const { client } = await broken.openOrganization();
  await broken.database.kysely.schema.dropTable("idempotency_keys").execute();
  await broken.database.kysely.schema.alterTable("projects").renameTo("moved").execute();
  const answer = await client.call<{ error: string }>("GET", "/v2/projects");
  assert.equal(answer.status, 500);
  assertWellFormed(answer);
  assert.match(broken.log(), new RegExp(answer.headers.get("x-request-id") ?? "none"));
  assert.match(broken.log(), /relation .*projects.* does not exist/);
  await broken[Symbol.asyncDispose]();
});

test("an unreachable database is temporary: 503 with Retry-After", async () => {
  const gone = await openApi();
  const { client } = await gone.openOrganization();
  await gone.loseDatabase();
  for (const path of ["/readyz", jobs]) {
    const answer = await client.call("GET", path);
    assert.equal(answer.status, 503);
    assertWellFormed(answer);
  }
  assert.equal((await client.call("GET", "/healthz")).status, 200);
  await gone[Symbol.asyncDispose]();
});

describe("operations", () => {
  test("report liveness, readiness and metrics", async () => {
    for (const path of ["/healthz", "/readyz"]) {
      const response = await fetch(api.url + path);
      assert.equal(response.status, 200);
      assert.deepEqual(await response.json(), { status: "ok" });
    }
    const metrics = await fetch(`${api.url}/metrics`);
    assert.match(metrics.headers.get("content-type") ?? "", /^text\/plain/);
    const text = await metrics.text();
    assert.match(text, /^octavo_http_request_seconds_count{.*route="\/readyz"/m);
    assert.match(text, /^octavo_queue_jobs{queue="agent",state="waiting"} 0$/m);
  });

  test("describe the interface in OpenAPI 3.1, each part and the whole", async () => {
    const read = async (path: string) => (await acme.client.call<OpenApi>("GET", path)).body;
    type OpenApi = {
      openapi: string;
      info: { version: string };
      servers: { url: string }[];
      tags: { name: string }[];
      paths: Record<
        string,
        Record<string, { operationId: string; responses: { default: unknown } }>
      >;
    };
    const operationIds = ({ paths }: OpenApi) =>
      Object.values(paths).flatMap((path) =>
        Object.values(path).map(({ operationId }) => operationId),
      );
    const [v1, v2, both] = [
      await read("/v1/openapi.json"),
      await read("/v2/openapi.json"),
      await read("/openapi.json"),
    ];
    assert.match(v1.openapi, /^3\.1\./);
    assert.deepEqual([v1.info.version, v2.info.version], ["1.0.0", "2.0.0"]);
    assert.deepEqual(operationIds(v1).toSorted(), [
      "cancelStaticExportJob",
      "generateStaticExportBundle",
      "getProjectUpdateStatus",
      "getStaticExportJob",
      "listStaticExportJobs",
      "previewProject",
      "startStaticExportJob",
      "triggerProjectUpdate",
      "watchStaticExportJob",
    ]);
    // Generators of clients name functions by them.
    assert.equal(new Set(operationIds(both)).size, operationIds(both).length);
    assert.deepEqual(
      operationIds(both).toSorted(),
      [...operationIds(v1), ...operationIds(v2)].toSorted(),
    );
    // Each document stands alone: every reference leads somewhere, and it speaks of nothing else.
    assert.deepEqual(
      v1.tags.map(({ name }) => name),
      ["Static export", "Publishing"],
    );
    assert.doesNotMatch(JSON.stringify({ ...v1, webhooks: undefined }), /agent|webhook/i);
    for (const document of [v1, v2, both]) {
      assert.deepEqual(document.servers, [{ url: api.url }]);
      for (const operation of Object.values(document.paths).flatMap(Object.values)) {
        assert.ok(operation.responses.default, operation.operationId);
      }
      for (const [, name] of JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g)) {
        assert.match(JSON.stringify(document), new RegExp(`"${name}":{`));
      }
    }
  });

  test("are described in the manual's copy of the OpenAPI document", async (t) => {
    const { body } = await acme.client.call<{ servers: unknown }>("GET", "/openapi.json");
    const document = { ...body, servers: [{ url: "http://127.0.0.1:4400" }] };
    const file = resolve(import.meta.dirname, "../../../../docs/reference/openapi.json");
    try {
      t.assert.fileSnapshot(document, file, { serializers: [formatJson] });
    } catch {
      // The difference is not shown: the document has 10,000 lines.
      assert.fail(
        `${file} differs. Write it with "npx node --conditions=@octavo/source --test --test-update-snapshots packages/octavo/src/api/api.test.ts".`,
      );
    }
  });

  test("have their page for people in the manual", async () => {
    const answer = await fetch(`${api.url}/docs`, { redirect: "manual" });
    assert.equal(answer.status, 302);
    assert.equal(answer.headers.get("location"), "/manual/reference/http-api");
    const manual = await fetch(`${api.url}/manual/reference/http-api`);
    assert.equal(await manual.text(), "The manual.");
    assert.match(manual.headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/);
    assert.ok(manual.headers.get("x-request-id"));
  });
});
