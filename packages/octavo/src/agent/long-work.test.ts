import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { openAgentSite } from "../../../../test/support/agent-site.ts";
import { scriptedModel } from "../../../../test/support/scripted-model.ts";
import type { ScriptedModel, ScriptedStep } from "../../../../test/support/scripted-model.ts";
import { runAgent, type AgentRun } from "./agent.ts";
import { planContext } from "./conversation.ts";
import { defaultAgentLimits } from "./limits.ts";
import { createPictureTool } from "./tools/picture.ts";
import { createMemoryTranscript, sumUsage } from "./transcript.ts";
import type { ToolEntry, TranscriptEntry } from "./transcript.ts";

const instruction = {
  type: "message",
  from: "person",
  at: "2026-01-01T00:00:00.000Z",
  id: "1",
  text: "Edit",
} as const;
const files = {
  "index.mdx": "---\ntitle: I\n---\n\nHello.\n",
  "long.mdx": `---\ntitle: L\n---\n\n${"A line of words.\n".repeat(500)}`,
  "wide.mdx": `---\ntitle: W\n---\n\n${"灯火".repeat(2_000)}`,
};

interface Options {
  readonly entries?: readonly TranscriptEntry[];
  readonly contextTokens?: number;
  readonly pictures?: Readonly<Record<string, Buffer>>;
}

async function work(
  t: TestContext,
  script: readonly ScriptedStep[],
  { entries = [instruction], contextTokens = 7_650, pictures }: Options = {},
) {
  const { tools: all, workspace } = await openAgentSite(t, { ...files, ...pictures });
  // The other tools' share of the context does not matter here.
  const texts = all.filter(({ name }) => ["read", "edit", "write"].includes(name));
  const tools = pictures ? [...texts, createPictureTool(workspace, ["image/png"])] : texts;
  const limits = { contextTokens, maxOutputTokens: 500 };
  const model: ScriptedModel = { ...scriptedModel(script), limits };
  const transcript = createMemoryTranscript(entries);
  const run: AgentRun = {
    model,
    system: "You edit.",
    tools,
    budget: planContext(model, { system: "You edit.", tools }),
    transcript,
    limits: defaultAgentLimits,
    files: workspace,
    startedAt: performance.now(),
    signal: new AbortController().signal,
  };
  const outcome = await runAgent(run);
  return { outcome, model, entries: transcript.entries() };
}

const read = (fromLine: number, lines = 60): ScriptedStep => ({
  calls: [["read", { path: "long.mdx", fromLine, lines }]],
});
const reads = Array.from({ length: 20 }, (_, at) => read(at * 20 + 1));
const greet: ScriptedStep = {
  calls: [["edit", { path: "index.mdx", replacements: [{ old: "Hello", new: "Bye" }] }]],
};

/** Returns the messages to the model, without the numbers that the script gives to calls. */
function prompts({ asked }: ScriptedModel): readonly string[] {
  return asked.map(({ prompt }) => {
    const conversation = prompt.filter(({ role }) => role !== "system");
    return JSON.stringify(conversation).replaceAll(/call-\d+/g, "call");
  });
}

function results(entries: readonly TranscriptEntry[]): readonly ToolEntry[] {
  return entries.filter((entry) => entry.type === "tool");
}

/** Creates a picture of one pixel, in a file of any length. */
function png(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.write("\x89PNG\r\n\x1a\n", "latin1");
  bytes.writeUInt32BE(1, 16);
  bytes.writeUInt32BE(1, 20);
  return bytes;
}

/** Creates the pictures `0.png` and so on, and the steps that read them. */
function pictureWork(count: number, length: number) {
  const paths = Array.from({ length: count }, (_, at) => `${at}.png`);
  const looks = paths.map((path): ScriptedStep => ({ calls: [["picture", { path }]] }));
  return { pictures: Object.fromEntries(paths.map((path) => [path, png(length)])), looks };
}

