import assert from "node:assert/strict";
import { tracingChannel } from "node:diagnostics_channel";
import { describe, it, type TestContext } from "node:test";
import type { LanguageModelV4ToolCallPart } from "@ai-sdk/provider";
import { OctavoError } from "@octavo/site/core";
import { openAgentSite } from "../../../../test/support/agent-site.ts";
import { scriptedModel, type ScriptedStep } from "../../../../test/support/scripted-model.ts";
import { runAgent, type AgentOutcome, type AgentRun } from "./agent.ts";
import { planContext } from "./conversation.ts";
import { defaultAgentLimits, type AgentLimits } from "./limits.ts";
import { createMemoryTranscript, sumUsage } from "./transcript.ts";
import type { ToolEntry, Transcript, TranscriptEntry } from "./transcript.ts";

interface RunOptions {
  readonly limits?: Partial<AgentLimits>;
  readonly transcript?: Transcript;
  readonly signal?: AbortSignal;
}

const instruction = {
  type: "message",
  from: "person",
  at: "2026-01-01T00:00:00.000Z",
  id: "1",
  text: "Edit",
} as const;

async function openRun(t: TestContext, script: readonly ScriptedStep[], options: RunOptions = {}) {
  const site = await openAgentSite(t, { "index.mdx": "---\ntitle: I\n---\n\nHello.\n" });
  const model = scriptedModel(script);
  const transcript = options.transcript ?? createMemoryTranscript([instruction]);
  const run: AgentRun = {
    model,
    system: "You edit.",
    tools: site.tools,
    budget: planContext(model, { system: "You edit.", tools: site.tools }),
    transcript,
    limits: { ...defaultAgentLimits, ...options.limits },
    files: site.workspace,
    startedAt: performance.now(),
    signal: options.signal ?? new AbortController().signal,
  };
  return { site, model, transcript, run };
}

async function finish(t: TestContext, script: readonly ScriptedStep[], options: RunOptions = {}) {
  const opened = await openRun(t, script, options);
  return { ...opened, outcome: await runAgent(opened.run) };
}

const edit = (old: string, wanted: string) =>
  ["edit", { path: "index.mdx", replacements: [{ old, new: wanted }] }] as const;
const list: ScriptedStep = { calls: [["list", {}]] };

function tools(transcript: Transcript): ToolEntry[] {
  return transcript.entries().filter((entry) => entry.type === "tool");
}

function errorOf(outcome: AgentOutcome): OctavoError {
  assert.notEqual(outcome.reason, "submitted");
  return "error" in outcome ? outcome.error : new OctavoError("internal", "");
}

