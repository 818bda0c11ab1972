import assert from "node:assert/strict";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, describe, test } from "node:test";
import { createApiClient, type ApiClient } from "../support/api-client.ts";
import { openAuthor, type Author } from "../support/git-fixture.ts";
import {
  createGiteaPush,
  createGitHubPush,
  createGitLabPush,
  senders,
} from "../support/hook-deliveries.ts";
import { patience } from "../support/patience.ts";
import { startService, type RunningService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import type { AddressedDeployment } from "../../packages/octavo/src/jobs/index.ts";

interface Hook {
  readonly url: string;
  readonly secret: string;
}

describe("a site whose repository is elsewhere", () => {
  const open = new AsyncDisposableStack();
  let service: RunningService;
  let client: ApiClient;
  let author: Author;
  let projectId: string;
  let hook: Hook;

  before(async () => {
    const { path: folder } = open.use(await temporaryFolder());
    author = await openAuthor(join(folder, "docs"));
    await author.commit({ "index.md": "# Manual\n\nWords at first.\n" });
    const env = { OCTAVO_ALLOW: `file://${folder}`, OCTAVO_REPOSITORY_POLL_MINUTES: "0" };
    service = open.use(await startService({ data: join(folder, "data"), env }));
    client = createApiClient(service.url, service.key);
    const fields = { name: "Docs", domain: "docs.acme.example", repository: `file://${author.folder}` }; // prettier-ignore
    projectId = (await client.call<{ id: string }>("POST", "/v2/projects", { body: fields })).body
      .id;
    assert.equal((await client.deploy(projectId)).status, "ready");
    hook = (await client.call<Hook>("POST", `/v2/projects/${projectId}/hook`)).body;
  });
  after(() => open.disposeAsync());

  /** Reads the site's first page until it has these words. Node resolves no name below `localhost`. */
  async function readUntil(words: string): Promise<void> {
    const { port } = new URL(service.url);
    const signal = patience();
    for (;;) {
      const sent = request({ host: "127.0.0.1", port, headers: { host: "acme.localhost" } }).end();
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      if ((await text(response)).includes(words)) return;
      await sleep(50, undefined, { signal });
    }
  }

  const pushes = [
    ["GitHub", "github", "push", createGitHubPush],
    ["Forgejo", "forgejo", "push", createGiteaPush],
    ["GitLab", "gitlabSigned", "Push Hook", createGitLabPush],
  ] as const;
  for (const [host, way, event, create] of pushes) {
    test(`shows a push that ${host} reports to readers`, async () => {
      const words = `Words from ${host}.`;
      const commit = await author.commit({ "index.md": `# Manual\n\n${words}\n` });
      const delivery = senders[way](hook.secret, event, create({ after: commit }));
      const answer = await fetch(hook.url, { method: "POST", ...delivery });
      assert.equal(answer.status, 202, await answer.text());
      await readUntil(words);
      const path = `/v2/projects/${projectId}/deployments?limit=1`;
      const { body } = await client.call<{ deployments: AddressedDeployment[] }>("GET", path);
      const [newest] = body.deployments;
      assert.deepEqual([newest?.commit, newest?.trigger, newest?.isLive], [commit, "hook", true]);
    });
  }
});