/** Returns the pictures in each request, by the words before them. */
function picturesAsked({ asked }: ScriptedModel): readonly (readonly string[])[] {
  return asked.map(({ prompt }) => {
    const words = JSON.stringify(prompt.filter(({ role }) => role === "user"));
    return Array.from(words.matchAll(/The picture \\"(\d+\.png)/g), ([, path = ""]) => path);
  });
}

describe("work that outgrows the model's context", () => {
  it("is told by a summary, with nothing left out before the model has seen it", async (t) => {
    const { model, entries, outcome } = await work(t, [greet, ...reads, "Done."]);
    assert.equal(outcome.reason, "submitted");
    const asked = prompts(model);
    for (const { output } of results(entries)) {
      assert.ok(asked.some((prompt) => prompt.includes(JSON.stringify(output))));
    }
    const { compactions } = sumUsage(entries);
    assert.ok(compactions > 0 && compactions < 10, `${compactions} compactions`);
    const last = asked.at(-1) ?? "";
    assert.match(
      last,
      /^\[\{"role":"user","content":\[\{"type":"text","text":"Edit\\n\\n\[From the service\]/,
    );
    assert.match(last, /- edit \{.*?"index\.mdx\\+".*?: path \\"index\.mdx\\", changed 1/);
    assert.match(last, /fromLine 1, totalLines 504/);
  });

  it("is told the same after the process died, whatever was recorded last", async (t) => {
    const script = [greet, ...reads, "Done."];
    const whole = await work(t, script);
    const asked = prompts(whole.model);
    const places = whole.entries.keys().filter((at) => whole.entries[at]?.type === "compaction");
    for (const at of places) {
      for (const kept of [at, at + 1]) {
        const begun = whole.entries.slice(0, kept);
        const answers = begun.filter(({ type }) => type === "model").length;
        const again = await work(t, script.slice(answers), { entries: begun });
        assert.deepEqual(prompts(again.model), asked.slice(answers), `after ${kept} entries`);
      }
    }
  });

  it("lets a call be made again once its result was summarized", async (t) => {
    const again = [read(1), read(1), read(1)];
    const { entries } = await work(t, [...again, ...reads.slice(1, 12), read(1), read(1), "Done."]);
    const repeated = results(entries).filter(({ input }) =>
      JSON.stringify(input).includes('"fromLine":1,'),
    );
    assert.deepEqual(
      repeated.map(({ status }) => status),
      Array(5).fill("done"),
    );
  });

  it("leaves out a result that does not fit beside the others, and takes the call again", async (t) => {
    const calls = [1, 101, 201, 301].map(
      (fromLine) => ["read", { path: "long.mdx", fromLine, lines: 200, numbers: false }] as const,
    );
    const { entries } = await work(t, [{ calls }, { calls: calls.slice(3) }, "Done."]);
    const done = results(entries).map(({ status, isDeferred }) => isDeferred ?? status);
    assert.deepEqual(done, ["done", "done", "done", true, "done"]);
    assert.match(
      String(results(entries)[3]?.output["error"]),
      /does not fit together with the other results/,
    );
  });

  it("asks for less where a single result is too long", async (t) => {
    const call: ScriptedStep = { calls: [["read", { path: "wide.mdx" }]] };
    const { entries } = await work(t, [call, "Done."]);
    const [wide] = results(entries);
    assert.match(String(wide?.output["error"]), /about \d+ tokens; you can read \d+ at a time/);
    assert.equal(wide?.isDeferred, undefined);
  });

  it("shows no more pictures in one request than providers take, and each at least once", async (t) => {
    const { pictures, looks } = pictureWork(30, 100);
    const options = { pictures, contextTokens: 100_000 };
    const { model, entries } = await work(t, [...looks, "Done."], options);
    const shown = picturesAsked(model);
    assert.ok(Math.max(...shown.map(({ length }) => length)) <= 20);
    assert.deepEqual(new Set(shown.flat()), new Set(Object.keys(pictures)));
    assert.equal(sumUsage(entries).compactions, 1);
  });

  it("shows large pictures a few at once, and no more than a turn may store", async (t) => {
    const { pictures, looks } = pictureWork(16, 1_500_000);
    const options = { pictures, contextTokens: 100_000 };
    const { model, entries } = await work(t, [...looks, "Done."], options);
    const shown = picturesAsked(model);
    assert.equal(Math.max(...shown.map(({ length }) => length)), 7);
    assert.equal(new Set(shown.flat()).size, 15);
    const last = results(entries).at(-1);
    assert.match(
      String(last?.output["note"]),
      /exceed the limit on the total size of pictures in one turn/,
    );
    assert.equal(last?.picture, undefined);
  });

  it("shortens what the model itself wrote where the rest is not enough", async (t) => {
    const write = { path: "new.mdx", content: "word ".repeat(4_000) };
    const { model, outcome } = await work(t, [{ calls: [["write", write]] }, "Done."]);
    assert.equal(outcome.reason, "submitted");
    const last = prompts(model).at(-1) ?? "";
    assert.match(last, /20\d{3} characters, which begin: .{1,50}new\.mdx/);
    assert.ok(last.length < 3_000);
  });

  it("fails at once where the context holds no conversation", async (t) => {
    await assert.rejects(work(t, ["Done."], { contextTokens: 2_000 }), {
      code: "too_large",
      message: /has a context of 2,000 tokens.*set OCTAVO_MODEL_CONTEXT/,
    });
  });
});
