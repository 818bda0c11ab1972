import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { TestContext } from "node:test";
import { fails } from "../../../../../test/support/fails.ts";
import { git, folderFor, openAuthor } from "../../../../../test/support/git-fixture.ts";
import { startGitLab } from "../../../../../test/support/gitlab-stand-in.ts";
import type {
  GitLabFault,
  GitLabStandInOptions,
} from "../../../../../test/support/gitlab-stand-in.ts";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import type { ErrorCode } from "@octavo/site/core";
import { createId, parseAllowList } from "../../core/index.ts";
import { codeHostContract, type SeenStatus } from "../code-host.contract.ts";
import type { CodeHostProject } from "../code-host.ts";
import type { RestHostOptions } from "../rest-host.ts";
import { createGitLabCodeHost } from "./gitlab-code-host.ts";

const token = "glpat-hunter2notarealtoken";
const branch = "octavo/agent-1";
const wanted = { title: "Mend links", body: "Two.", head: branch, base: "main" };

/** A bare repository with the branch `main` and one commit. */
let template: string;
before(async (t) => {
  const folder = await temporaryFolder();
  (t as TestContext).after(() => folder[Symbol.asyncDispose]());
  const author = await openAuthor(join(folder.path, "author"));
  await author.commit({ "guide.mdx": "a\n" });
  template = join(folder.path, "docs.git");
  await git(folder.path, "clone", "--quiet", "--bare", author.folder, template);
});

/** Sets up a server and a host for it. Every request is checked at the end. */
async function setUp(
  t: TestContext,
  {
    standIn = {},
    ...options
  }: Partial<RestHostOptions> & { readonly standIn?: Partial<GitLabStandInOptions> } = {},
) {
  const root = await folderFor(t);
  const { path = "" } = standIn;
  await cp(template, join(root, path, "acme/web/docs.git"), { recursive: true });
  const gitlab = await startGitLab({ root, token, ...standIn });
  t.after(async () => {
    await gitlab[Symbol.asyncDispose]();
    gitlab.checkExchanges();
    const asked = gitlab.exchanges.map(({ method, path: to, query }) => [method, to, query]);
    assert.ok(!JSON.stringify(asked).includes("hunter2"));
  });
  const serverUrls = new Map(path === "" ? [] : [["127.0.0.1", gitlab.url]]);
  const open = (more: Partial<RestHostOptions> = {}) => {
    const allow = parseAllowList(`127.0.0.1:${gitlab.port}`);
    return createGitLabCodeHost({ allow, serverUrls, waitUnitMs: 1, ...options, ...more });
  };
  const project: CodeHostProject = {
    id: createId("project"),
    repository: gitlab.repository,
    credentials: { password: token },
  };
  let count = 0;
  /** Makes a branch with a new commit, or one at the commit of `main`. */
  async function addBranch(name: string, { isEmpty = false } = {}): Promise<void> {
    const tree = await git(gitlab.folder, "rev-parse", "main^{tree}");
    const parent = ["-p", "main", "-m", `Change ${count++}`];
    const to = isEmpty ? "main" : await git(gitlab.folder, "commit-tree", ...parent, tree);
    await git(gitlab.folder, "update-ref", `refs/heads/${name}`, to);
  }
  return { gitlab, open, host: open(), project, addBranch };
}

