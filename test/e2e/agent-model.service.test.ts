import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AgentJob } from "../../packages/octavo/src/jobs/index.ts";
import {
  openAgentService,
  plantedSecrets,
  wireModels,
  wireNames,
} from "../support/agent-service.ts";
import type {
  AgentService,
  EndedJob,
  JobScript,
  TestProject,
  WireName,
} from "../support/agent-service.ts";
import { chromiumProgram } from "../support/chromium.ts";
import { brokenJson } from "../support/model-server.ts";
import type { ScriptedAnswer } from "../support/model-wire/wire.ts";
import type { Turn } from "../support/model-server.ts";

/** The smallest picture: one pixel. */
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const files = {
  "docs.json": JSON.stringify({ name: "Lantern", navigation: { pages: ["index", "guide"] } }),
  "index.mdx": "---\ntitle: Home\n---\n\nHello. Read [the guide](/guide).\n",
  "guide.mdx": "---\ntitle: Guide\n---\n\nOne two three.\n",
  "lamp.png": picture,
};

const stepLimit = 12;
const jobTokens = 1_000_000;
const dayTokens = 3_000_000;

let agents: AgentService;
let projects: Record<WireName, TestProject>;
before(async () => {
  const browser = await chromiumProgram();
  agents = await openAgentService({
    env: {
      ...browser.env,
      OCTAVO_BROWSER: browser.path,
      OCTAVO_AGENT_STEPS: String(stepLimit),
      OCTAVO_AGENT_TOKENS: String(jobTokens),
      OCTAVO_AGENT_DAY_TOKENS: String(dayTokens),
    },
  });
  const added = wireNames.map(
    async (wire) => [wire, await agents.addProject(wire, files)] as const,
  );
  projects = Object.fromEntries(await Promise.all(added)) as Record<WireName, TestProject>;
});
after(() => agents[Symbol.asyncDispose]());

const calling = (name: string, input: unknown): ScriptedAnswer => ({
  toolCalls: [{ name, input }],
});
const greeting = calling("edit", {
  path: "index.mdx",
  replacements: [{ old: "Hello", new: "Good day" }],
});
const done: Turn = { text: "I changed the greeting." };

/** The endpoint of each format's requests, and the header that carries the key. */
const doors: Record<WireName, [path: RegExp, header: string, secret: keyof typeof plantedSecrets]> =
  {
    anthropic: [/^\/v1\/messages$/, "x-api-key", "ANTHROPIC_API_KEY"],
    openai: [/^\/v1\/responses$/, "authorization", "OPENAI_API_KEY"],
    google: [/:streamGenerateContent\?alt=sse$/, "x-goog-api-key", "GOOGLE_GENERATIVE_AI_API_KEY"],
    compatible: [/^\/v1\/chat\/completions$/, "authorization", "OCTAVO_MODEL_KEY"],
  };

function outputs({ requests }: EndedJob): string[] {
  const { messages = [] } = requests.at(-1)?.conversation ?? {};
  return messages.flatMap((message) =>
    message.from === "tool" ? [JSON.stringify(message.output)] : [],
  );
}

