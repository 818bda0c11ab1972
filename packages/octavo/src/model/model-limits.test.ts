import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import type { TestContext } from "node:test";
import { parseAllowList } from "../core/index.ts";
import { openModel } from "./open-model.ts";
import type { OpenModelOptions } from "./open-model.ts";

/** The server's responses by method and path. Every other request gets 404. */
type Answers = Readonly<Record<string, unknown>>;

interface Asked {
  readonly limits: { readonly contextTokens: number; readonly maxOutputTokens: number };
  readonly warnings: readonly string[];
  /** Method and path of each request. */
  readonly requests: readonly string[];
}

/** Opens a model on a server that gives these answers about it. */
async function open(
  t: TestContext,
  name: string,
  { answers = {}, ...options }: OpenModelOptions & { readonly answers?: Answers } = {},
): Promise<Asked> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const asked = `${request.method} ${request.url}`;
    requests.push(asked);
    const answer = answers[asked];
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? { error: "not found" }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const warnings: string[] = [];
  const { limits } = await openModel(name, {
    keys: { anthropic: "k", openai: "k", google: "k" },
    baseUrls: {
      anthropic: `${url}/v1`,
      openai: `${url}/v1`,
      google: `${url}/v1beta`,
      ollama: `${url}/v1`,
      compatible: `${url}/v1`,
    },
    allow: parseAllowList(`127.0.0.1:${port}`),
    onWarning: (sentence) => warnings.push(sentence),
    ...options,
  });
  return { limits, warnings, requests };
}

describe("a model that its provider describes has the limits that are published", () => {
  // The maximum requested is 32,000 tokens for an answer and 200,000 for a conversation.
  const known: readonly [name: string, contextTokens: number, maxOutputTokens: number][] = [
    ["anthropic/claude-opus-5", 200_000, 32_000],
    ["anthropic/claude-sonnet-4-5-20250929", 200_000, 32_000],
    ["anthropic/claude-3-5-haiku-20241022", 200_000, 8_192],
    ["anthropic/claude-3-haiku-20240307", 200_000, 4_096],
    ["openai/gpt-5", 200_000, 32_000],
    ["openai/gpt-5-chat-latest", 128_000, 16_384],
    ["openai/gpt-4o-mini", 128_000, 16_384],
    ["openai/gpt-4", 8_192, 2_048],
    ["openai/o3", 200_000, 32_000],
    ["google/gemini-2.5-flash", 200_000, 32_000],
    ["google/gemini-2.0-flash", 200_000, 8_192],
  ];
  for (const [name, contextTokens, maxOutputTokens] of known) {
    test(name, async (t) => {
      const opened = await open(t, name);
      assert.deepEqual(opened.limits, { contextTokens, maxOutputTokens });
      assert.deepEqual([opened.requests, opened.warnings], [[], []]);
    });
  }
});

const listed = (model: unknown): Answers => ({ "GET /v1/models": { data: [{ id: "y" }, model] } });
const show = "POST /api/show";

describe("a server is asked what its model can read", () => {
  const told: Readonly<Record<string, readonly [name: string, Answers, number, number]>> = {
    vLLM: ["compatible/x", listed({ id: "x", max_model_len: 40_960 }), 40_960, 10_240],
    OpenRouter: [
      "compatible/x",
      listed({
        id: "x",
        context_length: 163_840,
        top_provider: { context_length: 65_536, max_completion_tokens: 4_000 },
      }),
      65_536,
      4_000,
    ],
    Groq: [
      "compatible/x",
      listed({ id: "x", context_window: 131_072, max_completion_tokens: 32_768 }),
      131_072,
      32_000,
    ],
    "LM Studio": [
      "compatible/x",
      {
        ...listed({ id: "x" }),
        "GET /api/v0/models": {
          data: [{ id: "x", max_context_length: 131_072, loaded_context_length: 16_384 }],
        },
      },
      16_384,
      4_096,
    ],
    "Ollama, as its Modelfile says": [
      "ollama/x",
      { [show]: { parameters: 'stop "x"\nnum_ctx 24576', model_info: { "a.context_length": 8 } } },
      24_576,
      6_144,
    ],
    "Ollama, as it has loaded it": [
      "ollama/x",
      {
        [show]: { model_info: { "a.context_length": 131_072 } },
        "GET /api/ps": { models: [{ name: "x:latest", context_length: 65_536 }] },
      },
      65_536,
      16_384,
    ],
    "Ollama, as the model was trained": [
      "ollama/x",
      { [show]: { model_info: { "general.size": 1, "a.context_length": 131_072 } } },
      32_768,
      8_192,
    ],
    "Anthropic, of a new model": [
      "anthropic/claude-next",
      { "GET /v1/models/claude-next": { max_input_tokens: 150_000, max_tokens: 20_000 } },
      150_000,
      20_000,
    ],
    "Google, of a new model": [
      "google/gemini-next",
      { "GET /v1beta/models/gemini-next": { inputTokenLimit: 100_000, outputTokenLimit: 9_000 } },
      100_000,
      9_000,
    ],
  };
  for (const [server, [name, answers, contextTokens, maxOutputTokens]] of Object.entries(told)) {
    test(server, async (t) => {
      const opened = await open(t, name, { answers });
      assert.deepEqual(opened.limits, { contextTokens, maxOutputTokens });
      assert.deepEqual(opened.warnings, []);
    });
  }
});

describe("where nobody knows", () => {
  for (const name of ["compatible/x", "ollama/x", "anthropic/claude-next", "openai/next"]) {
    test(`${name} is taken for a small model, and the operator is told`, async (t) => {
      const { limits, warnings } = await open(t, name, {
        answers: { "GET /v1/models": "nonsense" },
      });
      assert.deepEqual(limits, { contextTokens: 32_768, maxOutputTokens: 8_192 });
      assert.equal(warnings.length, 1);
      assert.match(
        warnings[0] ?? "",
        new RegExp(`set OCTAVO_MODEL_CONTEXT, e\\.g\\. to ${name}=32768`),
      );
    });
  }
});

test("what the operator sets holds, for one model or for the others", async (t) => {
  const contextTokens = { others: 50_000, byModel: new Map([["openai/gpt-5", 400_000]]) };
  const outputTokens = { others: undefined, byModel: new Map([["openai/gpt-5", 100_000]]) };
  const large = await open(t, "openai/gpt-5", { contextTokens, outputTokens });
  assert.deepEqual(large.limits, { contextTokens: 400_000, maxOutputTokens: 100_000 });
  const answers = listed({ id: "x", max_model_len: 8_192 });
  const other = await open(t, "compatible/x", { contextTokens, outputTokens, answers });
  assert.deepEqual(other.limits, { contextTokens: 50_000, maxOutputTokens: 12_500 });
  assert.deepEqual(other.requests, []);
});

test("a server is not asked for limits when the service stops", async (t) => {
  const signal = AbortSignal.abort();
  const asked = await open(t, "compatible/x", { signal });
  assert.deepEqual(asked.requests, []);
  assert.equal(asked.limits.contextTokens, 32_768);
});
