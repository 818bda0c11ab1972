import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LanguageModelV4CallOptions, LanguageModelV4Content } from "@ai-sdk/provider";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import { parseAllowList } from "../core/index.ts";
import type { ErrorCode } from "@octavo/site/core";
import { openModel } from "./open-model.ts";
import type { ModelLimits } from "./model-limits.ts";
import type { OpenedModel, OpenModelOptions } from "./open-model.ts";
import type { ProviderName } from "./providers.ts";
import { brokenJson, startModelServer } from "../../../../test/support/model-server.ts";
import type {
  Fault,
  ModelServer,
  Refusal,
  Script,
  Turn,
} from "../../../../test/support/model-server.ts";

/** A key in a format that cannot be distinguished from other text. */
const key = "planted4711+do/not=tell";
const providers: readonly [name: ProviderName, model: string, path: string][] = [
  ["anthropic", "claude-sonnet-4-5", "/v1"],
  ["openai", "gpt-5", "/v1"],
  ["google", "gemini-2.5-flash", "/v1beta"],
  ["compatible", "some/model:1b", "/v1"],
];
const deliveries = ["streamed", "whole"] as const;
const ways = providers.flatMap(([provider]) =>
  deliveries.map((delivery) => ({ provider, delivery })),
);

const prompt: LanguageModelV4CallOptions = {
  prompt: [
    { role: "system", content: "You keep the documentation." },
    { role: "user", content: [{ type: "text", text: "Mend the links." }] },
  ],
  tools: [
    {
      type: "function",
      name: "read",
      description: "Reads a file.",
      inputSchema: {
        type: "object",
        properties: { path: { type: "string" } },
        required: ["path"],
        additionalProperties: false,
      },
    },
  ],
};

function always(turn: Turn): Script {
  return () => turn;
}

interface Use {
  readonly script: Script;
  readonly provider: ProviderName;
  readonly delivery?: "streamed" | "whole";
  readonly limits?: Partial<ModelLimits>;
  readonly effort?: OpenModelOptions["effort"];
}

type Final = [turn: Refusal | Fault, code: ErrorCode, message: RegExp];

/** The providers' errors for a conversation that is too long for the model. */
const tooLong: readonly Refusal[] = [
  { status: 400, message: "prompt is too long: 1 > 0" },
  { status: 400, message: "input length and `max_tokens` exceed context limit: 1 + 1 > 1" },
  { status: 400, message: "Your input exceeds the context window of this model." },
  { status: 400, message: "This model's maximum context length is 1 tokens." },
  { status: 400, message: "the request exceeds the available context size (1 tokens)" },
  {
    status: 400,
    message: "The input token count (2) exceeds the maximum number of tokens allowed (1).",
  },
  { status: 500, message: "the input length exceeds the context length" },
];

const yes: Turn = { text: "Yes." };

/** Opens the provider's model on a separate scripted server. */
async function withModel(
  use: Use,
  check: (opened: OpenedModel, server: ModelServer) => Promise<void>,
): Promise<void> {
  await using server = await startModelServer(use.script);
  const [provider, model, path] = providers.find(([name]) => name === use.provider) ?? [];
  assert(provider && model);
  const options: OpenModelOptions = {
    keys: { [provider]: key },
    baseUrls: { [provider]: `${server.url}${path}` },
    allow: parseAllowList(`127.0.0.1:${server.port}`),
    limits: { firstWaitMs: 1, ...use.limits },
    delivery: use.delivery ?? "streamed",
    effort: use.effort,
  };
  await check(await openModel(`${provider}/${model}`, options), server);
}

async function failureOf(work: PromiseLike<unknown>): Promise<OctavoError> {
  try {
    await work;
  } catch (error) {
    assert(isOctavoError(error), String(error));
    assertNoKey(error);
    return error;
  }
  return assert.fail("The call did not fail.");
}

/** Searches everything that a log or a transcript could contain. */
function assertNoKey(thrown: unknown): void {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const properties = Object.getOwnPropertyDescriptors(error);
    const text = JSON.stringify(Object.entries(properties));
    assert(!text.includes(key) && !String(error.stack).includes(key), text);
    assert(!text.includes("Mend the links."), "An error holds the conversation.");
  }
}

function textOf(content: readonly LanguageModelV4Content[]): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

function callsOf(content: readonly LanguageModelV4Content[]): [name: string, input: string][] {
  return content.flatMap((part): [string, string][] =>
    part.type === "tool-call" ? [[part.toolName, part.input]] : [],
  );
}

