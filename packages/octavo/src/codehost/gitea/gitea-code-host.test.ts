import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { TestContext } from "node:test";
import { fails } from "../../../../../test/support/fails.ts";
import { git, folderFor, openAuthor } from "../../../../../test/support/git-fixture.ts";
import { startGitea } from "../../../../../test/support/gitea-stand-in.ts";
import type {
  GiteaFault,
  GiteaStandInOptions,
} from "../../../../../test/support/gitea-stand-in.ts";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import type { ErrorCode } from "@octavo/site/core";
import { createId, parseAllowList } from "../../core/index.ts";
import { codeHostContract, type SeenStatus } from "../code-host.contract.ts";
import type { CodeHostProject } from "../code-host.ts";
import type { RestHostOptions } from "../rest-host.ts";
import { createGiteaCodeHost } from "./gitea-code-host.ts";

const token = "hunter2notarealtoken";
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
  }: Partial<RestHostOptions> & { readonly standIn?: Partial<GiteaStandInOptions> } = {},
) {
  const root = await folderFor(t);
  const { path = "" } = standIn;
  await cp(template, join(root, path, "acme/docs.git"), { recursive: true });
  const gitea = await startGitea({ root, token, program: "Gitea", ...standIn });
  t.after(async () => {
    await gitea[Symbol.asyncDispose]();
    gitea.checkExchanges();
    const asked = gitea.exchanges.map(({ method, path: to, query }) => [method, to, query]);
    assert.ok(!JSON.stringify(asked).includes("hunter2"));
  });
  const open = (more: Partial<RestHostOptions> = {}) => {
    const allow = parseAllowList(`127.0.0.1:${gitea.port}`);
    return createGiteaCodeHost({ allow, waitUnitMs: 1, ...options, ...more });
  };
  const project: CodeHostProject = {
    id: createId("project"),
    repository: gitea.repository,
    credentials: { password: token },
  };
  let count = 0;
  /** Makes a branch with a new commit, or one at the commit of `main`. */
  async function addBranch(name: string, { isEmpty = false } = {}): Promise<void> {
    const tree = await git(gitea.folder, "rev-parse", "main^{tree}");
    const message = `--message=Change ${count++}`;
    const parent = ["-p", "main", "-m", message];
    const to = isEmpty ? "main" : await git(gitea.folder, "commit-tree", ...parent, tree);
    await git(gitea.folder, "update-ref", `refs/heads/${name}`, to);
  }
  return { gitea, open, host: open(), project, addBranch };
}

for (const program of ["Gitea", "Forgejo"] as const) {
  codeHostContract(program, async (t) => {
    const { gitea, host, open, project, addBranch } = await setUp(t, { standIn: { program } });
    return {
      host,
      other: open(),
      project,
      addBranch,
      commitOf: (name) => git(gitea.folder, "rev-parse", `refs/heads/${name}`),
      addForkPull: (head) => gitea.addForkPull(head),
      remark: async (number, body) => gitea.remark(number, body),
      statuses: () =>
        gitea.statuses.map(({ commit, state, description, target_url: url }) => ({
          commit,
          state: state as SeenStatus["state"],
          description,
          url,
        })),
      hooks: () => gitea.hooks.map(({ config: { url = "", secret = "" } }) => ({ url, secret })),
      end: (number, state) => gitea.end(number, state),
      commentOnLine: async (number, comment) => gitea.commentOnLine(number, comment),
      review: async (number, body, requestsChanges) =>
        gitea.review(number, body, requestsChanges ? "REQUEST_CHANGES" : "APPROVED"),
      comments: async (number) => gitea.pulls[number - 1]?.comments.map(({ body }) => body) ?? [],
      extras: async (number) => {
        const { labels = [], reviewers = [] } = gitea.pulls[number - 1] ?? {};
        return { labels: labels.map((id) => gitea.labels[id - 1] ?? ""), reviewers };
      },
    };
  });

  describe(program, () => {
    it("marks a draft by its title, which stays a draft when the title changes", async (t) => {
      const { gitea, host, project, addBranch } = await setUp(t, { standIn: { program } });
      await addBranch(branch);
      const made = await host.create(project, { ...wanted, isDraft: true });
      assert.deepEqual([made.title, made.isDraft], ["Mend links", true]);
      assert.equal(gitea.pulls[0]?.title, "WIP: Mend links");
      const renamed = await host.update(project, 1, { changes: { title: "Mend all links" } });
      assert.deepEqual([renamed.title, renamed.isDraft], ["Mend all links", true]);
      assert.equal(gitea.pulls[0].title, "WIP: Mend all links");
      gitea.pulls[0].title = "Mend all links";
      const ready = await host.update(project, 1, { changes: { title: "WIPE the dust" } });
      assert.deepEqual([ready.title, ready.isDraft], ["WIPE the dust", false]);
      assert.equal(gitea.pulls[0].title, "WIPE the dust");
    });

    it("keeps the name of a branch that was deleted with its merge", async (t) => {
      const { gitea, host, project, addBranch } = await setUp(t, { standIn: { program } });
      await addBranch(branch);
      await host.create(project, wanted);
      await gitea.end(1, "merged", { deletes: true });
      const found = await host.find(project, { head: branch, state: "any" });
      assert.deepEqual([found?.state, found?.head], ["merged", branch]);
    });
  });
}