describe("from the prompt to the pull request", { concurrency: 4 }, () => {
  for (const wire of wireNames) {
    test(`in the format of ${wire}`, async () => {
      const script: JobScript = [
        calling("list", {}),
        {
          text: "I look.",
          toolCalls: [
            { name: "read", input: { path: "index.mdx" } },
            { name: "search", input: { query: "Hello" } },
          ],
        },
        greeting,
        calling("check", {}),
        { ...done, usage: { inputTokens: 5_000, outputTokens: 30 } },
      ];
      const ended = await projects[wire].run(`Greet, ${wire}`, script);
      const { job, requests, diff } = ended;
      assert.equal(job.status, "completed", job.error);
      assert.equal(job.model, wireModels[wire]);
      assert.equal(job.summary, "I changed the greeting.");
      assert.equal(job.pullRequest?.state, "open");
      assert.match(diff, /^-Hello\. Read.*\n\+Good day\. Read/m);
      assert.deepEqual(job.usage, spent(5_400, 110, 5));
      assert.deepEqual(
        ended.steps.flatMap(({ type, tool }) => [tool ?? type]),
        [
          "message",
          "model",
          "list",
          "model",
          "read",
          "search",
          "model",
          "edit",
          "model",
          "check",
          "model",
          "check",
          "commit",
          "pull_request",
        ],
      );
      const told = outputs(ended);
      assert.match(told[0] ?? "", /"files":\["docs\.json","guide\.mdx","index\.mdx","lamp\.png"\]/);
      assert.match(told[1] ?? "", /"text":"1\|---\\n2\|title: Home/);
      assert.match(told[2] ?? "", /"line":5,"column":1/);
      const [path, header, secret] = doors[wire];
      for (const request of requests) {
        assert.match(request.path, path);
        assert.ok(String(request.headers[header]).endsWith(plantedSecrets[secret]));
        assert.deepEqual(request.conversation.tools, [
          "list",
          "search",
          "read",
          "edit",
          "write",
          "move",
          "delete",
          "undo",
          "diff",
          "check",
          "history",
          "blame",
          "replace",
          "view",
          "rename_term",
          "repair_links",
          "set_fields",
          "picture",
          "describe",
        ]);
      }
    });
  }
});

describe("a picture", { concurrency: 4 }, () => {
  const data = picture.toString("base64");
  /** How each format holds it; the model behind the last is not known to see. */
  const forms: Record<WireName, string | undefined> = {
    anthropic: `"source":{"type":"base64","media_type":"image/png","data":"${data}"}`,
    openai: `{"type":"input_image","image_url":"data:image/png;base64,${data}"`,
    google: `{"inlineData":{"mimeType":"image/png","data":"${data}"}}`,
    compatible: undefined,
  };
  for (const wire of wireNames) {
    test(`is shown in the format of ${wire} to a model that sees`, async () => {
      const look = calling("picture", { path: "lamp.png" });
      const ended = await projects[wire].run(`Look, ${wire}`, [look, { text: "A lamp." }]);
      assert.equal(ended.job.status, "completed", ended.job.error);
      const [, second] = ended.requests;
      const form = forms[wire];
      assert.equal(second?.text.includes(data), form !== undefined);
      if (form !== undefined) assert.ok(second?.text.includes(form), second?.text.slice(-2_000));
      const [told] = outputs(ended);
      assert.match(told ?? "", /"width":1,"height":1,"bytes":70/);
      assert.equal(/cannot see pictures/.test(told ?? ""), form === undefined);
      // Who follows the job is told of the picture, not sent it.
      assert.ok(!JSON.stringify(ended.steps).includes(data));
    });

    test(`of a page, drawn by a browser, is shown in the format of ${wire}`, async () => {
      const look = calling("view", { path: "guide.mdx", picture: true });
      const ended = await projects[wire].run(`Look at the page, ${wire}`, [
        look,
        { text: "Fine." },
      ]);
      assert.equal(ended.job.status, "completed", ended.job.error);
      const [, second] = ended.requests;
      // JPEG begins with these bytes, and a page has more than a few.
      const isSeen = /"(?:data:image\/jpeg;base64,)?\/9j\/[\w+/=]{5000,}"/.test(second?.text ?? "");
      assert.equal(isSeen, forms[wire] !== undefined);
      const [told] = outputs(ended);
      assert.match(told ?? "", isSeen ? /One two three\./ : /The input of view is invalid/);
    });
  }
});

/** How a job ends in which the model's server, or the model, does what it should not. */
interface Ending {
  readonly wire: WireName;
  readonly script: JobScript;
  readonly error?: RegExp;
  readonly summary?: RegExp;
  readonly usage: AgentJob["usage"];
  readonly requests: number;
}

const spent = (inputTokens: number, outputTokens: number, steps: number): AgentJob["usage"] => ({
  inputTokens,
  outputTokens,
  cachedInputTokens: 0,
  steps,
  compactions: 0,
});
const unchanged = /^No file was changed\. The model says: Nothing to do\.$/;
const nothing: Turn = { text: "Nothing to do." };
const soon = { "retry-after": "0" };
const half: ScriptedAnswer = { text: "Half of this arrives, and no more of it than that." };
const always =
  (turn: Turn): JobScript =>
  () =>
    turn;
/** As a provider says it: a second from now, and whole seconds only. */
const inASecond = (): string => new Date(Date.now() + 1_000).toUTCString();

const endings: Record<string, Ending> = {
  // First: it waits for a quarter of a minute between its attempts.
  "streams that are all cut": {
    wire: "google",
    script: always({ fault: "cut", answer: half }),
    error: /^The connection to Google failed \(ECONNRESET\)\. Octavo tried 5 times\.$/,
    usage: spent(500, 100, 1),
    requests: 5,
  },
  "429 with seconds to wait": {
    wire: "anthropic",
    script: [{ status: 429, headers: { "retry-after": "1" } }, nothing],
    summary: unchanged,
    usage: spent(100, 20, 1),
    requests: 2,
  },
  "429 with a date to wait for": {
    wire: "openai",
    script: (_, count) =>
      count === 0 ? { status: 429, headers: { "retry-after": inASecond() } } : nothing,
    summary: unchanged,
    usage: spent(100, 20, 1),
    requests: 2,
  },
  "429 with milliseconds to wait": {
    wire: "compatible",
    script: [{ status: 429, headers: { "retry-after-ms": "20" } }, nothing],
    summary: unchanged,
    usage: spent(100, 20, 1),
    requests: 2,
  },
  "429 for an hour": {
    wire: "openai",
    script: [{ status: 429, headers: { "retry-after": "3600" } }],
    error:
      /^OpenAI is temporarily not accepting requests \(HTTP 429: "Refused by the script with 429\."\)\. It asked Octavo to wait 3600 seconds\.$/,
    usage: spent(0, 0, 0),
    requests: 1,
  },
  "529 for a moment": {
    wire: "anthropic",
    script: [{ status: 529, headers: soon }, { status: 529, headers: soon }, nothing],
    summary: unchanged,
    usage: spent(100, 20, 1),
    requests: 3,
  },
  "529 for good": {
    wire: "anthropic",
    script: always({ status: 529, message: "Overloaded", headers: soon }),
    error:
      /^Anthropic is temporarily unavailable \(HTTP 529: "Overloaded"\)\. Octavo tried 5 times\.$/,
    usage: spent(0, 0, 0),
    requests: 5,
  },
  "a key that is refused, by a server that repeats it": {
    wire: "google",
    script: [{ status: 403, echoesKey: true }],
    error:
      /^Google does not allow this key to use the model gemini-2\.5-flash; check GOOGLE_GENERATIVE_AI_API_KEY \(HTTP 403: ".* The key was \[redacted\]\."\)\.$/,
    usage: spent(0, 0, 0),
    requests: 1,
  },
  "a stream that is cut": {
    wire: "anthropic",
    script: [{ fault: "cut", answer: half }, nothing],
    summary: unchanged,
    // The half that came is paid for.
    usage: spent(200, 21, 1),
    requests: 2,
  },
  "an answer that ends half way": {
    wire: "openai",
    script: [{ fault: "ended", answer: half }, nothing],
    summary: unchanged,
    usage: spent(100, 20, 1),
    requests: 2,
  },
  "an error in the middle of a stream": {
    wire: "compatible",
    script: [{ fault: "error-event", answer: half }, nothing],
    summary: unchanged,
    usage: spent(100, 20, 1),
    requests: 2,
  },
  "a page of HTML with status 200": {
    wire: "compatible",
    script: [{ fault: "garbage" }],
    error:
      /^The model server did not send a valid API response \(status 200, "text\/html"\)\. Check OCTAVO_MODEL_URL\.$/,
    usage: spent(0, 0, 0),
    requests: 1,
  },
  "an answer without end": {
    wire: "anthropic",
    script: [{ fault: "endless", answer: { text: "x".repeat(4_000_000) } }],
    error:
      /^Anthropic sent more than 33,554,432 bytes in one response, so the rest was not read\.$/,
    usage: spent(100, 1, 1),
    requests: 1,
  },
  "a refusal of the provider's filter": {
    wire: "google",
    script: [{ text: "I", stop: "content-filter" }],
    error: /^The model's provider refused to respond\.$/,
    usage: spent(100, 20, 1),
    requests: 1,
  },
  "answers that say nothing": {
    wire: "openai",
    script: always({ text: "" }),
    error: /^The model repeatedly gave no usable answer\.$/,
    usage: spent(400, 80, 4),
    requests: 4,
  },
  "a claim without an edit": {
    wire: "anthropic",
    script: [{ text: "I mended all 12 links and rewrote the guide." }],
    summary:
      /^No file was changed\. The model says: I mended all 12 links and rewrote the guide\.$/,
    usage: spent(100, 20, 1),
    requests: 1,
  },
  "a model that never stops calling tools": {
    wire: "google",
    script: (_, count) => calling("list", { limit: count + 1 }),
    error:
      /^The work was not finished within the limit of 12 model replies\. Ask for less at a time\.$/,
    usage: spent(1_200, 240, 12),
    requests: 12,
  },
  "a model that makes the same call over and over": {
    wire: "openai",
    script: always(calling("read", { path: "index.mdx" })),
    error: /^The model called read with the same input over and over\.$/,
    usage: spent(800, 160, 8),
    requests: 8,
  },
  "a model that only makes calls that no tool takes": {
    wire: "compatible",
    script: (_, count) => calling("shell", { command: `ls ${count}` }),
    error: /^The model repeatedly called tools with invalid input\.$/,
    usage: spent(800, 160, 8),
    requests: 8,
  },
  "a job that has used its tokens and changed nothing": {
    wire: "anthropic",
    script: [{ ...calling("list", {}), usage: { inputTokens: jobTokens, outputTokens: 1 } }, done],
    error:
      /^The work was not finished within the limit of 1,000,000 tokens\. Ask for less at a time\.$/,
    usage: spent(jobTokens, 1, 1),
    requests: 1,
  },
};

describe("a job ends as it should after", { concurrency: 4 }, () => {
  for (const [name, { wire, script, error, summary, usage, requests }] of Object.entries(endings)) {
    test(name, async () => {
      const ended = await projects[wire].run(name, script);
      const { job } = ended;
      assert.match(error ? (job.error ?? "") : (job.summary ?? ""), error ?? summary ?? /./);
      assert.equal(job.status, error ? "failed" : "completed");
      assert.deepEqual([job.prLink, job.pullRequest, ended.diff], [null, null, ""]);
      assert.deepEqual(job.usage, usage);
      assert.equal(ended.requests.length, requests);
    });
  }
});

describe("nonsense from the model is answered, and can be gone on from", { concurrency: 4 }, () => {
  for (const wire of wireNames) {
    test(`in the format of ${wire}`, async () => {
      const huge = "x".repeat(1_000_000);
      const script: JobScript = [
        {
          toolCalls: [
            // Gemini sends no text that could be half of something.
            {
              name: "read",
              input: wire === "google" ? "index.mdx" : brokenJson(`{"path": "index`),
            },
            { name: "read", input: { path: 7, lines: "many" } },
            { name: "read", input: ["index.mdx"] },
            { name: "format_disk", input: { now: true } },
            { name: "read", input: { path: huge } },
          ],
        },
        calling("write", { path: "index.mdx", content: huge.repeat(3) }),
        nothing,
      ];
      const ended = await projects[wire].run(`Nonsense, ${wire}`, script);
      assert.equal(ended.job.status, "completed", ended.job.error);
      assert.match(ended.job.summary ?? "", unchanged);
      const [broken, types, list, unknown, long, large] = outputs(ended);
      assert.match(broken ?? "", /The input of read is invalid/);
      assert.match(types ?? "", /expected string, received number.*path/);
      assert.match(list ?? "", /expected object, received array/);
      assert.match(unknown ?? "", /There is no tool .*format_disk.* The tools are: list, search/);
      assert.match(long ?? "", /Too big.*path/);
      assert.match(large ?? "", /Too big.*content/);
      const last = ended.requests.at(-1)?.text ?? "";
      assert.ok(last.length < 100_000, `${last.length} characters`);
    });
  }
});

test("a job that has used its tokens opens a draft with what it changed, and says so", async () => {
  const project = await agents.addProject("anthropic", files);
  const usage = { inputTokens: jobTokens, outputTokens: 1 };
  const { job, requests, diff } = await project.run("Use up the job", [
    { ...greeting, text: "I greet, and then count.", usage },
    done,
  ]);
  assert.equal(job.status, "completed", job.error);
  assert.match(
    job.summary ?? "",
    /^Not finished: the model was stopped at the limit of 1,000,000 tokens\. .* I greet, and then count\.$/,
  );
  assert.deepEqual([job.pullRequest?.draft, requests.length], [true, 1]);
  assert.match(diff, /^\+Good day\. Read/m);
  assert.match(
    await agents.readPullRequest(job),
    /Not finished\. The work on the last instruction/,
  );
  const text = await agents.readPullRequest(job);
  assert.match(text, /Not finished.*I greet, and then count\..*What was asked.*Use up the job/s);
});

/** Returns the result of `work`, run again if a UTC day ended meanwhile, because the service counts by UTC days. */
async function onOneDay<Result>(work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const day = new Date().getUTCDate();
    const result = await work();
    if (day === new Date().getUTCDate()) return result;
  }
}

test("a project that has used its tokens of the day starts no further call", async () => {
  const { first, second } = await onOneDay(async () => {
    const project = await agents.addProject("openai", files);
    const usage = { inputTokens: dayTokens - 1, outputTokens: 1 };
    const first = await project.run("Use up the day", [{ text: "Done.", usage }]);
    return { first, second: await project.run("One more", [done]) };
  });
  assert.equal(first.job.status, "completed");
  assert.deepEqual(first.job.usage, spent(dayTokens - 1, 1, 1));
  assert.equal(second.job.status, "failed");
  assert.match(
    second.job.error ?? "",
    /^Today, the agent jobs of this project have used 3000000 of 3000000 tokens\. You can start more tomorrow/,
  );
  assert.equal(second.requests.length, 0);
});

test("no more than the pull requests were pushed, and no secret was told", async () => {
  for (const wire of wireNames) assert.equal((await projects[wire].branches()).length, 1, wire);
  const bodies = agents.model.requests.map(({ path, text }) => path + text);
  const told = [agents.service.output(), ...bodies].join("\n");
  for (const secret of [...Object.values(plantedSecrets), agents.service.key]) {
    assert.ok(!told.includes(secret), secret);
  }
});