/** Checks that the first attempt fails and that the second attempt sends the same request. */
async function succeedsSecondly(use: Use): Promise<void> {
  await withModel(use, async ({ model }, { requests }) => {
    const { content } = await model.doGenerate(prompt);
    assert.equal(textOf(content), "Done.");
    assert.equal(requests.length, 2);
    assert.equal(requests[1]?.text, requests[0]?.text);
  });
}

for (const { provider, delivery } of ways) {
  describe(`${provider}, ${delivery}`, () => {
    test("returns text, finish reason and usage", async () => {
      const text = "All links lead somewhere: 12 checked, none broken. ✓";
      const script: Script = [{ text, usage: { inputTokens: 321, outputTokens: 45 } }];
      await withModel({ script, provider, delivery }, async ({ model }, { requests }) => {
        const answer = await model.doGenerate(prompt);
        assert.equal(textOf(answer.content), text);
        assert.equal(answer.finishReason.unified, "stop");
        assert.equal(answer.usage.inputTokens.total, 321);
        assert.equal(answer.usage.outputTokens.total, 45);
        assert.equal(requests.length, 1);
      });
    });

    test("returns several tool calls of one reply in their order", async () => {
      const toolCalls = ["a.mdx", "b.mdx", "c.mdx"].map((path) => ({
        name: "read",
        input: { path },
      }));
      const script: Script = [{ text: "I look.", toolCalls }];
      await withModel({ script, provider, delivery }, async ({ model }) => {
        const { content, finishReason } = await model.doGenerate(prompt);
        const inputs = callsOf(content).map(([name, input]) => [name, JSON.parse(input)]);
        assert.deepEqual(
          inputs,
          toolCalls.map(({ name, input }) => [name, input]),
        );
        assert.equal(textOf(content), "I look.");
        assert.equal(finishReason.unified, "tool-calls");
        const ids = content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []));
        assert.equal(new Set(ids).size, 3);
      });
    });

    test("passes invalid tool calls on to the loop", async () => {
      const toolCalls = [
        { name: "format_disk", input: { now: true } },
        { name: "read", input: { path: 7 } },
      ];
      await withModel({ script: [{ toolCalls }], provider, delivery }, async ({ model }) => {
        const { content } = await model.doGenerate(prompt);
        const calls = callsOf(content).map(([name, input]) => [name, JSON.parse(input)]);
        assert.deepEqual(calls, [
          ["format_disk", { now: true }],
          ["read", { path: 7 }],
        ]);
      });
    });

    test("says when the model ran out of tokens", async () => {
      const script: Script = [{ text: "And then the", stop: "length" }];
      await withModel({ script, provider, delivery }, async ({ model }) => {
        const { finishReason } = await model.doGenerate(prompt);
        assert.equal(finishReason.unified, "length");
      });
    });

    const passing: readonly (Refusal | Fault)[] = [
      { status: 429, headers: { "retry-after": "0" } },
      { status: 529, headers: { "retry-after-ms": "1" } },
      { status: 500 },
      { status: 503 },
      { status: 408 },
      { fault: "cut" },
      ...(delivery === "streamed"
        ? [{ fault: "ended" } as const, { fault: "error-event" } as const]
        : []),
    ];
    for (const turn of passing) {
      test(`tries again after ${JSON.stringify(turn)}`, async () => {
        await succeedsSecondly({ script: [turn, { text: "Done." }], provider, delivery });
      });
    }

    const final: readonly Final[] = [
      [{ status: 401 }, "invalid_input", /does not allow this key to use .*_KEY/],
      [{ status: 403 }, "invalid_input", /does not allow this key to use/],
      [{ status: 404 }, "invalid_input", /has no model/],
      [{ status: 400 }, "invalid_input", /rejected the request/],
      [{ status: 413 }, "too_large", /longer than/],
      ...tooLong.map((turn): Final => [turn, "too_large", /longer than/]),
      [{ status: 429, message: "insufficient_quota" }, "invalid_input", /no credit left/],
      [
        { status: 500, headers: { "x-should-retry": "false" } },
        "unavailable",
        /temporarily unavailable/,
      ],
      [{ status: 302, headers: { location: "/elsewhere" } }, "invalid_input", /redirect/],
      [{ status: 200, headers: { "content-encoding": "gzip" } }, "invalid_input", /"gzip"/],
      [{ fault: "garbage" }, "invalid_input", /"text.html".*_URL/],
      [{ fault: "endless" }, "too_large", /more than 50,000 bytes/],
    ];
    for (const [turn, code, message] of final) {
      test(`gives up at once after ${JSON.stringify(turn)}`, async () => {
        const limits = { maxResponseBytes: 50_000 };
        const use = { script: always(turn), provider, delivery, limits };
        await withModel(use, async ({ model }, { requests }) => {
          const error = await failureOf(model.doGenerate(prompt));
          assert.match(error.message, message);
          assert.equal(error.code, code);
          assert.equal(requests.length, 1);
        });
      });
    }

    test("gives up after its last attempt, and says how many there were", async () => {
      const use = { script: always({ status: 529 }), provider, delivery };
      const limits = { maxAttempts: 3 };
      await withModel({ ...use, limits }, async ({ model }, { requests }) => {
        const error = await failureOf(model.doGenerate(prompt));
        assert.equal(error.code, "unavailable");
        assert.match(error.message, /HTTP 529.*Octavo tried 3 times\.$/);
        assert.equal(error.details["attempts"], 3);
        assert.equal(requests.length, 3);
      });
    });

    test("ends when its time is up, whatever still arrives", async () => {
      const limits = { timeoutMs: 300, maxResponseBytes: 1e12, idleTimeoutMs: 60_000 };
      const use = { script: always({ fault: "endless" }), provider, delivery, limits };
      await withModel(use, async ({ model }) => {
        const error = await failureOf(model.doGenerate(prompt));
        assert.equal(error.code, "too_large");
        assert.match(error.message, /did not finish/);
      });
    });

    for (const fault of ["mute", "silent", "endless"] as const) {
      test(`stops on request while the provider is ${fault}`, async () => {
        const abort = new AbortController();
        const script: Script = () => {
          setTimeout(() => abort.abort(), 20);
          return { fault };
        };
        const limits = { maxResponseBytes: 1e12 };
        await withModel({ script, provider, delivery, limits }, async ({ model }, { requests }) => {
          const call = model.doGenerate({ ...prompt, abortSignal: abort.signal });
          const error = await failureOf(call);
          assert.equal(error.code, "cancelled");
          assert.equal(requests.length, 1);
        });
      });
    }

    test("sends the key in its header and nowhere else", async () => {
      await withModel(
        { script: [{ text: "Yes." }], provider, delivery },
        async ({ model }, server) => {
          const answer = await model.doGenerate(prompt);
          const [request] = server.requests;
          assert(request);
          const carriers = Object.entries(request.headers).filter(([, value]) =>
            String(value).includes(key),
          );
          assert.equal(carriers.length, 1);
          assert(["x-api-key", "authorization", "x-goog-api-key"].includes(carriers[0]?.[0] ?? ""));
          assert(!`${request.path} ${request.text} ${JSON.stringify(answer)}`.includes(key));
          assert.equal(answer.request, undefined);
          assert.equal(answer.response?.headers, undefined);
        },
      );
    });

    test("removes the key from a response that repeats it", async () => {
      const toolCalls = [{ name: "read", input: { path: `the key ${key}` } }];
      const script = always({ text: `You sent ${key}, or ${btoa(`x:${key}`)}.`, toolCalls });
      await withModel({ script, provider, delivery }, async ({ model }) => {
        const { content } = await model.doGenerate(prompt);
        assert.match(JSON.stringify(content), /You sent \[redacted\], or .*the key \[redacted\]/);
        assert(!JSON.stringify(content).includes(key));
      });
    });

    for (const status of [400, 401, 429, 500, 529]) {
      test(`removes the key from the error of a careless server: ${status}`, async () => {
        const headers = { "request-id": key, "retry-after": "0" };
        const script = always({ status, echoesKey: true, headers });
        const limits = { maxAttempts: 2 };
        await withModel({ script, provider, delivery, limits }, async ({ model }) => {
          const error = await failureOf(model.doGenerate(prompt));
          assert.match(error.message, /redacted/);
        });
      });
    }
  });
}