codeHostContract("GitLab", async (t) => {
  const { gitlab, host, open, project, addBranch } = await setUp(t);
  return {
    host,
    other: open(),
    project,
    addBranch,
    commitOf: (name) => git(gitlab.folder, "rev-parse", `refs/heads/${name}`),
    addForkPull: (head) => gitlab.addForkMergeRequest(head),
    remark: async (number, body) => gitlab.remark(number, body),
    statuses: () =>
      gitlab.statuses.map(({ commit, state, description, target_url: url }) => ({
        commit,
        state: (state === "failed" ? "failure" : state) as SeenStatus["state"],
        description,
        url,
      })),
    hooks: () => gitlab.hooks.map(({ url, token: secret }) => ({ url, secret })),
    reviewers: ["octocat"],
    end: (number, state) => gitlab.end(number, state),
    commentOnLine: async (number, comment) => gitlab.commentOnLine(number, comment),
    comments: async (number) =>
      gitlab.mergeRequests[number - 1]?.notes.map(({ body }) => body) ?? [],
    extras: async (number) => {
      const { labels = [], reviewers = [] } = gitlab.mergeRequests[number - 1] ?? {};
      return { labels, reviewers: reviewers.map((id) => (id === 3 ? "octocat" : String(id))) };
    },
  };
});

