import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { request, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentJob } from "../../packages/octavo/src/jobs/index.ts";
import { createApiClient } from "../support/api-client.ts";
import { folderFor, git, openAuthor } from "../support/git-fixture.ts";
import { startGitea } from "../support/gitea-stand-in.ts";
import { createGiteaPush, senders } from "../support/hook-deliveries.ts";
import { patience } from "../support/patience.ts";
import { startService } from "../support/service.ts";

const site = {
  "docs/docs.json": JSON.stringify({ name: "Lantern", navigation: { pages: ["index", "guide"] } }),
  "docs/index.mdx": "---\ntitle: Home\n---\n\nRead teh [guide](/guide) of the Lamp.\n",
  "docs/guide.mdx": "---\ntitle: Guide\n---\n\nFill the Lamp.\n",
};

/** A company's server below a path, over https with a certificate of its own, and a service that may reach it. */
async function setUp(t: TestContext, program: "Gitea" | "Forgejo") {
  const folder = await folderFor(t);
  const author = await openAuthor(join(folder, "author"));
  await author.commit(site);
  const root = join(folder, "git");
  const bare = join(root, "forge/acme/docs.git");
  await git(folder, "clone", "--quiet", "--bare", author.folder, bare);
  const token = "hunter2oftheproject";
  const gitea = await startGitea({ root, token, program, path: "/forge", isSecure: true });
  t.after(() => gitea[Symbol.asyncDispose]());
  const certificate = join(folder, "certificate.pem");
  await writeFile(certificate, gitea.certificate);
  const env = {
    NODE_EXTRA_CA_CERTS: certificate,
    OCTAVO_ALLOW: "127.0.0.1",
    OCTAVO_GITEA_HOSTS: `127.0.0.1=${gitea.url}`,
    OCTAVO_REPOSITORY_POLL_MINUTES: "0",
  };
  return { gitea, author, token, options: { data: join(folder, "data"), env } };
}

for (const program of ["Gitea", "Forgejo"] as const) {
  test(`a project on ${program}: a push that is published, an agent's pull request, follow-ups`, async (t) => {
    const { gitea, author, token, options } = await setUp(t, program);
    await using service = await startService(options);
    const client = createApiClient(service.url, service.key);
    const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
      const answer = await client.call<T>(method, path, body === undefined ? {} : { body });
      assert.ok(answer.status < 300, JSON.stringify(answer.body));
      return answer.body;
    };
    /** Reads the site's first page until it has these words. Node resolves no name below `localhost`. */
    async function readUntil(words: string): Promise<void> {
      const { port } = new URL(service.url);
      const signal = patience();
      for (;;) {
        const sent = request({ host: "127.0.0.1", port, headers: { host: "acme.localhost" } });
        const [response] = (await once(sent.end(), "response")) as [IncomingMessage];
        if ((await text(response)).includes(words)) return;
        await sleep(50, undefined, { signal });
      }
    }

    const project = await call<{ id: string; codeHost: string }>("POST", "/v2/projects", {
      name: "Docs",
      domain: "docs.acme.example",
      repository: gitea.repository,
      directory: "docs",
      credentials: token,
      pullRequests: { draft: true, labels: ["docs", "octavo"], reviewers: ["octocat", "stranger"] },
    });
    const { id } = project;
    assert.equal(project.codeHost, "gitea");

    // A push, which the server's hook reports.
    await call("PUT", `/v2/projects/${id}/site`, { visibility: "public" });
    assert.equal((await client.deploy(id)).status, "ready");
    const hook = await call<{ url: string; secret: string }>("POST", `/v2/projects/${id}/hook`);
    const commit = await author.commit({
      "docs/index.mdx": `${site["docs/index.mdx"]}\nIt is light.\n`,
    });
    await author.git("push", "--quiet", gitea.folder, "main");
    const send = senders[program === "Gitea" ? "gitea" : "forgejo"];
    const delivery = send(hook.secret, "push", createGiteaPush({ after: commit }));
    const told = await fetch(hook.url, { method: "POST", ...delivery });
    assert.equal(told.status, 202, await told.text());
    await readUntil("It is light.");

    // An agent's job.
    const finish = async (path: string, prompt: string): Promise<AgentJob> => {
      const started = await call<AgentJob>("POST", path, { prompt });
      const job = await client.waitForAgentJob(`/v2/agent/${id}/job/${started.id}`);
      assert.equal(job.status, "completed", job.error);
      return job;
    };
    const first = await finish(`/v2/agent/${id}/job`, "Fix common misspellings");
    assert.equal(first.prLink, `${gitea.url}/acme/docs/pulls/1`);
    const made = gitea.pulls[0] ?? assert.fail("no pull request");
    assert.equal(made.title, "WIP: Fix common misspellings");
    assert.deepEqual([made.head, made.base], [first.source.ref, "main"]);
    assert.deepEqual([made.labels, made.reviewers], [[2, 3], ["octocat"]]);
    const changes = await git(gitea.folder, "diff", "--unified=0", `main...${made.head}`);
    assert.match(changes, /^\+Read the \[guide\]\(\/guide\) of the Lamp\.$/m);

    // A follow-up keeps the draft and adds a commit.
    const message = `/v2/agent/${id}/job/${first.id}/message`;
    const second = await finish(message, 'Rename "Lamp" to "Lantern"');
    assert.equal(second.prLink, first.prLink);
    assert.equal(made.title, "WIP: Fix common misspellings");
    assert.equal(await git(gitea.folder, "rev-list", "--count", `main..${made.head}`), "2");

    // After a merge that deletes the branch, another pull request follows.
    await gitea.end(1, "merged", { deletes: true });
    const third = await finish(message, 'Rename "Lantern" to "Torch"');
    assert.equal(third.prLink, `${gitea.url}/acme/docs/pulls/2`);
    assert.equal(third.source.ref, `${first.source.ref}-2`);
    assert.deepEqual(
      gitea.pulls.map(({ state }) => state),
      ["closed", "open"],
    );
    const asked = new Set(gitea.checkExchanges());
    assert.ok(asked.has("repoCreatePullRequest") && asked.has("repoListPullRequests"));
    assert.doesNotMatch(service.output(), /hunter2/);
  });
}
