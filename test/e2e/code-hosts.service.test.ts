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
import { startGitLab } from "../support/gitlab-stand-in.ts";
import { createGiteaPush, createGitLabPush, senders } from "../support/hook-deliveries.ts";
import type { HookRequest } from "../support/hook-deliveries.ts";
import { patience } from "../support/patience.ts";
import { createVisitor } from "../support/running-dashboard.ts";
import { startService } from "../support/service.ts";

const site = {
  "docs/docs.json": JSON.stringify({ name: "Lantern", navigation: { pages: ["index", "guide"] } }),
  "docs/index.mdx": "---\ntitle: Home\n---\n\nRead teh [guide](/guide) of the Lamp.\n",
  "docs/guide.mdx": "---\ntitle: Guide\n---\n\nFill the Lamp.\n",
};
const token = "hunter2oftheproject";

/** A company's server below a path, over https with a certificate of its own. */
interface Server extends AsyncDisposable {
  readonly url: string;
  readonly certificate: string;
  readonly repository: string;
  /** The folder of the bare repository. */
  readonly folder: string;
  /** The scopes of the token. */
  scopes: readonly string[];
  checkExchanges(): string[];
  end(number: number, state: "merged", options: { deletes: boolean }): Promise<void>;
}

/** A pull request as people see it on the server. */
interface SeenPullRequest {
  readonly title: string;
  readonly head: string;
  readonly base: string;
  readonly labels: readonly string[];
  readonly reviewers: readonly string[];
  readonly isOpen: boolean;
}

interface Host {
  readonly codeHost: string;
  /** The setting that names the server. */
  readonly setting: string;
  /** The path of the repository, and where a pull request is below it. */
  readonly paths: readonly [repository: string, pullRequests: string];
  readonly draftPrefix: string;
  /** Scopes that open the repository, and the one that pull requests need besides. */
  readonly fewScopes: readonly [scopes: readonly string[], lacking: string];
  start(root: string): Promise<{ server: Server; look: () => readonly SeenPullRequest[] }>;
  deliver(secret: string, commit: string): HookRequest;
}

function giteaHost(program: "Gitea" | "Forgejo"): Host {
  const send = senders[program === "Gitea" ? "gitea" : "forgejo"];
  return {
    codeHost: "gitea",
    setting: "OCTAVO_GITEA_HOSTS",
    paths: ["acme/docs", "pulls"],
    draftPrefix: "WIP: ",
    fewScopes: [["write:repository", "write:issue"], "read:user"],
    async start(root) {
      const options = { root, token, program, path: "/forge", isSecure: true };
      const server = await startGitea(options);
      const look = () =>
        server.pulls.map(({ title, head, base, labels, reviewers, state }) => ({
          title,
          head,
          base,
          labels: labels.map((id) => server.labels[id - 1] ?? ""),
          reviewers,
          isOpen: state === "open",
        }));
      return { server, look };
    },
    deliver: (secret, after) => send(secret, "push", createGiteaPush({ after })),
  };
}

const hosts: Readonly<Record<string, Host>> = {
  Gitea: giteaHost("Gitea"),
  Forgejo: giteaHost("Forgejo"),
  GitLab: {
    codeHost: "gitlab",
    setting: "OCTAVO_GITLAB_HOSTS",
    paths: ["acme/web/docs", "-/merge_requests"],
    draftPrefix: "Draft: ",
    fewScopes: [["read_api", "write_repository"], "api"],
    async start(root) {
      const server = await startGitLab({ root, token, path: "/forge", isSecure: true });
      const look = () =>
        server.mergeRequests.map((one) => ({
          title: one.title,
          head: one.source_branch,
          base: one.target_branch,
          labels: one.labels,
          reviewers: one.reviewers.map((id) => (id === 3 ? "octocat" : String(id))),
          isOpen: one.state === "opened",
        }));
      return { server, look };
    },
    deliver: (secret, after) =>
      senders.gitlabSigned(secret, "Push Hook", createGitLabPush({ after })),
  },
};

