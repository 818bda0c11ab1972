import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startModelServer } from "../../../../../test/support/model-server.ts";
import type { ModelServer } from "../../../../../test/support/model-server.ts";
import { patience } from "../../../../../test/support/patience.ts";
import { scriptedAgent } from "../../../../../test/support/scripted-agent.ts";
import { writeFiles } from "../../../../../test/support/temporary-folder.ts";
import type { CodeHost } from "../../codehost/index.ts";
import type { AgentScope } from "./agent-jobs.ts";
import type { AgentJob } from "./job.ts";
import { addAgentProject, openAgentNode } from "./node.test-support.ts";
import type { AgentTestNode, AgentTestNodeOptions } from "./node.test-support.ts";

const edit = "replace Hello with Bonjour in index.mdx";
/** Longer than any step that makes progress, even on a busy machine. */
const stallMs = 60_000;

let root: string;
let model: ModelServer;
before(async () => {
  root = await mkdtemp(join(tmpdir(), "octavo-stalls-"));
  await writeFiles(join(root, "site"), { "index.mdx": "---\ntitle: Home\n---\n\nHello.\n" });
  model = await startModelServer(scriptedAgent);
});
after(async () => {
  await model[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
});

function open(options: Partial<AgentTestNodeOptions>): Promise<AgentTestNode> {
  const dataDir = join(root, `node-${performance.now()}`);
  return openAgentNode({ dataDir, modelUrl: model.url, ...options });
}

async function run(node: AgentTestNode, scope: AgentScope, prompt: string): Promise<AgentJob> {
  const { job } = await node.jobs.create(scope, prompt);
  const signal = patience();
  const last = (await Array.fromAsync(node.jobs.watch(scope, job.id, { signal }))).at(-1);
  assert.ok(last?.type === "job");
  return last.snapshot.job;
}

function withoutAnswer(host: CodeHost): CodeHost {
  return { ...host, create: () => new Promise(() => {}) };
}

// The tests run concurrently, because they mostly wait.
describe("a job that stalls fails with a reason:", { concurrency: true }, () => {
  test("a model that accepts the request and never responds", async () => {
    await using node = await open({ stallMs });
    const scope = await addAgentProject(node, join(root, "site"));
    const job = await run(node, scope, "wait");
    assert.match(
      job.error ?? "",
      /no progress for 60 seconds while it waited for the model\. Send/,
    );
    // The only worker is free again.
    const { status, error } = await run(node, scope, "look");
    assert.equal(status, "completed", error);
  });

  test("a git server that accepts the connection and never responds", async () => {
    const server = createServer(() => {});
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await using node = await open({ gitLimits: { commandMs: 1_000 } });
    const scope = await addAgentProject(node, join(root, "site"));
    await node.database.kysely
      .updateTable("projects")
      .set({ repository: `http://127.0.0.1:${port}/docs.git` })
      .where("id", "=", scope.projectId)
      .execute();
    const job = await run(node, scope, edit);
    server.closeAllConnections();
    server.close();
    assert.equal(
      job.error,
      "Working with the repository took longer than 1 seconds and was stopped. Its server may be unresponsive, or the repository very large; try again later.",
    );
  });

  test("a code host that neither responds nor reacts to cancellation", async () => {
    await using node = await open({ stallMs, wrapHost: withoutAnswer });
    const scope = await addAgentProject(node, join(root, "site"));
    const job = await run(node, scope, edit);
    assert.match(job.error ?? "", /60 seconds while it published the change to the code host\./);
  });
});
