import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { describe, test } from "node:test";
import { generateText, jsonSchema, tool } from "ai";
import type { ToolSet } from "ai";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { isOctavoError } from "@octavo/site/core";
import { parseAllowList } from "../core/index.ts";
import { listProviders, openModel } from "./open-model.ts";
import type { OpenModelOptions } from "./open-model.ts";
import { startModelServer } from "../../../../test/support/model-server.ts";

describe("openModel refuses, and says what to set:", () => {
  const secret = "sk-planted-4711";
  const cases: [name: string, options: OpenModelOptions, message: RegExp][] = [
    ["gpt-5", {}, /"gpt-5" is not a model name: use provider\/model/],
    ["mistral/large", {}, /no model provider "mistral"\..*openai\/\.\.\. \(OPENAI_API_KEY\)/],
    ["anthropic/claude", {}, /needs ANTHROPIC_API_KEY, which is not set/],
    ["openai/gpt-5", { keys: { openai: "" } }, /needs OPENAI_API_KEY/],
    ["google/gemini", { keys: { openai: secret } }, /GOOGLE_GENERATIVE_AI_API_KEY.*openai\/\.\.\./],
    ["compatible/x", {}, /needs OCTAVO_MODEL_URL/],
    ["builtin/oracle", {}, /no model builtin\/oracle/],
    ["builtin/toString", { builtin: {} }, /no model builtin\/toString/],
    ["openai/gpt-5", { keys: { openai: `${secret}\u00e9` } }, /OPENAI_API_KEY contains characters/],
    ["openai/gpt-5", { keys: { openai: `${secret}\nx-evil: 1` } }, /contains characters/],
    ["ollama/llama3", {}, /OCTAVO_ALLOW=127\.0\.0\.1:11434/],
    ["compatible/x", { baseUrls: { compatible: "http://models.example/v1" } }, /over http/],
    [
      "compatible/x",
      { baseUrls: { compatible: "https://10.0.0.8/v1" } },
      /OCTAVO_ALLOW=10\.0\.0\.8:443/,
    ],
    [
      "compatible/x",
      { baseUrls: { compatible: "https://[::1]:8443" } },
      /OCTAVO_ALLOW=\[::1\]:8443/,
    ],
    [
      "compatible/x",
      { baseUrls: { compatible: "https://localhost:8443" } },
      /OCTAVO_ALLOW=localhost:8443/,
    ],
    ["compatible/x", { baseUrls: { compatible: "file:///etc" } }, /must be an https address/],
    ["compatible/x", { baseUrls: { compatible: `https://u:${secret}@a.example` } }, /without user/],
    ["compatible/x", { baseUrls: { compatible: `https://a.example?k=${secret}` } }, /without user/],
  ];
  for (const [name, options, message] of cases) {
    test(`${name}: ${message.source}`, async () => {
      await assert.rejects(openModel(name, options), (error) => {
        assert(isOctavoError(error, "invalid_input"));
        assert.match(error.message, message);
        assert(
          !JSON.stringify(Object.entries(Object.getOwnPropertyDescriptors(error))).includes(secret),
        );
        return true;
      });
    });
  }
});

test("listProviders names the setting that is missing", () => {
  const listed = listProviders({ keys: { anthropic: "k" }, baseUrls: {} });
  assert.deepEqual(Object.fromEntries(listed.map((row) => [row.provider, row.missing])), {
    anthropic: undefined,
    openai: "OPENAI_API_KEY",
    google: "GOOGLE_GENERATIVE_AI_API_KEY",
    ollama: undefined,
    compatible: "OCTAVO_MODEL_URL",
  });
});

test("a built-in model is opened as it is", async () => {
  const model = { specificationVersion: "v4" } as LanguageModelV4;
  const opened = await openModel("builtin/echo", { builtin: { echo: () => model } });
  assert.equal(opened.id, "builtin/echo");
  assert.equal(opened.model, model);
});

test("a name that leads to a private address is refused when it connects", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  let connections = 0;
  server.on("connection", (socket) => {
    connections++;
    socket.destroy();
  });
  const { port } = server.address() as { port: number };
  const opened = await openModel("compatible/x", {
    baseUrls: { compatible: `https://models.example:${port}/v1` },
    limits: { maxAttempts: 1 },
    resolve: () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]),
  });
  const call = opened.model.doGenerate({ prompt: [] });
  await assert.rejects(
    async () => await call,
    /private or local address.*OCTAVO_ALLOW=models\.example/,
  );
  assert.equal(connections, 0);
  server.close();
});

test("an unreachable server is reported by the name of its setting, not by its address", async () => {
  // A port that was free a moment ago may now be in use, but nothing listens on port 1.
  const { model } = await openModel("ollama/llama3", {
    baseUrls: { ollama: "http://127.0.0.1:1/v1" },
    allow: parseAllowList("127.0.0.1"),
    limits: { firstWaitMs: 1, maxAttempts: 2 },
  });
  await assert.rejects(
    async () => await model.doGenerate({ prompt: [] }),
    (error) => {
      assert(isOctavoError(error, "unavailable"));
      assert.equal(
        error.message,
        "The connection to Ollama failed (ECONNREFUSED). Octavo tried 2 times.",
      );
      return true;
    },
  );
});

test("generateText runs a conversation with tools on it", async () => {
  const names = {
    anthropic: "anthropic/claude-sonnet-4-5",
    openai: "openai/gpt-5",
    google: "google/gemini-2.5-flash",
    ollama: "ollama/llama3",
  };
  for (const [provider, name] of Object.entries(names)) {
    await using server = await startModelServer([
      { text: "I read.", toolCalls: [{ name: "read", input: { path: "a.mdx" } }] },
      { text: "The page is fine." },
    ]);
    const opened = await openModel(name, {
      keys: { [provider]: "a-key" },
      baseUrls: { [provider]: `${server.url}/${provider === "google" ? "v1beta" : "v1"}` },
      allow: parseAllowList(`127.0.0.1:${server.port}`),
    });
    const tools: ToolSet = {
      read: tool({
        description: "Reads a file.",
        inputSchema: jsonSchema<{ path: string }>({
          type: "object",
          properties: { path: { type: "string" } },
          required: ["path"],
        }),
      }),
    };
    const first = await generateText({
      model: opened.model,
      instructions: "You keep the documentation.",
      prompt: "Look at a.mdx.",
      tools,
      maxRetries: 0,
    });
    const [call] = first.toolCalls;
    assert.deepEqual(call?.input, { path: "a.mdx" }, name);
    assert.equal(first.finishReason, "tool-calls");
    const second = await generateText({
      model: opened.model,
      instructions: "You keep the documentation.",
      messages: [
        { role: "user", content: "Look at a.mdx." },
        ...first.response.messages,
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              toolCallId: call?.toolCallId ?? "",
              toolName: "read",
              output: { type: "json", value: { text: "# Planted result" } },
            },
          ],
        },
      ],
      tools,
      maxRetries: 0,
    });
    assert.equal(second.text, "The page is fine.", name);
    assert.match(server.requests[1]?.text ?? "", /Planted result/, name);
  }
});
