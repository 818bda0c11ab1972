import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, mock, test } from "node:test";
import { OctavoError } from "@octavo/site/core";
import { startModelServer } from "../../../../../test/support/model-server.ts";
import type {
  ModelServer,
  ScriptedAnswer,
  Turn,
} from "../../../../../test/support/model-server.ts";
import { patience } from "../../../../../test/support/patience.ts";
import { writeFiles } from "../../../../../test/support/temporary-folder.ts";
import type { CodeHost } from "../../codehost/index.ts";
import type { AgentScope } from "./agent-jobs.ts";
import type { AgentJob } from "./job.ts";
import { addAgentProject, openAgentNode } from "./node.test-support.ts";
import type { AgentTestNode, AgentTestNodeOptions } from "./node.test-support.ts";

const site = {
  "docs.json": JSON.stringify({ name: "Lantern", navigation: { pages: ["index", "guide"] } }),
  "index.mdx": "---\ntitle: Home\n---\n\nHello. Read [the guide](/guide).\n",
  "guide.mdx": `---\ntitle: Guide\n---\n\n${"One two three.\n\n".repeat(300)}`,
};

type Script = (count: number) => Turn;

const minute = 60_000;
/** How far the service's clock is ahead of the machine's. */
let passedMs = 0;

let root: string;
let model: ModelServer;
let script: Script;
let first = 0;