/** Starts a server with the site in its repository, and the settings of a service that may reach it. */
async function setUp(t: TestContext, host: Host) {
  const folder = await folderFor(t);
  const author = await openAuthor(join(folder, "author"));
  await author.commit(site);
  const root = join(folder, "git");
  const bare = join(root, "forge", `${host.paths[0]}.git`);
  await git(folder, "clone", "--quiet", "--bare", author.folder, bare);
  const { server, look } = await host.start(root);
  t.after(() => server[Symbol.asyncDispose]());
  const certificate = join(folder, "certificate.pem");
  await writeFile(certificate, server.certificate);
  const env = {
    NODE_EXTRA_CA_CERTS: certificate,
    OCTAVO_ALLOW: "127.0.0.1",
    [host.setting]: `127.0.0.1=${server.url}`,
    OCTAVO_REPOSITORY_POLL_MINUTES: "0",
  };
  return { server, look, author, options: { data: join(folder, "data"), env } };
}

for (const [name, host] of Object.entries(hosts)) {
  test(`a project on ${name}: a push that is published, an agent's pull request, follow-ups`, async (t) => {
    const { server, look, author, options } = await setUp(t, host);
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

    // The form tests the token before the project is added.
    const ada = await createVisitor(service.url).signIn(service.key);
    const form = { repository: server.repository, codeHost: host.codeHost, token };
    const allScopes = server.scopes;
    const [fewScopes, lacking] = host.fewScopes;
    server.scopes = fewScopes;
    const refused = await ada.post("/projects/new/test", form);
    assert.match(refused.text, /The repository can be read/);
    assert.match(
      refused.text,
      new RegExp(
        `are not fully available yet\\.</strong> The credentials lack the scope ${lacking}\\.`,
      ),
    );
    server.scopes = allScopes;
    const tested = await ada.post("/projects/new/test", form);
    assert.match(tested.text, /The repository can be read/);
    assert.doesNotMatch(tested.text, /not fully available|hunter2/);
    assert.match(
      tested.text,
      /<select id="ref" name="ref">[^]*<option value="main" >main<\/option>/,
    );
    assert.match(tested.text, /value="docs" checked[^]*<code>docs\.json<\/code> and 2 pages</);

    const project = await call<{ id: string; codeHost: string }>("POST", "/v2/projects", {
      name: "Docs",
      domain: "docs.acme.example",
      repository: server.repository,
      directory: "docs",
      credentials: token,
      pullRequests: { draft: true, labels: ["docs", "octavo"], reviewers: ["octocat", "stranger"] },
    });
    const { id } = project;
    assert.equal(project.codeHost, host.codeHost);

    // A push, which the server's hook reports.
    await call("PUT", `/v2/projects/${id}/site`, { visibility: "public" });
    assert.equal((await client.deploy(id)).status, "ready");
    const hook = await call<{ url: string; secret: string }>("POST", `/v2/projects/${id}/hook`);
    const changed = `${site["docs/index.mdx"]}\nIt is light.\n`;
    const commit = await author.commit({ "docs/index.mdx": changed });
    await author.git("push", "--quiet", server.folder, "main");
    const delivery = host.deliver(hook.secret, commit);
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
    const pullRequests = `${server.url}/${host.paths.join("/")}`;
    const first = await finish(`/v2/agent/${id}/job`, "Fix common misspellings");
    const head = first.source.ref;
    assert.equal(first.prLink, `${pullRequests}/1`);
    const title = `${host.draftPrefix}Fix common misspellings`;
    const labels = ["docs", "octavo"];
    const made = { title, head, base: "main", labels, reviewers: ["octocat"], isOpen: true };
    assert.deepEqual(look(), [made]);
    const changes = await git(server.folder, "diff", "--unified=0", `main...${head}`);
    assert.match(changes, /^\+Read the \[guide\]\(\/guide\) of the Lamp\.$/m);

    // A follow-up keeps the draft and adds a commit.
    const message = `/v2/agent/${id}/job/${first.id}/message`;
    const second = await finish(message, 'Rename "Lamp" to "Lantern"');
    assert.equal(second.prLink, first.prLink);
    assert.deepEqual(look(), [made]);
    assert.equal(await git(server.folder, "rev-list", "--count", `main..${head}`), "2");

    // After a merge that deletes the branch, another pull request follows.
    await server.end(1, "merged", { deletes: true });
    const third = await finish(message, 'Rename "Lantern" to "Torch"');
    assert.equal(third.prLink, `${pullRequests}/2`);
    assert.equal(third.source.ref, `${head}-2`);
    assert.deepEqual(
      look().map(({ isOpen }) => isOpen),
      [false, true],
    );
    assert.ok(server.checkExchanges().length > 0);
    assert.doesNotMatch(service.output(), /hunter2/);
  });
}
