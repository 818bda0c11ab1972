import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isOctavoError } from "@octavo/site/core";
import { parseAllowList } from "../core/index.ts";
import { startModelServer } from "../../../../test/support/model-server.ts";
import type { Script, Turn } from "../../../../test/support/model-server.ts";
import { createModelTester, type TestModel } from "./model-tester.ts";
import type { ModelLimits } from "./model-limits.ts";
import type { OpenModelOptions } from "./open-model.ts";

const key = "planted4711+do/not=tell";
const wires = [
  ["anthropic", "claude-sonnet-4-5", "/v1", "ANTHROPIC_API_KEY"],
  ["openai", "gpt-5", "/v1", "OPENAI_API_KEY"],
  ["google", "gemini-2.5-flash", "/v1beta", "GOOGLE_GENERATIVE_AI_API_KEY"],
  ["compatible", "scripted", "/v1", "OCTAVO_MODEL_KEY"],
] as const;

/** Returns the message of the refusal; undefined if the model can be used. */
async function refusalOf(testModel: TestModel, name: string): Promise<string | undefined> {
  try {
    await testModel(name);
    return undefined;
  } catch (error) {
    assert(isOctavoError(error, "invalid_input"), String(error));
    assert(!error.message.includes(key), error.message);
    return error.message;
  }
}

for (const [provider, model, path, variable] of wires) {
  const name = `${provider}/${model}`;

  async function open(script: Script, limits: Partial<ModelLimits> = {}) {
    const server = await startModelServer(script);
    const options: OpenModelOptions = {
      keys: { [provider]: key },
      baseUrls: { [provider]: `${server.url}${path}` },
      allow: parseAllowList(`127.0.0.1:${server.port}`),
      effort: { others: "high", byModel: new Map() },
      limits,
    };
    return { server, options, testModel: createModelTester(options) };
  }

  async function refuse(turn: Turn, limits?: Partial<ModelLimits>) {
    const { server, testModel } = await open(() => turn, limits);
    await using _ = server;
    const refusal = await refusalOf(testModel, name);
    return { refusal, calls: server.requests.length };
  }

  describe(`a test of a model over the wire format of ${provider}`, () => {
    it("makes one short call, and none again within a minute", async () => {
      const { server, testModel } = await open([{ text: "OK" }]);
      await using _ = server;
      await Promise.all([testModel(name), testModel(name)]);
      await testModel(name);
      const [request] = server.requests;
      assert.equal(server.requests.length, 1);
      assert.match(request?.text ?? "", /"max\w*":\s*16\b/i);
      assert.doesNotMatch(request?.text ?? "", /high|budget/);
    });

    it("accepts a reply that is cut off, even without text", async () => {
      const cut: Turn = { text: "", stop: "length" };
      assert.deepEqual(await refuse(cut), { refusal: undefined, calls: 1 });
    });

    it("accepts a provider that asks to wait", async () => {
      assert.deepEqual(await refuse({ status: 429 }), { refusal: undefined, calls: 1 });
    });

    it("names the setting of a wrong key, and never the key", async () => {
      const { refusal, calls } = await refuse({ status: 401, echoesKey: true });
      assert.match(refusal ?? "", new RegExp(`does not allow this key .*; check ${variable} \\(`));
      assert.equal(calls, 1);
    });

    it("names a model that the server does not have", async () => {
      const { refusal } = await refuse({ status: 404 });
      assert.match(refusal ?? "", new RegExp(`has no model ${model}, or this key has no access`));
    });

    it("reports a server that fails or does not speak its format, without a second call", async () => {
      const failed = await refuse({ status: 500 });
      assert.match(failed.refusal ?? "", /is temporarily unavailable \(HTTP 500/);
      assert.equal(failed.calls, 1);
      const page = await refuse({ fault: "garbage" });
      assert.match(
        page.refusal ?? "",
        /did not send a valid API response \(status 200, "text\/html/,
      );
    });

    it("ends when a server does not answer", async () => {
      const { refusal } = await refuse({ fault: "mute" }, { timeoutMs: 50 });
      assert.match(refusal ?? "", /did not finish its reply within 0 seconds/);
    });

    it("reports a refused connection, and an address that is not allowed", async () => {
      const { server, options, testModel } = await open([]);
      await server[Symbol.asyncDispose]();
      assert.match((await refusalOf(testModel, name)) ?? "", /refused|could not be reached/i);
      const guarded = createModelTester({ ...options, allow: parseAllowList("") });
      assert.match((await refusalOf(guarded, name)) ?? "", /_URL is refused: .*OCTAVO_ALLOW/s);
    });
  });
}

describe("a test of a model", () => {
  it("only looks up a built-in model, and names what is missing", async () => {
    const testModel = createModelTester({ builtin: {} });
    assert.match((await refusalOf(testModel, "builtin/x")) ?? "", /There is no model builtin\/x/);
    const missing = await refusalOf(testModel, "openai/gpt-5");
    assert.match(missing ?? "", /needs OPENAI_API_KEY, which is not set/);
  });

  it("refuses more than eight at once", async () => {
    const blocked = Promise.withResolvers<void>();
    const resolve = () => blocked.promise.then(() => []);
    const baseUrls = { compatible: "https://models.example/v1" };
    const testModel = createModelTester({ baseUrls, resolve });
    const tests = Array.from({ length: 8 }, (_, at) => refusalOf(testModel, `compatible/m${at}`));
    await assert.rejects(testModel("compatible/m8"), { code: "rate_limited" });
    blocked.resolve();
    assert.equal((await Promise.all(tests)).filter((text) => text !== undefined).length, 8);
  });
});
