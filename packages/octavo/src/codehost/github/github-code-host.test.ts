import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { fails } from "../../../../../test/support/fails.ts";
import { startGitHub } from "../../../../../test/support/github-stand-in.ts";
import type { GitHubFault, StandInOptions } from "../../../../../test/support/github-stand-in.ts";
import { isOctavoError } from "@octavo/site/core";
import { createId, parseAllowList } from "../../core/index.ts";
import type { ErrorCode } from "@octavo/site/core";
import { codeHostContract, type SeenStatus } from "../code-host.contract.ts";
import { createGitHubCodeHost } from "./github-code-host.ts";
import type { CodeHostProject } from "../code-host.ts";
import type { GitHubCodeHostOptions } from "./connections.ts";

const token = "ghp_hunter2notarealtoken";
const branch = "octavo/agent-1";
const wanted = { title: "Mend links", body: "Two.", head: branch, base: "main" };

/** Sets up a stand-in for GitHub and a host for it. Every request is checked at the end. */
async function setUp(
  t: TestContext,
  options: Partial<GitHubCodeHostOptions> = {},
  standIn: Partial<StandInOptions> = {},
) {
  const github = await startGitHub({ token, ...standIn });
  t.after(async () => {
    await github[Symbol.asyncDispose]();
    github.checkExchanges();
    const asked = github.exchanges.map(({ method, path, query }) => [method, path, query]);
    assert.ok(!JSON.stringify(asked).includes("hunter2"));
  });
  github.branches.set(branch, 1);
  const open = (more: Partial<GitHubCodeHostOptions> = {}) =>
    createGitHubCodeHost({
      allow: parseAllowList(`127.0.0.1:${github.port}`),
      isThrottled: false,
      waitUnitMs: 1,
      ...options,
      ...more,
    });
  const project: CodeHostProject = {
    id: createId("project"),
    repository: `${github.url}/acme/docs.git`,
    credentials: { password: token },
  };
  return { github, open, host: open(), project };
}

codeHostContract("GitHub", async (t) => {
  const { github, host, open, project } = await setUp(t);
  github.branches.delete(branch);
  return {
    host,
    other: open(),
    project,
    addBranch: async (name, { isEmpty = false } = {}) => {
      github.branches.set(name, isEmpty ? 0 : 1);
    },
    commitOf: async (name) => github.commitOf(name),
    addForkPull: async (head) => github.addForkPull(head, "main"),
    remark: async (number, body) => github.remark(number, body),
    statuses: () =>
      github.statuses.map(({ commit, state, description, target_url: url }) => ({
        commit,
        state: state as SeenStatus["state"],
        description,
        url,
      })),
    hooks: () => github.hooks.map(({ config: { url = "", secret = "" } }) => ({ url, secret })),
    end: async (number, state) => github.end(number, state),
    commentOnLine: async (number, comment) => github.commentOnLine(number, comment),
    review: async (number, body, requestsChanges) =>
      github.review(number, body, { state: requestsChanges ? "CHANGES_REQUESTED" : "APPROVED" }),
    comments: async (number) =>
      (github.pulls[number - 1]?.comments ?? []).map(({ body }) => String(body)),
    extras: async (number) => {
      const { labels = [], reviewers = [] } = github.pulls[number - 1] ?? {};
      return { labels, reviewers: reviewers.map((name) => name.replace("team:", "acme/")) };
    },
  };
});

