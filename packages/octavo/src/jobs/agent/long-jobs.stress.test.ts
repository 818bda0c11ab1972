import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startModelServer } from "../../../../../test/support/model-server.ts";
import type { ModelRequest, ModelServer, Turn } from "../../../../../test/support/model-server.ts";
import type { ScriptedToolCall } from "../../../../../test/support/model-wire/wire.ts";
import { writeFiles } from "../../../../../test/support/temporary-folder.ts";
import type { ToolEntry, TranscriptEntry } from "../../agent/index.ts";
import type { AgentScope } from "./agent-jobs.ts";
import type { AgentJob } from "./job.ts";
import { addAgentProject, openAgentNode } from "./node.test-support.ts";
import type { AgentTestNode } from "./node.test-support.ts";

/** Each format takes 15 s of CPU on the larger site, which `npm run test:long` uses. */
const pageCount = process.env["OCTAVO_TEST_ALL"] === "1" ? 5_000 : 500;
const steps = 60;
const contextTokens = 32_768;
/** Pages that the model reads, step by step; the other pages are only listed. */
const longPages = 70;
const lines = Array.from(
  { length: 40 },
  (_, at) => `Line ${at}: the lamp is lit at dusk, not before.`,
);

function pagePath(at: number): string {
  return `guides/part-${Math.floor(at / 100)}/page-${at}`;
}

function pageText(at: number): string {
  const body = at < longPages ? lines.join(`\n\n${at} `) : "A lamp.";
  return `---\ntitle: Page ${at}\ndescription: About lamp ${at}\n---\n\n${body}\n`;
}

function siteFiles(): Record<string, string> {
  const paths = Array.from({ length: pageCount }, (_, at) => pagePath(at));
  const groups = Map.groupBy(paths, (path) => path.split("/")[1] ?? "");
  const navigation = { groups: [...groups].map(([group, pages]) => ({ group, pages })) };
  return {
    "docs.json": JSON.stringify({ name: "Lantern", navigation }),
    ...Object.fromEntries(paths.map((path, at) => [`${path}.mdx`, pageText(at)])),
  };
}

const wires = {
  anthropic: "anthropic/claude-sonnet-4-5",
  openai: "openai/gpt-5",
  google: "google/gemini-2.5-flash",
  ollama: "ollama/llama3",
  compatible: "compatible/scripted",
};

/** Returns the model's answer number `at`, from 0. Each answer reads new pages, and some change the pages they read. */
function answer(at: number): Turn {
  if (at === steps - 1) return { text: "All lamps are trimmed." };
  if (at === 0)
    return { toolCalls: [call("list", { limit: 2_000 }), call("search", { query: "lit" })] };
  if (at % 10 === 5) {
    const reads = [at, at + 1, at + 2, at + 3, at + 4].map(read);
    return { text: "I read several at once.", toolCalls: reads };
  }
  if (at % 7 === 0) {
    const replacements = [{ old: "Line 1: the lamp", new: "Line 1: the lantern" }];
    return { toolCalls: [call("edit", { path: `${pagePath(at)}.mdx`, replacements })] };
  }
  return { toolCalls: [read(at)] };
}

function call(name: string, input: unknown): ScriptedToolCall {
  return { name, input, id: `call_${name}_${JSON.stringify(input).length}_${crypto.randomUUID()}` };
}

function read(at: number): ScriptedToolCall {
  return call("read", { path: `${pagePath(at)}.mdx` });
}

let root: string;
let model: ModelServer;
let node: AgentTestNode;
let scope: AgentScope;
let script: (request: ModelRequest, count: number) => Turn;
let first = 0;

before(async () => {
  root = await mkdtemp(join(tmpdir(), "octavo-long-jobs-"));
  model = await startModelServer((request) => script(request, request.index - first));
  node = await openAgentNode({
    dataDir: join(root, "data"),
    modelUrl: model.url,
    modelLimits: { contextTokens, maxOutputTokens: 4_096 },
    limits: { tokens: 100_000_000, tokensPerDay: 100_000_000 },
  });
  await writeFiles(join(root, "site"), siteFiles());
  scope = await addAgentProject(node, join(root, "site"));
});
after(async () => {
  await node[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
});

interface Ended {
  readonly job: AgentJob;
  readonly requests: readonly ModelRequest[];
  readonly entries: readonly TranscriptEntry[];
}

async function run(modelName: string, turns: typeof script): Promise<Ended> {
  const { kysely } = node.database;
  const project = kysely.updateTable("projects").where("id", "=", scope.projectId);
  await project.set({ model: modelName }).execute();
  script = turns;
  first = model.requests.length;
  const { job } = await node.jobs.create(scope, "Trim the lamps.");
  const signal = AbortSignal.timeout(300_000);
  const last = (await Array.fromAsync(node.jobs.watch(scope, job.id, { signal }))).at(-1);
  assert.ok(last?.type === "job");
  const rows = await kysely
    .selectFrom("agent_events")
    .select("entry")
    .where("job_id", "=", job.id)
    .orderBy("seq")
    .execute();
  return {
    job: last.snapshot.job,
    requests: model.requests.slice(first),
    entries: rows.map(({ entry }) => JSON.parse(entry) as TranscriptEntry),
  };
}

/** Returns the conversation as it was sent, one text per message. */
function wireMessages({ body }: ModelRequest): readonly string[] {
  const list = body["messages"] ?? body["input"] ?? body["contents"];
  assert.ok(Array.isArray(list));
  return list.map((message) => JSON.stringify(message));
}

/** Returns everything before the conversation: the instructions and the tools. */
function wireHead({ body }: ModelRequest): string {
  const { messages: _messages, input: _input, contents: _contents, ...head } = body;
  return JSON.stringify(head);
}

function isPrefix(earlier: readonly string[], later: readonly string[]): boolean {
  return earlier.every((message, at) => later[at] === message);
}

function toolEntries(entries: readonly TranscriptEntry[]): readonly ToolEntry[] {
  return entries.filter((entry) => entry.type === "tool");
}

describe(`a job of ${steps} steps within ${contextTokens} tokens`, () => {
  for (const [wire, name] of Object.entries(wires)) {
    test(`in the format of ${wire}, on ${pageCount} pages`, async () => {
      const { job, requests, entries } = await run(name, (_, count) => answer(count));
      assert.equal(job.status, "completed", job.error);
      assert.equal(job.summary, "All lamps are trimmed.");
      assert.equal(job.pullRequest?.draft, false);
      assert.equal(requests.length, steps);

      const seen = new Set(
        requests.flatMap(({ conversation }) =>
          conversation.messages.flatMap((message) =>
            message.from === "tool" ? [JSON.stringify(message.output)] : [],
          ),
        ),
      );
      const unseen = toolEntries(entries).filter(({ output }) => !seen.has(JSON.stringify(output)));
      assert.deepEqual(unseen, []);
      assert.ok(toolEntries(entries).length > steps);

      const rewritten = requests.slice(1).filter((request, at) => {
        const previous = requests[at];
        assert.ok(previous);
        assert.equal(wireHead(request), wireHead(previous));
        return !isPrefix(wireMessages(previous), wireMessages(request));
      });
      const compactions = entries.filter(({ type }) => type === "compaction");
      assert.equal(rewritten.length, compactions.length);
      assert.equal(job.usage.compactions, compactions.length);
      assert.ok(compactions.length > 0);
      assert.ok(compactions.length <= 15, `${compactions.length} compactions`);
      // Uses our own rule of three bytes per token; providers count fewer tokens.
      for (const { text } of requests) assert.ok(Buffer.byteLength(text) < contextTokens * 3);
    });
  }
});
