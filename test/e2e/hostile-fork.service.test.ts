import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { createServer, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createApiClient } from "../support/api-client.ts";
import { folderFor } from "../support/git-fixture.ts";
import { patience } from "../support/patience.ts";
import { openSiteAuthor, reviewedHosts, reviewToken } from "../support/reviewed-hosts.ts";
import { startService } from "../support/service.ts";

/** The number of files beside the pages, and of pull requests that one stranger opens at once. */
const [manyFiles, manyPulls] = [10_000, 200];
const planted = "hunter2planted";

test("a hostile fork reads nothing, sends nothing, moves nothing, and waits for itself", async (t) => {
  const folder = await folderFor(t);
  const author = await openSiteAuthor(folder);
  const host = await reviewedHosts["Gitea"]?.(folder, author);
  assert.ok(host);
  t.after(() => host[Symbol.asyncDispose]());
  const secretFile = join(folder, "secret.txt");
  await writeFile(secretFile, `${planted}\n`);
  // A server of the operator's network, which the service may not reach.
  const asked: string[] = [];
  const inside = createServer(({ url = "" }, response) => {
    asked.push(url);
    response.end("{}");
  });
  inside.listen(0, "127.0.0.2");
  await once(inside, "listening");
  t.after(() => inside.close());
  const target = `http://127.0.0.2:${(inside.address() as AddressInfo).port}`;

  const env = { ...host.env, OCTAVO_REPOSITORY_POLL_MINUTES: "0", PLANTED: planted };
  await using service = await startService({ data: join(folder, "data"), env });
  const client = createApiClient(service.url, service.key);
  const fields = { name: "Docs", domain: "docs.acme.example", repository: host.repository, directory: "docs", credentials: reviewToken }; // prettier-ignore
  const { id } = (await client.call<{ id: string }>("POST", "/v2/projects", { body: fields })).body;
  await client.call("PUT", `/v2/projects/${id}/site`, { body: { visibility: "public" } });
  const live = await client.deploy(id);
  assert.equal(live.status, "ready");
  const hook = (await client.call<{ url: string; secret: string }>("POST", `/v2/projects/${id}/hook`)).body; // prettier-ignore
  const report = () => fetch(hook.url, { method: "POST", ...host.report(hook.secret) });
  async function read(label: string, path: string): Promise<string> {
    const { port } = new URL(service.url);
    const sent = request({
      host: "127.0.0.1",
      port,
      path,
      headers: { host: `${label}.localhost` },
    });
    const [response] = (await once(sent.end(), "response")) as [IncomingMessage];
    return await text(response);
  }
  async function until(isSo: () => boolean): Promise<void> {
    for (const signal = patience(); !isSo(); await sleep(100)) {
      if (signal.aborted) assert.fail(JSON.stringify(host?.statuses()) + service.output());
    }
  }

  await author.git("checkout", "--quiet", "-b", "theirs");
  const docs = join(author.folder, "docs");
  await mkdir(join(docs, "files"));
  for (let count = 0; count < manyFiles; count += 1) {
    await writeFile(join(docs, "files", `${count}.txt`), `${count}`);
  }
  await symlink(secretFile, join(docs, "leak.mdx"));
  await symlink(secretFile, join(docs, "leak.txt"));
  await symlink(folder, join(docs, "outside"));
  const configuration = {
    name: "Lantern",
    logo: `${target}/logo.svg`,
    favicon: "/leak.txt",
    api: { openapi: `${target}/openapi.json` },
    navigation: { pages: ["index", "guide", "leak", "outside/secret"] },
  };
  const head = await author.commit({
    "docs/docs.json": JSON.stringify(configuration),
    "docs/guide.mdx": `---\ntitle: "@everyone \`](x)"\n---\nimport Leak from "/../../secret.txt";\n\n{process.env.PLANTED}\n\n<Leak />\n\n![x](${target}/pixel.png)\n\n<iframe src="${target}/frame"></iframe>\n\n[x](/leak.txt) [y](/@everyone\`)\n`,
  });
  await author.git("push", "--quiet", host.folder, `${head}:refs/pushed/1`);
  await host.openFork("theirs", head);
  await report();
  const state = () => host.statuses().findLast(({ commit }) => commit === head)?.state;
  await until(() => state() === "success" || state() === "failure");
  assert.equal(state(), "success");
  await until(() => host.comments(1).length > 0);
  assert.match(await read("pr-1--acme", "/files/7.txt"), /^7$/);

  for (const path of [
    "/",
    "/guide",
    "/guide.md",
    "/leak",
    "/leak.txt",
    "/outside/secret",
    "/outside/secret.txt",
    "/llms-full.txt",
  ]) {
    assert.doesNotMatch(await read("pr-1--acme", path), new RegExp(planted), path);
  }
  assert.deepEqual(asked, []);
  for (const comment of host.comments(1)) {
    assert.doesNotMatch(comment, new RegExp(planted));
    // Whatever they wrote stands in code.
    assert.doesNotMatch(comment.replaceAll(/`[^`\n]*`/g, ""), /@everyone/);
  }

  // Many pull requests of one stranger wait for each other.
  const small = await author.commit({ "docs/guide.mdx": "---\ntitle: Guide\n---\n\nSmall.\n" });
  await author.git("push", "--quiet", host.folder, `${small}:refs/pushed/2`);
  for (let count = 0; count < manyPulls; count += 1) await host.openFork(`more-${count}`, small);
  await report();
  await until(() =>
    host
      .statuses()
      .some(({ description }) =>
        /10 previews by this author are already waiting/.test(description),
      ),
  );
  const { body } = await client.call<{ deployments: { status: string }[] }>("GET", `/v2/projects/${id}/deployments?limit=100`); // prettier-ignore
  const waiting = body.deployments.filter(({ status }) => status === "queued" || status === "building"); // prettier-ignore
  assert.ok(waiting.length <= 10, `${waiting.length}`);
  const site = await client.call<{ live: { id: string } }>("GET", `/v2/projects/${id}/site`);
  assert.equal(site.body.live.id, live.id);
  assert.match(await read("acme", "/guide"), /Fill the Lamp/);
  assert.doesNotMatch(service.output(), new RegExp(planted));
});