// The tests run concurrently, because they wait for longer than a second answer takes.
describe("a silent provider is called again:", { concurrency: true }, () => {
  for (const { provider, delivery } of ways) {
    for (const fault of ["mute", "silent"] as const) {
      test(`${provider}, ${delivery}, ${fault}`, async () => {
        const limits = { idleTimeoutMs: 10_000 };
        await succeedsSecondly({
          script: [{ fault }, { text: "Done." }],
          provider,
          delivery,
          limits,
        });
      });
    }
  }
});

describe("attempts", () => {
  test("wait as long as the provider asks, in each form that it asks in", async () => {
    // Without the limit, the call would wait for an hour.
    const limits = { firstWaitMs: 3_600_000, maxWaitMs: 60_000 };
    const date = new Date(Date.now() - 1_000).toUTCString();
    const refusals = [
      { "retry-after": "0" },
      { "retry-after": "0.01" },
      { "retry-after-ms": "5" },
      { "retry-after": date },
    ].map((headers) => ({ status: 429, headers }));
    const script: Script = [...refusals, { text: "Done." }];
    await withModel({ script, provider: "openai", limits }, async ({ model }, { requests }) => {
      assert.equal(textOf((await model.doGenerate(prompt)).content), "Done.");
      assert.equal(requests.length, 5);
    });
  });

  test("are not made if the provider asks for a longer wait than is allowed", async () => {
    const script = always({ status: 429, headers: { "retry-after": "3600" } });
    await withModel({ script, provider: "anthropic" }, async ({ model }, { requests }) => {
      const error = await failureOf(model.doGenerate(prompt));
      assert.equal(error.code, "rate_limited");
      assert.equal(error.details["retryAfterSeconds"], 3600);
      assert.equal(requests.length, 1);
    });
  });

  test("are not waited for after a cancel", async () => {
    const abort = new AbortController();
    const script: Script = () => {
      setTimeout(() => abort.abort(), 20);
      return { status: 429, headers: { "retry-after": "60" } };
    };
    await withModel({ script, provider: "anthropic" }, async ({ model }, { requests }) => {
      const error = await failureOf(model.doGenerate({ ...prompt, abortSignal: abort.signal }));
      assert.equal(error.code, "cancelled");
      assert.equal(requests.length, 1);
    });
  });

  test("end with the reason that the caller gives", async () => {
    const reason = new OctavoError("gone", "The job was archived.");
    const abortSignal = AbortSignal.abort(reason);
    await withModel({ script: [], provider: "google" }, async ({ model }, { requests }) => {
      const error = await failureOf(model.doGenerate({ ...prompt, abortSignal }));
      assert.deepEqual([error.code, error.message], ["gone", "The job was archived."]);
      assert.equal(requests.length, 0);
    });
  });

  test("that failed count in the usage, as far as that is known", async () => {
    const usage = { inputTokens: 500, outputTokens: 30 };
    const answer = { text: "Half of this comes and no more.", usage };
    const cut: Fault = { fault: "cut", answer };
    const script: Script = [cut, { text: "Done.", usage: { inputTokens: 500, outputTokens: 2 } }];
    await withModel({ script, provider: "anthropic" }, async ({ model }) => {
      const { usage } = await model.doGenerate(prompt);
      assert.equal(usage.inputTokens.total, 1_000);
      assert.equal(usage.outputTokens.total, 3);
    });
    const limits = { maxAttempts: 2 };
    await withModel({ script: always(cut), provider: "google", limits }, async ({ model }) => {
      const error = await failureOf(model.doGenerate(prompt));
      assert.deepEqual(error.details["usage"], { inputTokens: 1_000, outputTokens: 60 });
    });
  });
});

