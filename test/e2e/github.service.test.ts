import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import type { AgentJob } from "../../packages/octavo/src/jobs/index.ts";
import { createApiClient } from "../support/api-client.ts";
import { folderFor, git, openAuthor, serveFixture } from "../support/git-fixture.ts";
import { startGitHub } from "../support/github-stand-in.ts";
import { startService } from "../support/service.ts";
import type { RunningService } from "../support/service.ts";

const run = promisify(execFile);

const site = {
  "docs/docs.json": JSON.stringify({ name: "Lantern", navigation: { pages: ["index", "guide"] } }),
  "docs/index.mdx": "---\ntitle: Home\n---\n\nRead teh [guide](/guide) of the Lamp.\n",
  "docs/guide.mdx": "---\ntitle: Guide\n---\n\nFill the Lamp.\n",
  "AGENTS.md": "Say little.\n",
};

/** A GitHub Enterprise server: git over https with a certificate of the company's own, and the API beside it. */
async function openEnterprise(t: TestContext, token: string) {
  const folder = await folderFor(t);
  const author = await openAuthor(join(folder, "author"));
  await author.commit(site);
  const repository = join(folder, "git", "acme", "docs.git");
  await git(folder, "clone", "--quiet", "--bare", author.folder, repository);
  const login = { user: "x-access-token", password: token };
  const server = await serveFixture({ root: join(folder, "git"), login, isSecure: true });
  t.after(() => server[Symbol.asyncDispose]());
  const certificate = join(folder, "certificate.pem");
  await writeFile(certificate, server.certificate);
  const github = await startGitHub({ token, repository });
  t.after(() => github[Symbol.asyncDispose]());
  return {
    folder,
    repository,
    github,
    address: `${server.url}/acme/docs.git`,
    env: {
      NODE_EXTRA_CA_CERTS: certificate,
      OCTAVO_ALLOW: "127.0.0.1",
      OCTAVO_GITHUB_HOSTS: `127.0.0.1=${github.url}/api/v3`,
    },
    /** The token of before opens nothing any more. */
    renew(next: string): void {
      login.password = next;
      github.token = next;
    },
    async merge(number: number): Promise<void> {
      const head = github.pulls[number - 1]?.head ?? "";
      await git(repository, "update-ref", "refs/heads/main", `refs/heads/${head}`);
      github.end(number, "merged");
    },
    /** Returns a branch's changes to one file, line by line. */
    async changes(branch: string, path: string): Promise<string> {
      const diff = await git(repository, "diff", "--unified=0", `main...${branch}`, "--", path);
      return diff
        .split("\n")
        .filter((line) => /^[-+](?![-+])/.test(line))
        .join("\n");
    },
  };
}

interface PublishedSite {
  readonly visibility: string;
  readonly live: { readonly status: string } | null;
}

function openJobs(service: RunningService) {
  const client = createApiClient(service.url, service.key);
  async function ask(path: string, prompt: string): Promise<AgentJob> {
    const answer = await client.call<AgentJob>("POST", path, { body: { prompt } });
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    const jobPath = path.replace(/\/job.*$/, `/job/${answer.body.id}`);
    const job = await client.waitForAgentJob(jobPath);
    assert.equal(job.status, "completed", job.error);
    return job;
  }
  return {
    client,
    start: (projectId: string, prompt: string) => ask(`/v2/agent/${projectId}/job`, prompt),
    message: (projectId: string, jobId: string, prompt: string) =>
      ask(`/v2/agent/${projectId}/job/${jobId}/message`, prompt),
    async addProject(repository: string, credentials?: string): Promise<string> {
      const fields = { name: "Docs", domain: "docs.example.com", repository, directory: "docs" };
      const body = { ...fields, ...(credentials !== undefined && { credentials }) };
      const { body: project } = await client.call<Record<string, string>>("POST", "/v2/projects", {
        body,
      });
      assert.equal(project["codeHost"], "github", JSON.stringify(project));
      return project["id"] ?? "";
    },
  };
}