describe("GitHub", () => {
  it("reads the newest remarks of members, and reviews that were sent", async (t) => {
    const { github, host, project } = await setUp(t);
    github.branches.set(branch, 1);
    await host.create(project, { title: "A", body: "", head: branch, base: "main" });
    for (let count = 1; count <= 230; count += 1) github.remark(1, `${count}`);
    github.remark(1, "Buy this.", { isByMember: false });
    github.remark(1, "Deployed.", { isBot: true });
    const remarks = await host.listComments(project, 1);
    assert.deepEqual([remarks.length, remarks[0]?.body], [132, "101"]);
    assert.deepEqual(
      remarks.slice(-3).map(({ body, isByMember }) => [body, isByMember]),
      [
        ["230", true],
        ["Buy this.", false],
        ["Deployed.", false],
      ],
    );
    github.review(1, "Not sent.", { state: "PENDING" });
    github.review(1, "", { state: "DISMISSED" });
    github.review(1, "No.");
    const reviews = await host.listReviews(project, 1);
    assert.deepEqual(
      reviews.map(({ body, requestsChanges }) => [body, requestsChanges]),
      [
        ["", false],
        ["No.", true],
      ],
    );
    github.checkExchanges();
  });

  it("gets requests that conform to its published description, with a user agent and a version", async (t) => {
    const { github, host, project } = await setUp(t, { userAgent: "octavo/1.2" });
    await host.create(project, wanted);
    await host.update(project, 1, { changes: { title: "a", body: "b" } });
    await host.addComment(project, 1, { body: "c" });
    await host.get(project, 1);
    await host.find(project, { head: branch, base: "main", state: "any" });
    assert.deepEqual(github.checkExchanges(), [
      "repos/get",
      "pulls/list",
      "pulls/create",
      "pulls/update",
      "issues/create-comment",
      "pulls/get",
      "pulls/list",
    ]);
    for (const { headers } of github.exchanges) {
      assert.match(String(headers["user-agent"]), /^octavo\/1\.2 /);
      assert.equal(headers["x-github-api-version"], "2022-11-28");
    }
  });

  it("is found under the current name of a moved repository, and not in its forks", async (t) => {
    const { github, host, project } = await setUp(t);
    github.fullName = "acme-corp/handbook";
    github.addForkPull(branch, "main");
    assert.equal(await host.find(project, { head: branch, state: "any" }), undefined);
    const made = await host.create(project, wanted);
    assert.equal((await host.find(project, { head: branch, state: "open" }))?.number, made.number);
  });

  it("opens one pull request even if a response is lost", async (t) => {
    const { github, host, project } = await setUp(t);
    github.fail({ on: /^POST .*\/pulls$/, status: 502, isDone: true });
    assert.equal((await host.create(project, wanted)).number, 1);
    assert.equal(github.pulls.length, 1);
  });

  it("comments once, even if the response is lost", async (t) => {
    const { github, host, project } = await setUp(t);
    await host.create(project, wanted);
    github.fail({ on: /comments$/, status: 502, isDone: true });
    const commenting = host.addComment(project, 1, { body: "once" });
    await assert.rejects(commenting, fails("unavailable", /Try again later/));
    assert.deepEqual(
      github.pulls[0]?.comments.map(({ body }) => body),
      ["once"],
    );
  });

  it("is called again after its own errors, a few times", async (t) => {
    const { github, host, project } = await setUp(t);
    github.fail({ status: 500, times: 2 });
    assert.equal((await host.create(project, wanted)).number, 1);
    github.fail({ status: 503, times: 3 });
    await assert.rejects(host.get(project, 1), fails("unavailable", /Try again later/));
    assert.equal((await host.get(project, 1)).number, 1);
  });

  const reset = String(Math.floor(Date.now() / 1000) + 3_000);
  const refusals: [name: string, fault: GitHubFault, code: ErrorCode, words: RegExp][] = [
    ["a wrong token", { status: 401 }, "forbidden", /does not accept the project's token/],
    [
      "a token with too few rights",
      { status: 403, body: { message: "Resource not accessible by personal access token" } },
      "forbidden",
      /needs write access to contents and pull requests\. \(Resource not accessible/,
    ],
    [
      "single sign-on",
      { status: 403, headers: { "x-github-sso": "required; url=https://github.com/hunter2" } },
      "forbidden",
      /single sign-on/,
    ],
    ["a repository that is not there", { status: 404 }, "not_found", /has no access/],
    ["a refusal", { status: 422, body: { message: "No such thing" } }, "invalid_input", /No such/],
    [
      "response is not GitHub's",
      { status: 200, body: [{}] },
      "unavailable",
      /does not come from GitHub/,
    ],
    [
      "a message that repeats the token",
      { status: 403, body: { message: `${token}\u0000 is bad` } },
      "forbidden",
      /\[redacted\]/,
    ],
    [
      "a message that repeats the token of an installation",
      { status: 403, body: { message: "ghs_hunter20123456789 is bad" } },
      "forbidden",
      /\[redacted\] is bad/,
    ],
    [
      "a limit far away",
      {
        status: 403,
        headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset },
        body: { message: "API rate limit exceeded" },
      },
      "rate_limited",
      /in \d{4} seconds/,
    ],
    ["a limit without words", { status: 429 }, "rate_limited", /in 60 seconds/],
  ];
  for (const [name, fault, code, words] of refusals) {
    it(`says what to do about ${name}`, async (t) => {
      const { github, host, project } = await setUp(t, { isThrottled: true });
      github.fail({ ...fault, times: 10, on: /\/pulls$/ });
      const asking = host.find(project, { head: branch, state: "open" });
      if (fault.status === 200) {
        await assert.rejects(asking, fails(code, words));
        // The stand-in's own response was wrong on purpose.
        (github.exchanges as unknown[]).length = 0;
      } else await assert.rejects(asking, fails(code, words));
    });
  }

  it("is waited for if a rate limit ends soon; a long one is an error", async (t) => {
    const { github, host, open, project } = await setUp(t, { isThrottled: true });
    const secondary = {
      status: 403,
      headers: { "retry-after": "30" },
      body: { message: "You have exceeded a secondary rate limit." },
    };
    github.fail(secondary);
    assert.equal(await host.find(project, { head: branch, state: "open" }), undefined);
    github.fail({ ...secondary, headers: { "retry-after": "61" } });
    await assert.rejects(
      host.find(project, { head: branch, state: "open" }),
      fails("rate_limited", /61 seconds/, { retryAfterSeconds: 61 }),
    );
    const impatient = open({ maxWaitSeconds: 5 });
    github.fail(secondary);
    await assert.rejects(
      impatient.find(project, { head: branch, state: "open" }),
      fails("rate_limited", /30 seconds/, { retryAfterSeconds: 30 }),
    );
    // The call does not wait forever for a limit that persists.
    github.fail({ ...secondary, times: 10 });
    await assert.rejects(
      host.find(project, { head: branch, state: "open" }),
      fails("rate_limited", /30 seconds/),
    );
  });

  it("is given up if it does not respond, or the caller cancels", async (t) => {
    const { github, open, project } = await setUp(t, { timeoutMs: 50 });
    github.fail({ status: 200, isSilent: true, times: 10 });
    await assert.rejects(open().get(project, 1), fails("unavailable", /did not respond in time/));
    const controller = new AbortController();
    const asking = open({ timeoutMs: 60_000 }).get(project, 1, controller.signal);
    setTimeout(() => controller.abort(), 20);
    await assert.rejects(asking, fails("cancelled", /Cancelled/));
    await assert.rejects(
      open().get(project, 1, AbortSignal.abort()),
      fails("cancelled", /Cancelled/),
    );
  });

  it("is not called at a private address that the operator did not allow", async (t) => {
    const { github, open, project } = await setUp(t);
    for (const allow of ["", "127.0.0.1:1", "example.com"]) {
      const host = open({ allow: parseAllowList(allow) });
      await assert.rejects(host.get(project, 1), fails("forbidden", /OCTAVO_ALLOW/));
    }
    const named = { ...project, repository: `https://localhost:${github.port}/acme/docs` };
    const asking = open({ allow: parseAllowList("") }).get(named, 1);
    await assert.rejects(asking, fails("forbidden", /localhost.*OCTAVO_ALLOW/));
    assert.deepEqual(github.exchanges, []);
  });

  it("needs a token, and a repository on it", async (t) => {
    const { host, project } = await setUp(t);
    const { repository, id } = project;
    await assert.rejects(host.get({ repository, id }, 1), fails("forbidden", /There is no token/));
    const wrong = [
      "https://github.com/acme",
      "https://github.com/a/b/c",
      "https://github.com/../..",
    ];
    for (const repository of [...wrong, "file:///srv/git", "local", "https://github.com/a b/c"]) {
      await assert.rejects(host.get({ ...project, repository }, 1), (error) =>
        isOctavoError(error, "invalid_input"),
      );
    }
  });

  it("says which labels and reviewers it does not take, and does the rest", async (t) => {
    const { github, host, project } = await setUp(t);
    await host.create(project, wanted);
    github.fail({ on: /labels$/, status: 403, body: { message: "Must have triage access" } });
    const extras = { labels: ["docs"], reviewers: ["stranger", "octocat", "acme/nobody"] };
    const refusals = await host.addExtras(project, 1, { extras });
    assert.equal(refusals.length, 3);
    assert.match(refusals[0] ?? "", /^The labels docs were not added: .*Must have triage access/);
    assert.match(refusals[1] ?? "", /^stranger was not asked for a review: .*collaborators/);
    assert.match(refusals[2] ?? "", /^acme\/nobody was not asked for a review: /);
    assert.deepEqual(github.pulls[0]?.reviewers, ["octocat"]);
    github.fail({ on: /labels$/, status: 503, times: 3 });
    await assert.rejects(host.addExtras(project, 1, { extras }), fails("unavailable"));
  });

  it("says which rights a token lacks", async (t) => {
    const { github, host, project } = await setUp(t);
    github.canPush = false;
    assert.deepEqual(await host.listMissingRights(project), ["write access to the repository"]);
    github.canPush = true;
    github.fail({ on: /\/pulls$/, status: 403, body: { message: "Resource not accessible" } });
    assert.deepEqual(await host.listMissingRights(project), ["Pull requests: read and write"]);
  });

  it("opens a pull request if the repository has no drafts", async (t) => {
    const { github, host, project } = await setUp(t);
    github.hasDrafts = false;
    await assert.rejects(
      host.create(project, { ...wanted, isDraft: true }),
      fails("invalid_input", /not support draft/),
    );
  });

  const places: [repository: string, url: string][] = [
    ["https://github.com/acme/docs", "https://github.com/acme/docs/pull/3"],
    ["https://github.com/acme/docs.git", "https://github.com/acme/docs/pull/3"],
    ["git@github.com:acme/docs.git", "https://github.com/acme/docs/pull/3"],
    ["ssh://git@ssh.github.com:443/acme/docs.git", "https://github.com/acme/docs/pull/3"],
    ["https://git.corp.example:8443/acme/docs/", "https://git.corp.example:8443/acme/docs/pull/3"],
    ["git@git.corp.example:acme/docs", "https://git.corp.example/acme/docs/pull/3"],
  ];
  it("says where a person reads a pull request", () => {
    const host = createGitHubCodeHost({ allow: parseAllowList("") });
    for (const [repository, url] of places) {
      assert.equal(host.formatPullRequestUrl({ id: "pr_1", repository }, 3), url);
    }
  });

  it("is pushed to with the project's credentials, by https or ssh", async (t) => {
    const { host, project } = await setUp(t);
    const { repository, credentials } = project;
    assert.deepEqual(await host.preparePushTarget(project), { url: repository, credentials });
    const ssh = { id: project.id, repository: "git@github.com:acme/docs.git" };
    const key = { ...ssh, credentials: { privateKey: "key" } };
    assert.deepEqual(await host.preparePushTarget(key), {
      url: ssh.repository,
      credentials: key.credentials,
    });
  });

  it("lets an app act where it is installed, for projects without a token", async (t) => {
    const { privateKey } = generateKeyPairSync("rsa", {
      modulusLength: 2048,
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    const installed = "ghs_hunter2ofaninstallation";
    const app = { host: "127.0.0.1", appId: "12", privateKey };
    const { github, host, open, project } = await setUp(t, { app }, { token: installed });
    const { id, repository } = project;
    assert.equal((await host.create({ id, repository }, wanted)).number, 1);
    assert.deepEqual(await host.preparePushTarget({ id, repository }), {
      url: repository,
      credentials: { username: "x-access-token", password: installed },
      reader: "GitHub App 12, installation 7",
    });
    const asked = github.checkExchanges();
    assert.deepEqual(asked.slice(0, 3), [
      "apps/get-repo-installation",
      "apps/create-installation-access-token",
      "repos/get",
    ]);
    const scoped = github.exchanges.findLast(({ path }) => path.endsWith("/access_tokens"));
    assert.deepEqual(scoped?.body, {
      repositories: ["docs"],
      permissions: { contents: "write", pull_requests: "write" },
    });

    assert.deepEqual(
      await host.readSource({ id, repository }),
      await host.preparePushTarget({ id, repository }),
    );

    // If the App is not installed, a public repository can be read but not written.
    const elsewhere = { id, repository: `${github.url}/acme/public.git` };
    assert.deepEqual(await host.readSource(elsewhere), { url: elsewhere.repository });
    const pushing = host.preparePushTarget(elsewhere);
    await assert.rejects(pushing, fails("not_found", /this service's GitHub App has no access/));

    // A project may name any server, but requests signed by the App are sent only to the App's own server.
    const before = github.exchanges.length;
    const foreign = open({ app: { ...app, host: "github.com" } });
    const asking = foreign.preparePushTarget({ id, repository });
    await assert.rejects(asking, fails("forbidden", /There is no token/));
    assert.deepEqual(await foreign.readSource({ id, repository }), { url: repository });
    assert.equal(github.exchanges.length, before);
  });

  it("is called at the API address that the operator sets", async (t) => {
    const { github, open, project } = await setUp(t);
    const repository = "https://git.corp.example/acme/docs.git";
    const host = open({ apiUrls: new Map([["git.corp.example", `${github.url}/api/v3`]]) });
    assert.equal((await host.create({ ...project, repository }, wanted)).number, 1);
    const url = "https://git.corp.example/acme/docs/pull/1";
    assert.equal(host.formatPullRequestUrl({ ...project, repository }, 1), url);
  });
});

describe("the door of the room", () => {
  it("loads Octokit only when it is first used", async () => {
    const door = new URL("../index.ts", import.meta.url).href;
    const script = `
      import { registerHooks } from "node:module";
      const loaded = [];
      registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
      await import(${JSON.stringify(door)});
      console.log(JSON.stringify(loaded.filter((url) => url.includes("octokit"))));`;
    const flags = ["--conditions=@octavo/source", "--disable-warning=ExperimentalWarning"];
    const args = [...flags, "--input-type=module", "--eval", script];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    assert.deepEqual(JSON.parse(stdout), []);
  });
});
