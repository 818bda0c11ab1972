import assert from "node:assert/strict";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentJob } from "../../packages/octavo/src/jobs/index.ts";
import { createApiClient } from "../support/api-client.ts";
import { createVisitor } from "../support/running-dashboard.ts";
import { folderFor, git } from "../support/git-fixture.ts";
import { patience } from "../support/patience.ts";
import { openSiteAuthor, reviewedHosts, reviewedSite, reviewToken } from "../support/reviewed-hosts.ts"; // prettier-ignore
import { startService } from "../support/service.ts";

interface CreatedHook {
  readonly url: string;
  readonly secret: string;
  readonly problem: string | null;
}

const mark = /<!-- octavo review pr_\w+ -->\s*$/;

for (const [name, start] of Object.entries(reviewedHosts)) {
  test(`on ${name}, pull requests of forks and agents have previews and one comment each, and merges are published`, async (t) => {
    const folder = await folderFor(t);
    const author = await openSiteAuthor(folder);
    const host = await start(folder, author);
    t.after(() => host[Symbol.asyncDispose]());
    const env = { ...host.env, OCTAVO_REPOSITORY_POLL_MINUTES: "0" };
    await using service = await startService({ data: join(folder, "data"), env });
    const client = createApiClient(service.url, service.key);
    const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
      const answer = await client.call<T>(method, path, body === undefined ? {} : { body });
      assert.ok(answer.status < 300, JSON.stringify(answer.body));
      return answer.body;
    };
    const until = (isSo: () => boolean | Promise<boolean>, what: () => unknown): Promise<void> =>
      waitUntil(isSo, () => `${JSON.stringify(what())}\n${service.output()}`);
    /** Waits until a page matches, because the process that serves it learns of a change a moment later. */
    const readUntil = async (label: string, path: string, pattern: RegExp): Promise<string> => {
      let page = "";
      await until(
        async () => pattern.test((page = await readPage(service, label, path))),
        () => page,
      );
      return page;
    };

    // Before the project is added, a test of its connection offers the branches and the folder.
    const ada = await createVisitor(service.url).signIn(service.key);
    const form = { repository: host.repository, token: reviewToken };
    const tested = await ada.post("/projects/new/test", form);
    assert.match(tested.text, /<select id="ref"[^]*<option value="main" >main<\/option>/);
    assert.match(tested.text, /value="docs" checked[^]*<code>docs\.json<\/code> and 2 pages</);
    assert.doesNotMatch(tested.text, /cannot do all of their work|hunter2/);
    const { id, codeHost } = await call<{ id: string; codeHost: string }>("POST", "/v2/projects", {
      name: "Docs",
      domain: "docs.acme.example",
      repository: host.repository,
      directory: "docs",
      credentials: reviewToken,
    });
    assert.equal(codeHost, name === "Forgejo" ? "gitea" : name.toLowerCase());
    await call("PUT", `/v2/projects/${id}/site`, { visibility: "public" });
    assert.equal((await client.deploy(id)).status, "ready");
    // The service enters the hook at the code host.
    const { problem, url, secret } = await call<CreatedHook>("POST", `/v2/projects/${id}/hook`);
    assert.equal(problem, null);
    const hook = { url, secret };
    assert.deepEqual(host.hooks(), [hook]);
    const report = async (): Promise<void> => {
      const told = await fetch(hook.url, { method: "POST", ...host.report(hook.secret) });
      assert.equal(told.status, 200, await told.text());
    };
    const readStatus = (commit: string) =>
      host.statuses().findLast((status) => status.commit === commit);
    const isSettled = (commit: string, hasComment = true) =>
      readStatus(commit)?.state === "success" && hasComment === host.comments(1).length > 0;
    /** Commits to the fork's branch. */
    const push = async (files: Record<string, string>): Promise<string> => {
      const commit = await author.commit(files);
      await author.git("push", "--quiet", host.folder, `${commit}:refs/pushed/${commit}`);
      return commit;
    };

    // A head without a change for readers has a status and no comment.
    await author.git("checkout", "--quiet", "-b", "theirs");
    const first = await push({ "README.md": "Hello.\n" });
    assert.equal(await host.openFork("theirs", first), 1);
    await report();
    await until(
      () => isSettled(first, false),
      () => host.statuses(),
    );
    const origin = `http://pr-1--acme.localhost:${new URL(service.url).port}`;
    assert.equal(readStatus(first)?.url, origin);
    const earlier = host.statuses().slice(0, -1);
    assert.ok(earlier.every(({ state }) => state === "pending"));
    await readUntil("pr-1--acme", "/guide", /Fill the Lamp/);

    // Five pushes later there is one comment, about the last of them.
    let last = first;
    for (let count = 1; count <= 5; count += 1) {
      const shelf = `---\ntitle: Shelf\n---\n\nShelf ${count}, see [it](/missing-${count}).\n`;
      last = await push({
        "docs/guide.mdx": reviewedSite["docs/guide.mdx"].replace("Lamp", `Lamp ${count} times`),
        "docs/@team/shelf.mdx": shelf,
      });
      await host.moveFork(1, last);
      await report();
      await report();
      const settled = last;
      await until(
        () =>
          isSettled(settled) && host.comments(1).some((body) => body.includes(settled.slice(0, 7))),
        () => [host.statuses(), host.comments(1)],
      );
    }
    const [comment = "", ...others] = host.comments(1);
    assert.deepEqual(others, []);
    assert.match(comment, mark);
    assert.ok(comment.includes(`[Preview](${origin}/)`), comment);
    assert.ok(comment.includes("2 pages differ (1 changed, 1 added):"), comment);
    const difference = `([difference](${origin}/guide?diff))`;
    assert.ok(comment.includes(`- changed: [\`guide\`](${origin}/guide) ${difference}`), comment);
    assert.ok(comment.includes(`- added: [\`@team/shelf\`](${origin}/%40team/shelf)`), comment);
    assert.match(comment, /New problems:\n\n- error in `@team\/shelf\.mdx`, line 5: `.*missing-5/);
    await readUntil("pr-1--acme", "/guide", /Fill the Lamp 5 times/);
    assert.match(await readPage(service, "acme", "/guide"), /Fill the Lamp\./);
    const branchedOff = /Compared with commit [0-9a-f]{7}, where the pull request branched off\./;
    const marked = await readUntil("pr-1--acme", "/guide?diff", branchedOff);
    assert.match(marked, /data-changes="1"/);

    // A host that is down is told when it is back, a lost report is made good by the next one.
    const broken = await push({ "docs/docs.json": "{" });
    await host.moveFork(1, broken);
    host.fail(4);
    await report();
    await until(
      () => readStatus(broken)?.state === "failure",
      () => host.statuses(),
    );
    assert.match(readStatus(broken)?.description ?? "", /docs\.json/);
    const mended = await push({ "docs/docs.json": reviewedSite["docs/docs.json"] });
    await host.moveFork(1, mended);
    await report();
    await until(
      () => isSettled(mended),
      () => host.statuses(),
    );
    assert.equal(host.comments(1).length, 1);

    // An agent's pull request and its follow-up have a preview and one comment, too; its merge is published.
    const finish = async (path: string, prompt: string): Promise<AgentJob> => {
      const { id: jobId } = await call<AgentJob>("POST", path, { prompt });
      const job = await client.waitForAgentJob(`/v2/agent/${id}/job/${jobId}`);
      assert.equal(job.status, "completed", job.error);
      return job;
    };
    const jobs = `/v2/agent/${id}/job`;
    const made = await finish(jobs, 'Rename the term "Lamp" to "Lantern"');
    await finish(`${jobs}/${made.id}/message`, 'Rename the term "Lantern" to "Torch"');
    const head = await git(host.folder, "rev-parse", made.source.ref);
    assert.equal(await git(host.folder, "rev-list", "--count", `main..${head}`), "2");
    await report();
    await until(
      () =>
        readStatus(head)?.state === "success" &&
        host.comments(2).some((body) => body.includes(head.slice(0, 7))),
      () => [host.statuses(), host.comments(2)],
    );
    assert.equal(host.comments(2).length, 1);
    await git(host.folder, "update-ref", "refs/heads/main", head);
    await host.end(2);
    const told = await fetch(hook.url, { method: "POST", ...host.reportPush(hook.secret, head) });
    assert.equal(told.status, 202, await told.text());
    await readUntil("acme", "/guide", /Fill the Torch\./);
    assert.equal(host.comments(1).length, 1);

    await call("DELETE", `/v2/projects/${id}/hook`);
    assert.deepEqual(host.hooks(), []);
    host.check();
    assert.doesNotMatch(service.output(), /hunter2/);
  });
}

/** Waits until `isSo` holds. A test that waits too long fails with `explain()`. */
async function waitUntil(
  isSo: () => boolean | Promise<boolean>,
  explain: () => string,
): Promise<void> {
  for (const signal = patience(); !(await isSo()); await sleep(50)) {
    if (signal.aborted) assert.fail(explain());
  }
}

/** Reads a page of a site by its host. Node resolves no name below `localhost`. */
async function readPage(
  { url }: { readonly url: string },
  label: string,
  path: string,
): Promise<string> {
  const { port } = new URL(url);
  const headers = { host: `${label}.localhost` };
  const sent = request({ host: "127.0.0.1", port, path, headers });
  const [response] = (await once(sent.end(), "response")) as [IncomingMessage];
  return await text(response);
}

test("an agent's pull request on the service itself is previewed, has one comment through five pushes, and is published when it is merged", async (t) => {
  const folder = await folderFor(t);
  const author = await openSiteAuthor(folder);
  await using service = await startService({ data: join(folder, "data") });
  const client = createApiClient(service.url, service.key);
  const fields = {
    name: "Docs",
    domain: "docs.acme.example",
    repository: "local",
    directory: "docs",
  };
  const { body: project } = await client.call<{ id: string }>("POST", "/v2/projects", {
    body: fields,
  });
  const remote = `${service.url.replace("//", `//x:${service.key}@`)}/git/${project.id}.git`;
  const guide = "---\ntitle: Guide\n---\n\nFill teh Lamp.\n";
  await author.commit({ "docs/guide.mdx": guide });
  await author.git("push", "--quiet", remote, "main");
  const waitForPage = (part: string): Promise<void> =>
    waitUntil(
      async () => (await readPage(service, "acme", "/guide")).includes(part),
      () => service.output(),
    );
  await waitForPage("Fill teh Lamp.");
  const path = `/v2/agent/${project.id}/job`;
  const prompt = "Fix common misspellings";
  const { body: started } = await client.call<{ id: string }>("POST", path, { body: { prompt } });
  assert.equal((await client.waitForAgentJob(`${path}/${started.id}`)).status, "completed");
  const ada = await createVisitor(service.url).signIn(service.key);
  let page = "";
  const waitForComment = (part: string): Promise<void> =>
    waitUntil(
      async () => {
        page = (await ada.get(`/projects/${project.id}/pulls/1`)).text;
        return page.includes(part);
      },
      () => page + service.output(),
    );
  await waitForComment("changed: ");
  assert.match(page, /href="http:\/\/pr-1--acme\.localhost:\d+\/guide\?diff"/);
  assert.doesNotMatch(page, /octavo review/);

  const message = { prompt: 'Rename the term "Lamp" to "Lantern"' };
  const asked = await client.call<AgentJob>("POST", `${path}/${started.id}/message`, {
    body: message,
  });
  const followed = await client.waitForAgentJob(`${path}/${asked.body.id}`);
  assert.equal(followed.status, "completed", followed.error);
  const branch = followed.source.ref;
  await author.git("fetch", "--quiet", remote, branch);
  await author.git("checkout", "--quiet", "-b", "own", "FETCH_HEAD");
  let head = "";
  for (let count = 1; count <= 5; count += 1) {
    head = await author.commit({
      "docs/guide.mdx": guide.replace("teh Lamp", `the ${count} Lanterns`),
    });
    await author.git("push", "--quiet", remote, `own:${branch}`);
    await waitForComment(`of commit <code>${head.slice(0, 7)}</code>`);
  }
  assert.equal(page.match(/href="[^"]*\/guide\?diff"/g)?.length, 1);
  const merged = await ada.post(`/projects/${project.id}/pulls/1/merge`, { headCommit: head });
  assert.equal(merged.status, 303, merged.text);
  await waitForPage("Fill the 5 Lanterns.");
});