test("a project with a token: a pull request, a follow-up to it, and another one after it was merged", async (t) => {
  const token = "ghp_hunter2oftheproject";
  const enterprise = await openEnterprise(t, token);
  const { github, folder, address, env } = enterprise;
  await using service = await startService({ data: join(folder, "data"), env });
  const jobs = openJobs(service);
  const projectId = await jobs.addProject(address, token);
  const pullRequests = { labels: ["docs"], reviewers: ["octocat", "stranger"] };
  const changed = await jobs.client.call("PATCH", `/v2/projects/${projectId}`, {
    body: { pullRequests },
  });
  assert.equal(changed.status, 200);

  const first = await jobs.start(projectId, "Fix common misspellings");
  assert.deepEqual(first.source, { repository: address, ref: `octavo/agent-${first.id}` });
  const made = github.pulls[0];
  assert.deepEqual([made?.labels, made?.reviewers], [["docs"], ["octocat"]]);
  assert.equal(first.prLink, `${github.url}/acme/docs/pull/1`);
  const { title, body, head, base, draft } = github.pulls[0] ?? assert.fail("no pull request");
  assert.deepEqual([title, head, base], ["Fix common misspellings", first.source.ref, "main"]);
  assert.equal(draft, false);
  assert.match(
    body ?? "",
    /^Corrected 1 misspelled word[^]*index\.mdx[^]*> Fix common misspellings/,
  );
  const line = "Read teh [guide](/guide) of the Lamp.";
  const mended = line.replace("teh", "the");
  assert.equal(await enterprise.changes(head, "docs/index.mdx"), `-${line}\n+${mended}`);

  const rename = 'Rename "Lamp" to "Lantern"';
  const second = await jobs.message(projectId, first.id, rename);
  assert.equal(second.prLink, first.prLink);
  assert.equal(github.pulls.length, 1);
  assert.equal(github.pulls[0]?.title, title);
  assert.ok(github.pulls[0]?.body?.includes(rename) && github.pulls[0].body.includes(title));
  const lit = mended.replace("Lamp", "Lantern");
  assert.equal(await enterprise.changes(head, "docs/index.mdx"), `-${line}\n+${lit}`);
  assert.equal(await git(enterprise.repository, "rev-list", "--count", `main..${head}`), "2");

  await enterprise.merge(1);
  const third = await jobs.message(projectId, first.id, 'Rename "Lantern" to "Torch"');
  assert.equal(third.prLink, `${github.url}/acme/docs/pull/2`);
  assert.equal(third.source.ref, `${head}-2`);
  assert.deepEqual(
    github.pulls.map(({ number, state, head: branch }) => [number, state, branch]),
    [
      [1, "closed", head],
      [2, "open", third.source.ref],
    ],
  );
  const torch = lit.replace("Lantern", "Torch");
  assert.equal(await enterprise.changes(third.source.ref, "docs/index.mdx"), `-${lit}\n+${torch}`);

  const asked = new Set(github.checkExchanges());
  const expected = [
    "repos/get",
    "pulls/list",
    "pulls/create",
    "pulls/get",
    "pulls/update",
    "pulls/list-review-comments",
    "issues/add-labels",
    "pulls/request-reviewers",
  ];
  assert.deepEqual([...asked].toSorted(), expected.toSorted());
  assert.doesNotMatch(service.output(), /hunter2/);
});