before(async () => {
  root = await mkdtemp(join(tmpdir(), "octavo-limits-"));
  await writeFiles(join(root, "site"), site);
  model = await startModelServer((request) => script(request.index - first));
});
after(async () => {
  await model[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
});

const machineNow = performance.now.bind(performance);
before(() => mock.method(performance, "now", () => machineNow() + passedMs));
after(() => mock.restoreAll());
beforeEach(() => {
  passedMs = 0;
});

let node: AgentTestNode;
let scope: AgentScope;

let hasDrafts = true;

/** Behaves like GitHub, where drafts depend on the repository's plan. */
function wrapHost(host: CodeHost): CodeHost {
  return {
    ...host,
    create(owner, wanted, signal) {
      if (hasDrafts || !wanted.isDraft) return host.create(owner, wanted, signal);
      return Promise.reject(new OctavoError("invalid_input", "No drafts are taken here."));
    },
  };
}

/** Uses the same node in every test of a suite, with a separate project for each test. */
function useNode(limits: AgentTestNodeOptions["limits"] = {}): void {
  before(async () => {
    const dataDir = await mkdtemp(join(root, "data-"));
    node = await openAgentNode({ dataDir, modelUrl: model.url, limits, wrapHost });
  });
  after(() => node[Symbol.asyncDispose]());
  beforeEach(async () => {
    scope = await addAgentProject(node, join(root, "site"));
  });
}

async function finish(id: string): Promise<AgentJob> {
  const signal = patience();
  const last = (await Array.fromAsync(node.jobs.watch(scope, id, { signal }))).at(-1);
  assert.ok(last?.type === "job");
  return last.snapshot.job;
}

async function run(turns: Script, modelName = "compatible/scripted"): Promise<AgentJob> {
  const project = node.database.kysely.updateTable("projects").where("id", "=", scope.projectId);
  await project.set({ model: modelName }).execute();
  script = turns;
  first = model.requests.length;
  return await finish((await node.jobs.create(scope, "Greet and count.")).job.id);
}

const edit = (path: string, old: string, wanted: string): ScriptedAnswer => ({
  toolCalls: [{ name: "edit", input: { path, replacements: [{ old, new: wanted, all: true }] } }],
});
const greet = edit("index.mdx", "Hello", "Good day");
const write = (at: number): ScriptedAnswer => ({
  toolCalls: [
    {
      name: "write",
      input: { path: `notes/n${at}.mdx`, content: `---\ntitle: N${at}\n---\n\nN.\n` },
    },
  ],
});
const look = (at: number): ScriptedAnswer => ({
  toolCalls: [{ name: "read", input: { path: "guide.mdx", fromLine: at + 1, lines: 20 } }],
});

/** Greets, and then continues for as long as possible. */
const endless = (count: number): ScriptedAnswer => (count === 0 ? greet : look(count));

async function pullRequestOf(job: AgentJob) {
  const pulls = await node.reviews.list(scope.projectId, { limit: 10 });
  assert.equal(pulls.length, 1);
  assert.equal(pulls[0]?.url, job.prLink);
  return pulls[0];
}

/** Returns the warnings that the service sent to the model during the turn. */
function warnings(): readonly string[] {
  const messages = model.requests.at(-1)?.conversation.messages ?? [];
  return messages.flatMap((message) =>
    message.from === "user" && message.text.includes("near its limit") ? [message.text] : [],
  );
}

interface Kind {
  readonly script: Script;
  readonly limit: string;
  readonly warning: RegExp | undefined;
}

const refusal: Turn = {
  status: 400,
  message: "This model's maximum context length is 100 tokens.",
};

const kinds: Readonly<Record<string, Kind>> = {
  steps: {
    script: endless,
    limit: "6 model replies",
    warning: /limit of 6 model replies: 2 replies are left/,
  },
  tokens: {
    script: (count) => ({ ...endless(count), usage: { inputTokens: 480, outputTokens: 20 } }),
    limit: "2,000 tokens",
    warning: /limit of 2,000 tokens: 1,500 tokens are left/,
  },
  time: {
    script(count) {
      passedMs = [0, 0, 28 * minute, 28 * minute][count] ?? 31 * minute;
      return endless(count);
    },
    limit: "1800 seconds",
    warning: /limit of 1800 seconds: \d{1,3} seconds are left/,
  },
  context: {
    script: (count) => (count === 0 ? greet : refusal),
    limit: "the model's context",
    warning: undefined,
  },
};

describe("at a limit", () => {
  useNode({ steps: 6, tokens: 2_000, timeMs: 30 * minute, changedFiles: 3 });

  for (const [name, kind] of Object.entries(kinds)) {
    test(`the turn opens a draft with what it has done: ${name}`, async () => {
      const job = await run(kind.script);
      assert.equal(job.status, "completed", job.error);
      const expected = `Not finished: the model was stopped at the limit of ${kind.limit}.`;
      assert.ok(job.summary?.startsWith(expected), job.summary ?? "");
      assert.deepEqual(job.pullRequest, { url: job.prLink, state: "open", draft: true });
      const pull = await pullRequestOf(job);
      assert.equal(pull.isDraft, true);
      assert.match(pull.body, /^\*\*Not finished\.\*\*/m);
      assert.ok(pull.body.includes(`reached the limit of ${kind.limit}`), pull.body);
      assert.match(pull.body, /### What was asked\n\n.*Greet and count\./s);
      assert.match(await node.jobs.readDiff(scope, job.id), /^\+Good day\. Read/m);
      if (kind.warning) {
        assert.equal(warnings().length, 1);
        assert.match(warnings()[0] ?? "", kind.warning);
      }
    });
  }

  test("more changed files than a turn may change make a draft of those that it changed", async () => {
    const done: Turn = { text: "Two notes are there, one is missing." };
    const turns = [greet, write(1), write(2), write(3), done];
    const job = await run((count) => turns[count] ?? done);
    assert.equal(job.status, "completed", job.error);
    assert.match(
      job.summary ?? "",
      /^Not finished: the model was told to stop because it reached the limit of 3 changed files\. Two notes/,
    );
    assert.equal((await pullRequestOf(job)).isDraft, true);
    const files = (await node.jobs.readDiff(scope, job.id)).match(/^diff --git/gm);
    assert.equal(files?.length, 3);
    assert.equal(warnings().length, 1);
  });

  test("a turn that the model ends when it is told to is a draft, with its words of what is left", async () => {
    const job = await run((count) => (count < 4 ? endless(count) : { text: "The count is left." }));
    assert.equal(job.status, "completed", job.error);
    assert.match(job.summary ?? "", /limit of 6 model replies\. The count is left\.$/);
    const pull = await pullRequestOf(job);
    assert.equal(pull.isDraft, true);
    assert.match(pull.body, /^\*\*Not finished\.\*\*[^\n]*\n\n[^\n]*The count is left\.\n\n---\n/);
    script = () => ({ text: "It was counted." });
    await node.jobs.addMessage(scope, job.id, { prompt: "Is it counted?" });
    const again = await finish(job.id);
    assert.equal(again.summary, "No file was changed. The model says: It was counted.");
    assert.equal((await node.reviews.markReady(scope.projectId, 1)).isDraft, false);
  });

  test("where the repository takes no drafts the text says that it is not finished", async (t) => {
    hasDrafts = false;
    t.after(() => {
      hasDrafts = true;
    });
    const job = await run(endless);
    assert.equal(job.status, "completed", job.error);
    assert.equal(job.pullRequest?.draft, false);
    assert.match((await pullRequestOf(job)).body, /^\*\*Not finished\.\*\*/m);
  });

  test("what does not pass the check is not published, and the job says why", async () => {
    const breaking = edit("index.mdx", "(/guide)", "(/nowhere)");
    const job = await run((count) => (count === 0 ? breaking : look(count)));
    assert.equal(job.status, "failed");
    assert.match(
      job.error ?? "",
      /^The work was not finished within the limit of 6 model replies, and nothing was published: the changes so far cause 1 new error\. Ask for less at a time\. index\.mdx:5: .*nowhere/,
    );
    assert.deepEqual([job.prLink, job.pullRequest], [null, null]);
    assert.deepEqual(await node.reviews.list(scope.projectId, { limit: 10 }), []);
  });

  test("a turn that has done nothing by its limit fails", async () => {
    const job = await run(look);
    assert.equal(
      job.error,
      "The work was not finished within the limit of 6 model replies. Ask for less at a time.",
    );
  });
});

/** Each provider's error for a conversation that is too long. */
const tooLong: Readonly<Record<string, readonly [model: string, Turn]>> = {
  anthropic: [
    "anthropic/claude-sonnet-4-5",
    { status: 400, message: "prompt is too long: 213456 tokens > 200000 maximum" },
  ],
  openai: [
    "openai/gpt-5",
    {
      status: 400,
      message:
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
    },
  ],
  google: [
    "google/gemini-2.5-flash",
    {
      status: 400,
      message:
        "The input token count (1198765) exceeds the maximum number of tokens allowed (1048576).",
    },
  ],
  ollama: [
    "ollama/llama3",
    { status: 500, message: "the input length exceeds the context length" },
  ],
  compatible: [
    "compatible/scripted",
    {
      status: 400,
      message:
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    },
  ],
};

describe("a conversation that the provider finds too long is summarized, and the work goes on", () => {
  useNode();
  for (const [wire, [name, refused]] of Object.entries(tooLong)) {
    test(`in the format of ${wire}`, async () => {
      const turns: readonly Turn[] = [look(1), look(2), greet, look(3), refused];
      const done: Turn = { text: "Greeted." };
      const job = await run((count) => turns[count] ?? done, name);
      assert.equal(job.status, "completed", job.error);
      assert.equal(job.summary, "Greeted.");
      assert.equal(job.pullRequest?.draft, false);
      assert.equal(job.usage.compactions, 1);
      const [, , , , long, short] = model.requests.slice(first);
      assert.ok(long && short);
      assert.ok(short.text.length < long.text.length);
      const [told] = short.conversation.messages;
      assert.ok(told?.from === "user");
      assert.match(
        told.text,
        /^Greet and count\.\n\n\[From the service\] Earlier steps, summarized/,
      );
      assert.match(
        told.text,
        /^- read \{"path":"guide\.mdx","fromLine":2,"lines":20\}: path "guide/m,
      );
      const results = short.conversation.messages.filter(({ from }) => from === "tool");
      assert.equal(results.length, 1, "what the model has not seen stays");
    });
  }
});