describe("runAgent", () => {
  it("carries out calls in order, returns their results, and ends with the model's summary", async (t) => {
    const calls = [edit("Hello", "Good day"), ["read", { path: "index.mdx" }] as const];
    const { outcome, model, transcript, site } = await finish(t, [{ calls }, "Greeted."]);
    assert.deepEqual(outcome, { reason: "submitted", summary: "Greeted." });
    assert.match(await site.workspace.readText("index.mdx"), /Good day/);
    assert.deepEqual(
      transcript.entries().map(({ type }) => type),
      ["message", "model", "tool", "tool", "model"],
    );
    const [first, second] = model.asked;
    assert.deepEqual(
      first?.prompt.map(({ role }) => role),
      ["system", "user"],
    );
    assert.deepEqual(
      second?.prompt.map(({ role }) => role),
      ["system", "user", "assistant", "tool"],
    );
    assert.match(JSON.stringify(second?.prompt.at(-1)), /Good day/);
    assert.equal(first?.maxOutputTokens, 1_000);
    assert.deepEqual(JSON.parse(JSON.stringify(transcript.entries())), transcript.entries());
  });

  it("continues from any entry without asking for recorded replies", async (t) => {
    const script: ScriptedStep[] = [
      {
        calls: [
          ["list", {}],
          ["read", { path: "index.mdx" }],
        ],
      },
      { calls: [["search", { query: "Hello" }]] },
      "Done.",
    ];
    const { transcript } = await finish(t, script);
    const whole = transcript.entries();
    for (let kept = 1; kept <= whole.length; kept++) {
      const begun = whole.slice(0, kept);
      const answers = begun.filter(({ type }) => type === "model").length;
      const again = await finish(t, script.slice(answers), {
        transcript: createMemoryTranscript(begun),
      });
      assert.equal(again.model.asked.length, script.length - answers, `after ${kept} entries`);
      assert.deepEqual(again.outcome, { reason: "submitted", summary: "Done." });
      assert.deepEqual(
        again.transcript.entries().map(({ type }) => type),
        whole.map(({ type }) => type),
      );
    }
  });

  it("stores each entry before the next step begins", async (t) => {
    const memory = createMemoryTranscript([instruction]);
    const kept: TranscriptEntry["type"][] = [];
    const transcript: Transcript = {
      entries: () => memory.entries(),
      async append(entry) {
        kept.push(entry.type);
        if (kept.length === 2) throw new Error("the database is gone");
        await memory.append(entry);
      },
    };
    const { run, model } = await openRun(t, [list, "Done."], { transcript });
    await assert.rejects(runAgent(run), /database is gone/);
    assert.deepEqual([kept, model.asked.length], [["model", "tool"], 1]);
  });

  const limits: [limits: Partial<AgentLimits>, message: RegExp, asked: number][] = [
    [{ steps: 2 }, /2 model replies/, 2],
    [{ tokens: 40 }, /40 tokens/, 3],
    [{ timeMs: 0 }, /seconds/, 0],
  ];
  for (const [limit, message, asked] of limits) {
    it(`stops at its limit ${JSON.stringify(limit)}`, async (t) => {
      const { outcome, model } = await finish(t, [list], { limits: limit });
      assert.equal(outcome.reason, "limit");
      assert.match(errorOf(outcome).message, message);
      assert.equal(model.asked.length, asked);
    });
  }

  it("ends a model call that ignores its cancellation", async (t) => {
    const controller = new AbortController();
    const deaf: ScriptedStep = () => {
      setImmediate(() => controller.abort());
      return new Promise(() => {});
    };
    const { outcome, transcript } = await finish(t, [deaf], { signal: controller.signal });
    assert.equal(outcome.reason, "cancelled");
    assert.equal(transcript.entries().length, 1);
  });

  it("answers invalid calls, and ends after too many", async (t) => {
    const script: ScriptedStep[] = [
      {
        calls: [
          ["shell", { command: "ls" }],
          ["read", { file: 1 }],
          ["edit", "{broken"],
        ],
      },
      "Done.",
    ];
    const { outcome, transcript } = await finish(t, script);
    assert.equal(outcome.reason, "submitted");
    const errors = tools(transcript).map(({ output }) => String(output.error));
    assert.match(errors[0] ?? "", /no tool "shell".*list, search, read/);
    assert.match(errors[1] ?? "", /path/);
    assert.match(errors[2] ?? "", /is invalid/);
    const endless = await finish(t, [() => ({ calls: [["read", { n: Math.random() }]] })]);
    assert.equal(endless.outcome.reason, "failed");
    assert.equal(tools(endless.transcript).length, 8);
  });

  it("stops the same call over and over, unless something changed", async (t) => {
    const { outcome, transcript } = await finish(t, [list]);
    assert.equal(outcome.reason, "failed");
    assert.match(errorOf(outcome).message, /list with the same input/);
    const outputs = tools(transcript).map(({ output }) => "error" in output);
    assert.deepEqual(outputs, [false, false, false, true, true, true, true, true]);
    const calls = Array.from({ length: 12 }, (_, at) => [
      edit(at % 2 ? "Bye" : "Hello", at % 2 ? "Hello" : "Bye"),
      ["list", {}] as const,
    ]).flat();
    const busy = await finish(t, [{ calls }, "Done."]);
    assert.deepEqual(
      tools(busy.transcript).filter(({ status }) => status !== "done"),
      [],
    );
  });

  it("calls the model once: retries are the provider's", async (t) => {
    const limited = new OctavoError("rate_limited", "The provider takes no more requests for now.");
    const { outcome, model } = await finish(t, [{ error: limited }, "Done."]);
    assert.equal(errorOf(outcome).cause, limited);
    assert.equal(model.asked.length, 1);
  });

  it("counts the tokens of a failed call", async (t) => {
    const usage = { inputTokens: 300, outputTokens: 7 };
    const error = new OctavoError("unavailable", "It broke off.", { details: { usage } });
    const { outcome, transcript } = await finish(t, [list, { error }]);
    assert.equal(errorOf(outcome).cause, error);
    assert.deepEqual(sumUsage(transcript.entries()), {
      steps: 2,
      inputTokens: 310,
      outputTokens: 12,
      cachedInputTokens: 0,
      compactions: 0,
    });
    const again = await finish(t, ["Done."], { transcript });
    assert.equal(again.outcome.reason, "failed");
    assert.equal(again.model.asked.length, 0);
  });

  it("prints no warnings of the package, and sends it no telemetry", async (t) => {
    const told: string[] = [];
    const onWarning = ({ message }: Error) => told.push(message);
    const onTrace = () => told.push("trace");
    const channel = tracingChannel("ai:telemetry");
    const listeners = { start: onTrace, end: onTrace, asyncStart: onTrace, asyncEnd: onTrace };
    process.on("warning", onWarning);
    channel.subscribe({ ...listeners, error: onTrace });
    t.after(() => process.off("warning", onWarning));
    const warnings = [{ type: "unsupported" as const, feature: "temperature" }];
    const content = [{ type: "text" as const, text: "Done." }];
    const { outcome } = await finish(t, [{ result: { content, warnings } }]);
    assert.equal(outcome.reason, "submitted");
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(told, []);
  });

  const failures: [name: string, error: unknown, code: string, message: RegExp][] = [
    [
      "a program's fault",
      new TypeError("sk-secret"),
      "unavailable",
      /for a reason that cannot be shown/,
    ],
    [
      "a model's own refusal",
      new OctavoError("invalid_input", "I cannot do this: dance."),
      "invalid_input",
      /^I cannot do this: dance\.$/,
    ],
    [
      "a refusal that was wrapped",
      new Error("sk-secret", { cause: new OctavoError("forbidden", "Not with this key.") }),
      "forbidden",
      /^Not with this key\.$/,
    ],
  ];
  for (const [name, error, code, message] of failures) {
    it(`fails with a message without a secret: ${name}`, async (t) => {
      const { outcome, model } = await finish(t, [{ error }]);
      assert.equal(outcome.reason, "failed");
      assert.equal(errorOf(outcome).code, code);
      assert.match(errorOf(outcome).message, message);
      assert.doesNotMatch(errorOf(outcome).message, /sk-secret/);
      assert.equal(model.asked.length, 1);
    });
  }

  it("reminds a model whose reply is empty or cut off, and ends after a few times", async (t) => {
    const cut: ScriptedStep = {
      result: {
        content: [{ type: "text", text: "I will" }],
        finishReason: { unified: "length", raw: undefined },
      },
    };
    const { outcome, transcript } = await finish(t, ["", cut, "Done."]);
    assert.deepEqual(outcome, { reason: "submitted", summary: "Done." });
    const texts = transcript
      .entries()
      .flatMap((entry) => (entry.type === "message" ? [entry.text] : []));
    assert.match(texts[1] ?? "", /empty/);
    assert.match(texts[2] ?? "", /cut off/);
    const silent = await finish(t, [""]);
    assert.equal(silent.outcome.reason, "failed");
    assert.equal(silent.model.asked.length, 4);
  });

  it("returns invalid calls in a form that providers accept, shortened", async (t) => {
    const inputs = ["{broken", "[1]", "7", "null", { path: "x".repeat(50_000) }];
    const calls = inputs.map((input) => ["read", input] as const);
    const { model } = await finish(t, [{ calls }, "Done."]);
    const prompt = model.asked[1]?.prompt ?? [];
    const back = prompt.flatMap(({ role, content }) =>
      role === "assistant"
        ? content.map((part) => (part as LanguageModelV4ToolCallPart).input)
        : [],
    );
    assert.equal(back.length, inputs.length);
    for (const input of back) assert.match(JSON.stringify(input), /^\{.*\}$/);
    assert.deepEqual(back[1], { unreadable: [1] });
    assert.match(JSON.stringify(back[4]), /^.{0,40}50011 characters, which begin: .{200,250}$/);
  });
});