test("an App serves a project without a token, and its mirror outlives the installation's tokens", async (t) => {
  const enterprise = await openEnterprise(t, "ghs_hunter2thefirsthour");
  const { github, folder, address } = enterprise;
  const keyFile = join(folder, "app.pem");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  await writeFile(keyFile, privateKey.export({ type: "pkcs1", format: "pem" }));
  const app = {
    OCTAVO_GITHUB_APP_ID: "12",
    OCTAVO_GITHUB_APP_KEY_FILE: keyFile,
    OCTAVO_GITHUB_APP_HOST: "127.0.0.1",
  };
  const options = { data: join(folder, "data"), env: { ...enterprise.env, ...app } };
  const mirrors = () => readdir(join(folder, "data", "git", "mirrors"));

  let first: AgentJob;
  let projectId: string;
  let found: string[];
  {
    await using service = await startService(options);
    const jobs = openJobs(service);
    projectId = await jobs.addProject(address);
    const body = { domain: "docs.example.com" };
    const path = "/v1/static-export/jobs";
    const { body: started } = await jobs.client.call<{ jobId: string }>("POST", path, { body });
    const exported = await jobs.client.waitForExport(started.jobId);
    assert.equal(exported.status, "completed", exported.error);
    // Without the App's tokens, nobody can read this repository.
    const deployments = `/v2/projects/${projectId}/deployments`;
    const { body: deployment } = await jobs.client.call<{ id: string }>("POST", deployments, { body: {} }); // prettier-ignore
    await jobs.client.call("GET", `/v2/deployments/${deployment.id}/events`);
    const { body: published } = await jobs.client.call<PublishedSite>("GET", `/v2/projects/${projectId}/site`); // prettier-ignore
    assert.deepEqual([published.live?.status, published.visibility], ["ready", "members"]);
    first = await jobs.start(projectId, "Fix common misspellings");
    assert.equal(first.prLink, `${github.url}/acme/docs/pull/1`);
    assert.equal(github.pulls[0]?.title, "Fix common misspellings");
    found = await mirrors();
    assert.equal(found.length, 1);
    await service.end("SIGTERM");
    assert.doesNotMatch(service.output(), /hunter2|PRIVATE KEY/);
  }

  enterprise.renew("ghs_hunter2thesecondhour");
  await using service = await startService(options);
  const jobs = openJobs(service);
  const second = await jobs.message(projectId, first.id, 'Rename "Lamp" to "Lantern"');
  assert.equal(second.prLink, first.prLink);
  assert.equal(github.pulls.length, 1);
  assert.deepEqual(await mirrors(), found);
  await enterprise.merge(1);
  const third = await jobs.message(projectId, first.id, 'Rename "Lantern" to "Torch"');
  assert.equal(third.prLink, `${github.url}/acme/docs/pull/2`);
  const asked = new Set(github.checkExchanges());
  assert.ok(asked.has("apps/create-installation-access-token"));
  assert.doesNotMatch(service.output(), /hunter2|PRIVATE KEY/);
});

test("an export tells when the repository saw a page change, and leads to it without the token", async (t) => {
  const token = "ghp_hunter2oftheexport";
  const { folder, repository, address, env } = await openEnterprise(t, token);
  const author = await openAuthor(join(folder, "author"));
  const configuration = {
    name: "Lantern",
    metadata: { timestamp: true },
    feedback: { suggestEdit: true },
    navigation: { pages: ["index", "guide"] },
  };
  await author.commit({ "docs/docs.json": JSON.stringify(configuration) }, "2026-02-03");
  await author.commit({ "docs/guide.mdx": "---\ntitle: Guide\n---\n\nOil.\n" }, "2026-04-05");
  await author.git("push", "--quiet", repository, "main");
  await using service = await startService({ data: join(folder, "data"), env });
  const jobs = openJobs(service);
  const { client } = jobs;
  await jobs.addProject(address, token);
  const path = "/v1/static-export/jobs";
  const body = { domain: "docs.example.com" };
  const started = await client.call<{ jobId: string }>("POST", path, { body });
  const { jobId } = started.body;
  const ended = await client.waitForExport(jobId);
  assert.equal(ended.status, "completed", ended.error);
  const link = await client.call<{ bundleUrl: string }>("POST", `${path}/${jobId}/bundle`);
  const archive = join(folder, "bundle.tar.gz");
  const bundle = await fetch(link.body.bundleUrl);
  await writeFile(archive, Buffer.from(await bundle.arrayBuffer()));
  for (const [page, day] of [
    ["guide", "2026-04-05"],
    ["index", "2026-01-02"],
  ] as const) {
    const { stdout: html } = await run("tar", ["-xzOf", archive, `${page}.html`]);
    const edit = `${new URL(address).origin}/acme/docs/edit/main/docs/${page}.mdx`;
    assert.ok(html.includes(`href="${edit}"`), page);
    assert.equal(/<time datetime="([^"]+)"/.exec(html)?.[1], day);
    assert.ok(!html.includes(token));
  }
});