test("a stream gives its parts, and its failure as one", async () => {
  const script: Script = [
    { status: 503, headers: { "retry-after": "0" } },
    { text: "One two three." },
    { fault: "cut" },
    { fault: "ended" },
  ];
  for (const [provider] of providers) {
    await withModel({ script, provider }, async ({ model }) => {
      const whole = await Array.fromAsync((await model.doStream(prompt)).stream);
      const texts = whole.flatMap((part) => (part.type === "text-delta" ? [part.delta] : []));
      assert.equal(texts.join(""), "One two three.");
      assert.equal(whole.at(-1)?.type, "finish");
      assert(whole.every(({ type }) => type !== "raw"));
      for (let failed = 0; failed < 2; failed++) {
        const broken = await Array.fromAsync((await model.doStream(prompt)).stream);
        const last = broken.at(-1);
        assert(last?.type === "error" && isOctavoError(last.error, "unavailable"), provider);
        assertNoKey(last.error);
      }
    });
  }
});

test("streamed arguments that are not JSON arrive as they are", async () => {
  const input = brokenJson('{"path": "a.mdx');
  for (const provider of ["anthropic", "openai", "compatible"] as const) {
    const script: Script = [{ toolCalls: [{ name: "read", input }] }];
    await withModel({ script, provider }, async ({ model }) => {
      assert.deepEqual(callsOf((await model.doGenerate(prompt)).content), [
        ["read", '{"path": "a.mdx'],
      ]);
    });
  }
});

