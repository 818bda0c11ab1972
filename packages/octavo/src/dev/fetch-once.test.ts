import assert from "node:assert/strict";
import { test } from "node:test";
import { cacheResponses } from "./index.ts";

test("an address is asked until it answers, and then no more", async () => {
  const asked: string[] = [];
  const fetchRemote = cacheResponses((url) => {
    asked.push(url);
    if (asked.length === 1) return Promise.reject(new Error("not yet"));
    return Promise.resolve({ bytes: new TextEncoder().encode(url), mediaType: undefined });
  });
  const ask = async (url: string) =>
    new TextDecoder().decode((await fetchRemote(url, { maxBytes: 10 })).bytes);
  await assert.rejects(ask("a"), /not yet/);
  assert.deepEqual([await ask("a"), await ask("a"), await ask("b")], ["a", "a", "b"]);
  assert.deepEqual(asked, ["a", "a", "b"]);
});