describe("GitLab", () => {
  it("marks a draft by its title, which stays a draft when the title changes", async (t) => {
    const { gitlab, host, project, addBranch } = await setUp(t);
    await addBranch(branch);
    const made = await host.create(project, { ...wanted, isDraft: true });
    assert.deepEqual([made.title, made.isDraft], ["Mend links", true]);
    assert.equal(gitlab.mergeRequests[0]?.title, "Draft: Mend links");
    const renamed = await host.update(project, 1, { changes: { title: "Mend all links" } });
    assert.deepEqual([renamed.title, renamed.isDraft], ["Mend all links", true]);
    gitlab.mergeRequests[0].title = "Mend all links";
    const ready = await host.update(project, 1, { changes: { title: "Drafts of links" } });
    assert.deepEqual([ready.title, ready.isDraft], ["Drafts of links", false]);
  });

  it("serves below a path that the operator names, in subgroups, and not its forks", async (t) => {
    const { gitlab, host, project, addBranch } = await setUp(t, { standIn: { path: "/gitlab" } });
    await addBranch(branch);
    await gitlab.addForkMergeRequest(branch);
    assert.equal(await host.find(project, { head: branch, state: "any" }), undefined);
    const made = await host.create(project, wanted);
    assert.equal(made.url, `${gitlab.url}/acme/web/docs/-/merge_requests/2`);
    assert.equal(host.formatPullRequestUrl(project, 2), made.url);
  });

  it("has an open merge request while it merges it", async (t) => {
    const { gitlab, host, project, addBranch } = await setUp(t);
    await addBranch(branch);
    await host.create(project, wanted);
    (gitlab.mergeRequests[0] ?? assert.fail()).state = "locked";
    const found = await host.find(project, { head: branch, state: "open" });
    assert.deepEqual([found?.state, found?.endedAt], ["open", undefined]);
  });

  it("does not carry out what stands in a text, and shows code as it is", async (t) => {
    const { gitlab, host, project, addBranch } = await setUp(t);
    await addBranch(branch);
    const body = "/merge\n\n```\n/etc/hosts\n```\n  /close\na /close";
    await host.create(project, { ...wanted, body });
    const safe = "\\/merge\n\n```\n/etc/hosts\n```\n  \\/close\na /close";
    assert.equal(gitlab.mergeRequests[0]?.description, safe);
    await host.update(project, 1, { changes: { body: "/close" } });
    assert.equal(gitlab.mergeRequests[0].description, "\\/close");
    gitlab.commentOnLine(1, { body: "Too long.", line: 3, login: "ada" });
    await host.addComment(project, 1, { body: "/approve" });
    await host.replyToLineComment(project, 1, { threadId: 1, body: "/approve" });
    assert.equal(gitlab.mergeRequests[0].notes[0]?.body, "\\/approve");
    assert.equal(gitlab.mergeRequests[0].threads[0]?.[1]?.body, "\\/approve");
  });

  it("is read from the newest: remarks of members, without its own notes and those on lines", async (t) => {
    const { gitlab, host, project, addBranch } = await setUp(t);
    await addBranch(branch);
    await host.create(project, wanted);
    for (let count = 1; count <= 130; count += 1) {
      gitlab.remark(1, `${count}`);
      gitlab.remark(1, "added 1 commit", { system: true });
    }
    gitlab.commentOnLine(1, { body: "Too long.", line: 3, login: "ada" });
    gitlab.remark(1, "Buy this.", { username: "eve" });
    const remarks = await host.listComments(project, 1);
    assert.deepEqual([remarks.length, remarks[0]?.body], [100, "32"]);
    assert.deepEqual(
      remarks.slice(-2).map(({ body, isByMember }) => [body, isByMember]),
      [
        ["130", true],
        ["Buy this.", false],
      ],
    );
  });

  it("shows the end of the change at which a comment was made", async (t) => {
    const { gitlab, host, project, addBranch } = await setUp(t);
    await addBranch(branch);
    await host.create(project, wanted);
    gitlab.commentOnLine(1, { body: "Here.", line: 2, login: "ada" });
    gitlab.commentOnLine(1, { body: "Gone.", line: 40, login: "ada" });
    const comments = await host.listLineComments(project, 1);
    assert.deepEqual(
      comments.map(({ diff }) => diff),
      ["@@ -1 +1,3 @@\n a\n+b", ""],
    );
  });

  it("takes names that an address must escape", async (t) => {
    const { host, project, addBranch } = await setUp(t);
    const head = "octavo/100%-größer&#1+2";
    await addBranch(head);
    assert.equal((await host.create(project, { ...wanted, head })).head, head);
    assert.equal((await host.find(project, { head, state: "open" }))?.number, 1);
  });

  it("opens one merge request even if a response is lost or the server fails", async (t) => {
    const { gitlab, host, project, addBranch } = await setUp(t);
    await addBranch(branch);
    gitlab.fail({ on: /^POST .*\/merge_requests$/, status: 502, isDone: true });
    assert.equal((await host.create(project, wanted)).number, 1);
    gitlab.fail({ status: 503, times: 3 });
    await assert.rejects(host.get(project, 1), fails("unavailable", /Try again later/));
    assert.equal((await host.get(project, 1)).number, 1);
    gitlab.fail({ on: /notes$/, status: 502, isDone: true });
    const commenting = host.addComment(project, 1, { body: "once" });
    await assert.rejects(commenting, fails("unavailable", /Try again later/));
    assert.equal(gitlab.mergeRequests[0]?.notes.length, 1);
  });

  const reset = String(Math.floor(Date.now() / 1000) + 3_000);
  const scope = { error: "insufficient_scope", error_description: "The request requires api" };
  const refusals: [name: string, fault: GitLabFault, code: ErrorCode, words: RegExp][] = [
    ["a wrong token", { status: 401 }, "forbidden", /does not accept the project's token/],
    [
      "a token with too few scopes",
      { status: 403, body: scope },
      "forbidden",
      /needs the scope api and at least the Developer role\. \(The request requires api\)/,
    ],
    ["a project that is not there", { status: 404 }, "not_found", /has no access/],
    [
      "a refusal",
      { status: 422, body: { message: { base: [`No such ${token}`] } } },
      "invalid_input",
      /No such \[redacted\]/,
    ],
    ["another server's page", { status: 200, body: "<html>" }, "unavailable", /does not come from/],
    [
      "a limit far away",
      { status: 429, headers: { "ratelimit-reset": reset } },
      "rate_limited",
      /in \d{4} seconds/,
    ],
  ];
  for (const [name, fault, code, words] of refusals) {
    it(`says what to do about ${name}`, async (t) => {
      const { gitlab, host, project } = await setUp(t);
      gitlab.fail({ ...fault, times: 10, on: /\/merge_requests$/ });
      const asking = host.find(project, { head: branch, state: "open" });
      await assert.rejects(asking, fails(code, words));
      // The stand-in's own response was wrong on purpose.
      if (fault.status === 200) gitlab.exchanges.length = 0;
    });
  }

  it("says which rights a token lacks", async (t) => {
    const { gitlab, host, project } = await setUp(t);
    gitlab.access = { own: 20, group: null };
    gitlab.scopes = ["read_api", "write_repository"];
    assert.deepEqual(await host.listMissingRights(project), [
      "the scope api",
      "at least the Developer role",
    ]);
    gitlab.access = { own: 20, group: 40 };
    assert.deepEqual(await host.listMissingRights(project), ["the scope api"]);
  });

  it("is refused in a version that is too old, and where there is none", async (t) => {
    const { gitlab, host, project } = await setUp(t, { standIn: { version: "15.11.13-ee" } });
    await assert.rejects(host.get(project, 1), fails("invalid_input", /15\.11\.13-ee, .*too old/));
    gitlab.fail({ on: /version/, status: 404 });
    await assert.rejects(host.get(project, 1), fails("invalid_input", /no GitLab server at/));
  });

  it("needs a token, a project's address, and the operator's word for a private one", async (t) => {
    const { gitlab, host, open, project } = await setUp(t);
    const { id, repository } = project;
    await assert.rejects(host.get({ id, repository }, 1), fails("forbidden", /There is no token/));
    await assert.rejects(
      host.preparePushTarget({ id, repository }),
      fails("forbidden", /no token/),
    );
    for (const wrong of ["https://gitlab.com/acme", "https://gitlab.com/../..", "local"]) {
      await assert.rejects(host.get({ ...project, repository: wrong }, 1), fails("invalid_input"));
    }
    const closed = open({ allow: parseAllowList("") });
    await assert.rejects(closed.get(project, 1), fails("forbidden", /OCTAVO_ALLOW/));
    assert.deepEqual(gitlab.exchanges, []);
  });

  it("says which reviewers it does not take, and does the rest", async (t) => {
    const { gitlab, host, project, addBranch } = await setUp(t);
    await addBranch(branch);
    await host.create(project, wanted);
    const extras = { labels: ["docs"], reviewers: ["nobody", "acme/docs", "octocat", "ada"] };
    const refused = await host.addExtras(project, 1, { extras });
    assert.deepEqual(refused, [
      "nobody was not asked for a review: GitLab has no user nobody.",
      "acme/docs was not asked for a review: Reviews cannot be requested from groups on GitLab.",
    ]);
    assert.deepEqual(gitlab.mergeRequests[0]?.reviewers, [3, 1]);
    gitlab.mergeRequests[0].reviewers = [];
    gitlab.maxReviewers = 1;
    const [only] = await host.addExtras(project, 1, { extras: { ...extras, reviewers: ["octocat", "ada"] } }); // prettier-ignore
    assert.equal(
      only,
      "ada was not asked for a review: This GitLab server allows only one reviewer.",
    );
    assert.deepEqual(gitlab.mergeRequests[0].reviewers, [3]);
  });

  const places: [repository: string, url: string][] = [
    ["https://gitlab.com/acme/docs", "https://gitlab.com/acme/docs/-/merge_requests/3"],
    ["git@gitlab.com:acme/a/b/docs.git", "https://gitlab.com/acme/a/b/docs/-/merge_requests/3"],
    [
      "ssh://git@altssh.gitlab.com:443/acme/docs.git",
      "https://gitlab.com/acme/docs/-/merge_requests/3",
    ],
    [
      "https://git.corp.example:8443/acme/docs/",
      "https://git.corp.example:8443/acme/docs/-/merge_requests/3",
    ],
    [
      "ssh://git@code.corp.example:2222/acme/docs",
      "https://code.corp.example/gitlab/acme/docs/-/merge_requests/3",
    ],
  ];
  it("has an address for people", () => {
    const serverUrls = new Map([["code.corp.example", "https://code.corp.example/gitlab"]]);
    const host = createGitLabCodeHost({ allow: parseAllowList(""), serverUrls });
    for (const [repository, url] of places) {
      assert.equal(host.formatPullRequestUrl({ id: "pr_1", repository }, 3), url);
    }
  });
});