test("no call asks for more tokens than the limit", async () => {
  const script = always({ text: "Yes." });
  const limits = { maxOutputTokens: 1_000 };
  const fields = { anthropic: "max_tokens", openai: "max_output_tokens", compatible: "max_tokens" };
  for (const [provider, field] of Object.entries(fields)) {
    const use = { script, provider: provider as ProviderName, limits };
    await withModel(use, async ({ model }, { requests }) => {
      await model.doGenerate(prompt);
      await model.doGenerate({ ...prompt, maxOutputTokens: 5_000 });
      await model.doGenerate({ ...prompt, maxOutputTokens: 50 });
      assert.deepEqual(
        requests.map(({ body }) => body[field]),
        [1_000, 1_000, 50],
      );
    });
  }
});

test("OpenAI keeps no conversation", async () => {
  await withModel({ script: always(yes), provider: "openai" }, async ({ model }, { requests }) => {
    await model.doGenerate(prompt);
    assert.equal(requests[0]?.body["store"], false);
  });
});

describe("what stays the same from call to call is read from the provider's cache:", () => {
  test("Anthropic is told where it ends: the system's prompt, the first message, and the last", async () => {
    const use: Use = { script: always(yes), provider: "anthropic" };
    await withModel(use, async ({ model }, { requests }) => {
      await model.doGenerate(prompt);
      const mark = { type: "ephemeral" };
      const text = { type: "text", cache_control: mark };
      const { cache_control: last, system, messages } = requests[0]?.body ?? {};
      assert.deepEqual(last, mark);
      assert.deepEqual(system, [{ ...text, text: "You keep the documentation." }]);
      assert.deepEqual(messages, [
        { role: "user", content: [{ ...text, text: "Mend the links." }] },
      ]);
    });
  });

  test("OpenAI is given a key that is the same for calls with the same system's prompt", async () => {
    const other: LanguageModelV4CallOptions["prompt"] = [{ role: "system", content: "Other." }];
    const longer = [...prompt.prompt, ...prompt.prompt.slice(1)];
    await withModel(
      { script: always(yes), provider: "openai" },
      async ({ model }, { requests }) => {
        for (const asked of [prompt.prompt, longer, [...other, ...prompt.prompt.slice(1)]]) {
          await model.doGenerate({ ...prompt, prompt: asked });
        }
        const keys = requests.map(({ body }) => String(body["prompt_cache_key"]));
        assert.match(keys[0] ?? "", /^octavo-[0-9a-f]{32}$/);
        assert.equal(keys[1], keys[0]);
        assert.notEqual(keys[2], keys[0]);
      },
    );
  });
});

describe("a model thinks as much as is set, in its provider's words:", () => {
  const effort = { others: "low", byModel: new Map() } as const;
  const asked: Readonly<Partial<Record<ProviderName, Readonly<Record<string, unknown>>>>> = {
    anthropic: { thinking: { type: "enabled", budget_tokens: 6_400 } },
    openai: { reasoning: { effort: "low" } },
    google: {
      generationConfig: { maxOutputTokens: 32_000, thinkingConfig: { thinkingBudget: 6_554 } },
    },
    compatible: { reasoning_effort: "low" },
  };
  for (const [provider] of providers) {
    test(provider, async () => {
      await withModel({ script: always(yes), provider, effort }, async ({ model }, server) => {
        await model.doGenerate(prompt);
        const fields = asked[provider] ?? {};
        const sent = server.requests[0]?.body ?? {};
        const found = Object.keys(fields).map((name) => [name, sent[name]]);
        assert.deepEqual(Object.fromEntries(found), fields);
      });
    });
    test(`${provider} chooses where nothing is set`, async () => {
      await withModel({ script: always(yes), provider }, async ({ model }, server) => {
        await model.doGenerate(prompt);
        assert.doesNotMatch(
          server.requests[0]?.text ?? "",
          /"(?:effort|reasoning|reasoning_effort|thinking|thinkingConfig)":/,
        );
      });
    });
  }
});
