import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isModelName } from "./models.ts";

describe("isModelName", () => {
  const names = [
    "builtin/recipes",
    "anthropic/claude-sonnet-4-5",
    "ollama/llama3.1:8b-instruct",
    "compatible/meta-llama/Llama-3.3-70B",
    "openai/ft:gpt-4o:team::a1",
  ];
  for (const name of names) test(`takes ${name}`, () => assert.equal(isModelName(name), true));
  const others = [
    "",
    "gpt-5",
    "openai/",
    "/gpt-5",
    "OpenAI/gpt-5",
    "google/../../v1/files",
    "google/a/../b",
    "google/gemini?key=1",
    "google/gemini#x",
    "google/a//b",
    "openai/gpt 5",
    "openai/gpt\n",
    "openai/%2e%2e",
    `openai/${"x".repeat(200)}`,
  ];
  for (const name of others) {
    test(`refuses ${JSON.stringify(name.slice(0, 30))}`, () => {
      assert.equal(isModelName(name), false);
    });
  }

  test("takes linear time for a hostile name", () => {
    assert.equal(isModelName(`compatible/${"a/".repeat(50_000)}`), false);
  });
});