describe("Gitea and Forgejo", () => {
  it("are asked what they are, and answer a thread as each can", async (t) => {
    for (const [program, path] of [
      ["Gitea", "/repos/acme/docs/pulls/1/reviews"],
      ["Forgejo", "/repos/acme/docs/pulls/1/reviews/2/comments"],
    ] as const) {
      const { gitea, host, project, addBranch } = await setUp(t, { standIn: { program } });
      await addBranch(branch);
      await host.create(project, wanted);
      gitea.commentOnLine(1, { body: "Too long.", line: 3, login: "ada" });
      gitea.review(1, "Not sent.", "PENDING");
      gitea.review(1, "", "REQUEST_REVIEW");
      await host.replyToLineComment(project, 1, { threadId: 1, body: "Done." });
      const sent = gitea.exchanges.findLast(({ method }) => method === "POST");
      assert.equal(sent?.path, path);
      const comments = await host.listLineComments(project, 1);
      assert.deepEqual(
        comments.map(({ threadId, body }) => [threadId, body]),
        [
          [undefined, "Too long."],
          [1, "Done."],
        ],
      );
      const reviews = await host.listReviews(project, 1);
      assert.ok(reviews.every(({ body }) => body === ""));
    }
  });

  it("let a member begin a thread on a line where a stranger commented before", async (t) => {
    const { gitea, host, project, addBranch } = await setUp(t);
    await addBranch(branch);
    await host.create(project, wanted);
    gitea.commentOnLine(1, { body: "Buy this.", line: 3, login: "eve" });
    gitea.commentOnLine(1, { body: "Too long.", line: 3, login: "ada" });
    gitea.commentOnLine(1, { body: "And this.", line: 3, login: "eve" });
    const comments = await host.listLineComments(project, 1);
    assert.deepEqual(
      comments.map(({ threadId }) => threadId),
      [undefined, undefined, 2],
    );
  });

  const versions: [version: string, words: RegExp | undefined][] = [
    ["1.20.6", /runs Gitea 1\.20\.6, which is too old\. Gitea 1\.21 or later and Forgejo 7/],
    ["6.0.14+gitea-1.20.5", /runs Forgejo 6\.0\.14/],
    ["1.21.0", undefined],
    ["v1.25.1", undefined],
    ["development", undefined],
    ["7.0.0+gitea-1.21.11", undefined],
    ["13.0.3+gitea-1.22.0", undefined],
  ];
  for (const [version, words] of versions) {
    it(`are ${words ? "refused" : "used"} in version ${version}`, async (t) => {
      const program = version.includes("+gitea-") ? "Forgejo" : "Gitea";
      const { host, project } = await setUp(t, { standIn: { version, program } });
      const finding = host.find(project, { head: branch, state: "open" });
      if (words) await assert.rejects(finding, fails("invalid_input", words));
      else assert.equal(await finding, undefined);
    });
  }

  it("serve below a path, under the current name of a moved repository, and not its forks", async (t) => {
    const { gitea, host, project, addBranch } = await setUp(t, { standIn: { path: "/forge" } });
    assert.match(project.repository, /\/forge\/acme\/docs\.git$/);
    await addBranch(branch);
    await gitea.addForkPull(branch);
    gitea.fullName = "acme-corp/handbook";
    assert.equal(await host.find(project, { head: branch, state: "any" }), undefined);
    const made = await host.create(project, wanted);
    assert.equal(made.number, 2);
    assert.equal((await host.find(project, { head: branch, state: "open" }))?.number, 2);
    assert.equal(host.formatPullRequestUrl(project, 2), `${gitea.url}/acme/docs/pulls/2`);
  });

  it("take names that an address must escape", async (t) => {
    const { host, project, addBranch } = await setUp(t);
    const head = "octavo/100%-größer&#1+2";
    await addBranch(head);
    const made = await host.create(project, { ...wanted, head });
    assert.equal(made.head, head);
    assert.equal((await host.find(project, { head, state: "open" }))?.number, 1);
  });

  it("are searched page by page, open pull requests first", async (t) => {
    const { gitea, host, project, addBranch } = await setUp(t);
    gitea.maxPageSize = 3;
    for (const name of ["a", "b", "c", "d", "e", "f", "g"]) {
      await addBranch(name);
      await host.create(project, { ...wanted, head: name });
    }
    await gitea.end(1, "closed");
    await host.create(project, { ...wanted, head: "a" });
    await gitea.end(8, "closed");
    assert.equal((await host.find(project, { head: "b", state: "open" }))?.number, 2);
    assert.equal((await host.find(project, { head: "a", state: "any" }))?.number, 8);
    assert.equal(await host.find(project, { head: "a", state: "open" }), undefined);
  });

  it("are read from the newest: remarks of members, and the last reviews", async (t) => {
    const { gitea, host, project, addBranch } = await setUp(t);
    await addBranch(branch);
    await host.create(project, wanted);
    for (let count = 1; count <= 130; count += 1) {
      gitea.remark(1, `${count}`);
      gitea.review(1, `${count}`, "COMMENT");
    }
    gitea.remark(1, "Buy this.", "eve");
    const remarks = await host.listComments(project, 1);
    assert.deepEqual([remarks.length, remarks[0]?.body], [100, "32"]);
    assert.deepEqual(
      remarks.slice(-2).map(({ body, isByMember }) => [body, isByMember]),
      [
        ["130", true],
        ["Buy this.", false],
      ],
    );
    const reviews = await host.listReviews(project, 1);
    assert.deepEqual([reviews.length, reviews[0]?.body, reviews.at(-1)?.body], [80, "51", "130"]);
  });

  it("open one pull request even if a response is lost or the server fails", async (t) => {
    const { gitea, host, project, addBranch } = await setUp(t);
    await addBranch(branch);
    gitea.fail({ on: /^POST .*\/pulls$/, status: 502, isDone: true });
    assert.equal((await host.create(project, wanted)).number, 1);
    gitea.fail({ status: 500, times: 2 });
    assert.equal((await host.create(project, wanted)).number, 1);
    assert.equal(gitea.pulls.length, 1);
    gitea.fail({ status: 503, times: 3 });
    await assert.rejects(host.get(project, 1), fails("unavailable", /Try again later/));
    assert.equal((await host.get(project, 1)).number, 1);
  });

  it("get a comment once, even if the response is lost", async (t) => {
    const { gitea, host, project, addBranch } = await setUp(t);
    await addBranch(branch);
    await host.create(project, wanted);
    gitea.fail({ on: /comments$/, status: 502, isDone: true });
    const commenting = host.addComment(project, 1, { body: "once" });
    await assert.rejects(commenting, fails("unavailable", /Try again later/));
    assert.equal(gitea.pulls[0]?.comments.length, 1);
  });

  const refusals: [name: string, fault: GiteaFault, code: ErrorCode, words: RegExp][] = [
    ["a wrong token", { status: 401 }, "forbidden", /does not accept the project's token/],
    [
      "a token with too few scopes",
      { status: 403, body: { message: `token ${token} does not have the scope\u0000` } },
      "forbidden",
      /needs the scopes write:repository, write:issue and read:user, .*\(token \[redacted\] does not/,
    ],
    ["a repository that is not there", { status: 404 }, "not_found", /has no access/],
    ["a refusal", { status: 422, body: { message: "No such thing" } }, "invalid_input", /No such/],
    ["another server's page", { status: 200, body: "<html>" }, "unavailable", /does not come from/],
    ["another server's answer", { status: 200, body: [{}] }, "unavailable", /does not come from/],
    [
      "a limit far away",
      { status: 429, headers: { "retry-after": "3600" } },
      "rate_limited",
      /in 3600 seconds/,
    ],
    ["a limit without a time", { status: 429 }, "rate_limited", /in 60 seconds/],
  ];
  for (const [name, fault, code, words] of refusals) {
    it(`say what to do about ${name}`, async (t) => {
      const { gitea, host, project } = await setUp(t);
      gitea.fail({ ...fault, times: 10, on: /\/pulls$/ });
      const asking = host.find(project, { head: branch, state: "open" });
      await assert.rejects(asking, fails(code, words));
      // The stand-in's own response was wrong on purpose.
      if (fault.status === 200) gitea.exchanges.length = 0;
    });
  }

  it("are waited for if a rate limit ends soon, and given up if the caller cancels", async (t) => {
    const { gitea, host, open, project } = await setUp(t);
    gitea.fail({ status: 429, headers: { "retry-after": "30" } });
    assert.equal(await host.find(project, { head: branch, state: "open" }), undefined);
    gitea.fail({ status: 429, headers: { "retry-after": "60" }, times: 10 });
    const controller = new AbortController();
    const slow = open({ waitUnitMs: 1_000 }).get(project, 1, controller.signal);
    controller.abort();
    await assert.rejects(slow, fails("cancelled", /Cancelled/));
  });

  it("say which rights a token lacks, and are not changed by the question", async (t) => {
    const { gitea, host, project } = await setUp(t);
    gitea.canPush = false;
    gitea.scopes = ["read:repository"];
    assert.deepEqual(await host.listMissingRights(project), [
      "the scope write:repository",
      "the scope write:issue",
      "the scope read:user",
      "write access to the repository",
    ]);
    gitea.canPush = true;
    gitea.scopes = ["write:repository", "read:issue", "read:user"];
    assert.deepEqual(await host.listMissingRights(project), ["the scope write:issue"]);
    gitea.scopes = ["write:repository", "write:issue"];
    assert.deepEqual(await host.listMissingRights(project), ["the scope read:user"]);
  });

  it("are not called at a private address that the operator did not allow", async (t) => {
    const { gitea, open, project } = await setUp(t);
    const host = open({ allow: parseAllowList("") });
    await assert.rejects(host.get(project, 1), fails("forbidden", /OCTAVO_ALLOW/));
    assert.deepEqual(gitea.exchanges, []);
  });

  it("need a token, and a repository on a server of this kind", async (t) => {
    const { gitea, host, project } = await setUp(t);
    const { id, repository } = project;
    await assert.rejects(host.get({ id, repository }, 1), fails("forbidden", /There is no token/));
    await assert.rejects(
      host.preparePushTarget({ id, repository }),
      fails("forbidden", /no token/),
    );
    for (const wrong of ["https://git.example/acme", "https://git.example/../..", "local"]) {
      await assert.rejects(host.get({ ...project, repository: wrong }, 1), fails("invalid_input"));
    }
    gitea.fail({ on: /version/, status: 404 });
    await assert.rejects(
      host.get(project, 1),
      fails("invalid_input", /no Gitea or Forgejo server at/),
    );
  });

  it("say which labels and reviewers they do not take, and do the rest", async (t) => {
    const { gitea, host, project, addBranch } = await setUp(t);
    await addBranch(branch);
    await host.create(project, wanted);
    const extras = {
      labels: ["Docs", "new"],
      reviewers: ["stranger", "octocat", "nobody", "acme/nobody", "acme/docs"],
    };
    const refused = await host.addExtras(project, 1, { extras });
    assert.deepEqual(
      refused.map((sentence) => sentence.split(" was ")[0]),
      ["stranger", "nobody", "acme/nobody"],
    );
    assert.match(refused[0] ?? "", /can't read/);
    assert.deepEqual(gitea.labels, ["bug", "docs", "new"]);
    assert.deepEqual(gitea.pulls[0]?.labels, [2, 3]);
    assert.deepEqual(gitea.pulls[0].reviewers, ["octocat", "acme/docs"]);
    gitea.fail({ on: /issues\/1\/labels$/, status: 403 });
    const [sentence] = await host.addExtras(project, 1, { extras: { ...extras, reviewers: [] } });
    assert.match(sentence ?? "", /^The labels Docs, new were not added: .*write:issue/);
  });

  it("get a draft with the prefix that their operator chose, or an ordinary pull request", async (t) => {
    const { gitea, host, project, addBranch } = await setUp(t, { standIn: { program: "Forgejo" } });
    await addBranch(branch);
    gitea.draftPrefixes = ["Draft:"];
    const draft = await host.create(project, { ...wanted, isDraft: true });
    assert.deepEqual([draft.title, draft.isDraft], ["Mend links", true]);
    assert.equal(gitea.pulls[0]?.title, "Draft: Mend links");
    await gitea.end(1, "closed");
    gitea.draftPrefixes = ["Entwurf:"];
    const ordinary = await host.create(project, { ...wanted, isDraft: true });
    assert.deepEqual([ordinary.title, ordinary.isDraft], ["Mend links", false]);
    assert.equal(gitea.pulls[1]?.title, "Mend links");
  });

  const places: [repository: string, url: string][] = [
    ["https://codeberg.org/acme/docs", "https://codeberg.org/acme/docs/pulls/3"],
    ["git@codeberg.org:acme/docs.git", "https://codeberg.org/acme/docs/pulls/3"],
    ["https://git.corp.example:8443/acme/docs/", "https://git.corp.example:8443/acme/docs/pulls/3"],
    [
      "ssh://git@code.corp.example:2222/acme/docs",
      "https://code.corp.example/forge/acme/docs/pulls/3",
    ],
    ["https://a.example/b/acme/docs.git", "https://a.example/b/acme/docs/pulls/3"],
  ];
  it("have an address for people", () => {
    const serverUrls = new Map([["code.corp.example", "https://code.corp.example/forge"]]);
    const host = createGiteaCodeHost({ allow: parseAllowList(""), serverUrls });
    for (const [repository, url] of places) {
      assert.equal(host.formatPullRequestUrl({ id: "pr_1", repository }, 3), url);
    }
  });

  it("are pushed to with the project's credentials, by https or ssh", async (t) => {
    const { host, project } = await setUp(t);
    const { id, repository, credentials } = project;
    assert.deepEqual(await host.preparePushTarget(project), { url: repository, credentials });
    const ssh = { id, repository: "git@codeberg.org:acme/docs.git" };
    const key = { ...ssh, credentials: { privateKey: "key" } };
    assert.deepEqual(await host.preparePushTarget(key), { url: ssh.repository, credentials: key.credentials }); // prettier-ignore
    const url = "https://codeberg.org/acme/docs.git";
    assert.deepEqual(await host.preparePushTarget({ ...ssh, credentials }), { url, credentials });
    assert.deepEqual(await host.readSource({ id, repository }), { url: repository });
  });
});
