import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { request, type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { createApiClient, type ApiClient } from "../support/api-client.ts";
import { complaint, git } from "../support/git-fixture.ts";
import { patience } from "../support/patience.ts";
import { startService } from "../support/service.ts";
import type { RunningService } from "../support/service.ts";
import { temporaryFolder, writeFiles } from "../support/temporary-folder.ts";
import type { AddressedDeployment } from "../../packages/octavo/src/jobs/index.ts";

const runFile = promisify(execFile);

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describe("the demo project of a first start", () => {
  const open = new AsyncDisposableStack();
  let folder: string;
  let service: RunningService;
  let client: ApiClient;
  let projectId: string;
  let work: string;

  before(async () => {
    ({ path: folder } = open.use(await temporaryFolder()));
    service = await start();
    client = createApiClient(service.url, service.key);
    const { body } = await client.call<{ projects: { id: string }[] }>("GET", "/v2/projects");
    projectId = body.projects[0]?.id ?? "";
    work = join(folder, "work");
    const address = new URL(`/git/${projectId}.git`, service.url);
    Object.assign(address, { username: "ada", password: service.key });
    await git(folder, "clone", "--quiet", address.href, work);
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    await open.disposeAsync();
  });

  const start = () =>
    startService({ data: join(folder, "data"), args: ["--demo"], isFirstStart: true });

  /** Asks the service for a path of a host. Node resolves no name below `localhost`, unlike browsers. */
  async function ask(
    host: string,
    path = "/",
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const { port } = new URL(service.url);
    const sent = request({ host: "127.0.0.1", port, path, headers: { host, ...headers } }).end();
    const [response] = await once(sent, "response");
    const body = await text(response);
    return { status: response.statusCode, headers: response.headers, body };
  }

  async function push(file: string, content: string, subject: string): Promise<string> {
    await writeFiles(work, { [file]: content });
    await git(work, "add", "--all");
    await git(work, "-c", "user.name=Ada", "-c", "user.email=ada@acme.example", "commit", "--quiet", "-m", subject); // prettier-ignore
    await git(work, "push", "--quiet", "origin", "HEAD:main");
    return (await git(work, "rev-parse", "HEAD")).trim();
  }

  /** Returns the words of the page that `push` changes; empty if the site has no such page. */
  const shelf = async () => {
    const { body } = await ask("demo.localhost", "/shelf");
    return /<p>([^<]*)<\/p>(?!.*<p>)/s.exec(body.split('id="mdx-content"')[1] ?? "")?.[1] ?? "";
  };
  /** Lists the deployments that readers see or could see. Pull requests have previews beside them. */
  const list = async () => {
    const path = `/v2/projects/${projectId}/deployments`;
    const { body } = await client.call<{ deployments: AddressedDeployment[] }>("GET", path);
    return body.deployments.filter(({ kind }) => kind !== "preview");
  };

  test("is published at the address that the start prints", async () => {
    const address = /http:\/\/(demo\.localhost:\d+)\//.exec(service.output())?.[1] ?? "";
    assert.equal(address, `demo.localhost:${new URL(service.url).port}`);
    await until(async () => (await ask(address)).status === 200);
    const { headers, body } = await ask(address);
    assert.match(headers["content-type"] ?? "", /^text\/html/);
    assert.match(body, /<h1/);
    assert.equal(headers["set-cookie"], undefined);
  });

  test("is named to the person who pushes, and the scope to one whose key lacks it", async () => {
    await writeFiles(work, { "note.mdx": page("A note.") });
    await git(work, "add", "--all");
    await git(work, "-c", "user.name=Ada", "-c", "user.email=ada@acme.example", "commit", "--quiet", "-m", "Add a note"); // prettier-ignore
    const { body: key } = await client.call<{ secret: string }>("POST", "/v2/keys", {
      body: { name: "Reader", scopes: ["read"] },
    });
    const address = new URL(`/git/${projectId}.git`, service.url);
    Object.assign(address, { username: "ada", password: key.secret });
    const refused = await complaint(git(work, "push", address.href, "HEAD:main"));
    assert.match(refused, /to push to hosted repositories, it needs the scope agent\./);
    const pushed = await runFile("git", ["push", "origin", "HEAD:main"], { cwd: work });
    assert.match(pushed.stderr, /^remote: Publishing main at http:\/\/demo\.localhost:\d+\/ *$/m);
    const other = await runFile("git", ["push", "origin", "HEAD:other"], { cwd: work });
    assert.doesNotMatch(other.stderr, /remote: Publishing/);
    await until(async () => (await ask("demo.localhost", "/note")).status === 200);
  });

  test("shows a push as soon as it is built, and a merged pull request too", async () => {
    const commit = await push("shelf.mdx", page("Use the Gizmo."), "Add the shelf");
    await until(async () => (await shelf()) === "Use the Gizmo.");
    const [newest] = await list();
    assert.deepEqual([newest?.commit, newest?.subject, newest?.author, newest?.trigger, newest?.isLive], [commit, "Add the shelf", "Ada", "push", true]); // prettier-ignore
    const update = await client.call<{ commit: object }>("GET", `/v1/project/update-status/${newest?.id}`); // prettier-ignore
    const filesChanged = { added: ["shelf.mdx"], modified: [], removed: [] };
    assert.deepEqual(update.body.commit, { sha: commit, ref: null, message: "Add the shelf", filesChanged }); // prettier-ignore
    const path = `/v2/agent/${projectId}/job`;
    const prompt = 'Rename the term "Gizmo" to "Widget"';
    const { body: job } = await client.call<{ id: string }>("POST", path, { body: { prompt } });
    const { status, summary } = await client.waitForAgentJob(`${path}/${job.id}`);
    assert.equal(status, "completed", summary ?? "");
    const cookie = await signIn();
    const pull = `/projects/${projectId}/pulls/1`;
    const { body: shown } = await ask(new URL(service.url).host, pull, { cookie });
    assert.match(shown, /headCommit/, summary ?? "");
    const head = /name="headCommit" value="([0-9a-f]{40})"/.exec(shown)?.[1] ?? "";
    const merged = await fetch(`${service.url}${pull}/merge`, { method: "POST", headers: { cookie, "sec-fetch-site": "same-origin" }, body: new URLSearchParams({ headCommit: head }), redirect: "manual" }); // prettier-ignore
    assert.equal(merged.status, 303, (await merged.text()).match(/<h1>[^]{0,300}/)?.[0]);
    await until(async () => (await shelf()) === "Use the Widget.");
    await git(work, "pull", "--quiet", "--ff-only", "origin", "main");
  });

  async function signIn(): Promise<string> {
    const answer = await fetch(`${service.url}/signin`, { method: "POST", headers: { "sec-fetch-site": "same-origin" }, body: new URLSearchParams({ key: service.key }), redirect: "manual" }); // prettier-ignore
    return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  }

  test("goes back to what it was, and stays there until somebody says so", async () => {
    const [, , first] = await list();
    assert.ok(first);
    const { status } = await client.call("POST", `/v2/deployments/${first.id}/publish`);
    assert.equal(status, 200);
    await until(async () => (await ask("demo.localhost", "/shelf")).status === 404);
    await push("shelf.mdx", page("Later words."), "Change the shelf");
    const site = `/v2/projects/${projectId}/site`;
    const { body } = await client.call<{ isAutomatic: boolean; live: AddressedDeployment }>("GET", site); // prettier-ignore
    assert.deepEqual([body.isAutomatic, body.live.id], [false, first.id]);
    await client.call("PUT", site, { body: { isAutomatic: true } });
    await until(async () => (await shelf()) === "Later words.");
    const old = new URL(first.url ?? "").host;
    const kept = await ask(old);
    assert.deepEqual([kept.status, kept.headers["x-robots-tag"]], [200, "noindex"]);
  });

  test("has a version for each tag that a rule names, with the same page in it", async () => {
    await git(work, "tag", "v1.0.0");
    await push("shelf.mdx", page("Words of the second edition."), "Write the second edition");
    await git(work, "tag", "-a", "v2.0.0", "-m", "The second edition");
    await git(work, "push", "--quiet", "origin", "--tags");
    const site = `/v2/projects/${projectId}/site`;
    const versionRules = [{ type: "tag", range: "*", action: "publish" }];
    const changed = await client.call("PUT", site, { body: { versionRules } });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    const words = async (version: string) =>
      (await ask("demo.localhost", `/${version}/shelf`)).body;
    await until(async () => (await words("v1.0.0")).includes("Later words."));
    await until(async () => (await words("v2.0.0")).includes("second edition"));
    const { body } = await ask("demo.localhost", "/_octavo/versions.json");
    const { versions } = JSON.parse(body) as { versions: { slug: string; state: string }[] };
    assert.deepEqual(versions.map(({ slug, state }) => [slug, state]), [["latest", "current"], ["v2.0.0", "current"], ["v1.0.0", "old"]]); // prettier-ignore
    assert.equal((await ask("demo.localhost", "/stable/shelf")).status, 200);
    const led = await ask("demo.localhost", "/_octavo/versions/v1.0.0/shelf");
    assert.deepEqual([led.status, led.headers.location], [302, "/v1.0.0/shelf"]);
    await client.call("PUT", site, { body: { versionRules: [] } });
    await until(async () => (await ask("demo.localhost", "/v1.0.0/shelf")).status === 404);
    await push("shelf.mdx", page("Later words."), "Return to the first edition");
    await until(async () => (await shelf()) === "Later words.");
  });

  test("opens only with the password that somebody set", async () => {
    const site = `/v2/projects/${projectId}/site`;
    const without = await client.call("PUT", site, { body: { visibility: "password" } });
    assert.equal(without.status, 400);
    const body = { visibility: "password", password: "open sesame" };
    assert.equal((await client.call("PUT", site, { body })).status, 200);
    const html = { accept: "text/html" };
    await until(async () => (await ask("demo.localhost", "/shelf", html)).status === 401);
    assert.equal((await ask("demo.localhost", "/shelf.md")).status, 404);
    assert.equal((await give("open barley")).status, 401);
    const opened = await give("open sesame");
    assert.deepEqual([opened.status, opened.headers.location], [303, "/shelf"]);
    const cookie = opened.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
    assert.equal((await ask("demo.localhost", "/shelf", { ...html, cookie })).status, 200);
    await client.call("PUT", site, { body: { visibility: "public" } });
    await until(async () => (await shelf()) === "Later words.");
  });

  /** Sends the form with which a reader opens the site. */
  async function give(password: string): Promise<Answer> {
    const { port } = new URL(service.url);
    const headers = { host: "demo.localhost", "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" }; // prettier-ignore
    const sent = request({ host: "127.0.0.1", port, path: "/_octavo/open", method: "POST", headers }); // prettier-ignore
    sent.end(new URLSearchParams({ password, to: "/shelf" }).toString());
    const [response] = await once(sent, "response");
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  }

  test("keeps what is live when a build fails, and says why", async () => {
    await git(work, "rm", "--quiet", "-r", ".");
    await push("README.txt", "Nothing.", "Remove everything");
    await until(async () => (await list())[0]?.status === "failed");
    const [failed] = await list();
    assert.match(failed?.error ?? "", /./);
    assert.equal(await shelf(), "Later words.");
  });

  test("is apart from the API and the dashboard", async () => {
    const own = new URL(service.url).host;
    const paths = ["/projects", "/signin", "/v2/projects", "/healthz", "/readyz", "/docs", "/git/x", "/metrics", "/hooks/x"]; // prettier-ignore
    for (const path of paths) {
      for (const host of [
        "demo.localhost",
        "DEMO.LOCALHOST.:80",
        "other.localhost",
        "a.b.localhost",
      ]) {
        const { status, headers, body } = await ask(host, path, { authorization: `Bearer ${service.key}` }); // prettier-ignore
        assert.equal(status, 404, `${host}${path}`);
        assert.equal(headers["x-request-id"], undefined);
        assert.doesNotMatch(body, /"error"|status":/);
      }
    }
    assert.equal((await ask(own, "/shelf")).status, 404);
    assert.equal((await ask(own, "/healthz")).status, 200);
    assert.equal((await ask("other.localhost")).status, 404);
  });

  test("is there at once after the next start", async () => {
    assert.equal(await service.end("SIGTERM"), 0);
    service = await start();
    assert.equal(await shelf(), "Later words.");
  });
});

function page(words: string): string {
  return `---\ntitle: Shelf\n---\n\n${words}\n`;
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const signal = patience();
  while (!(await isTrue())) await sleep(50, undefined, { signal });
}
