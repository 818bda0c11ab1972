import assert from "node:assert/strict";
import { test } from "node:test";
import { computeNextDelayMs, retryDelaysMs } from "./worker.ts";

const hourMs = 60 * 60 * 1000;
const now = Date.UTC(2026, 10, 20, 8, 0, 0);

test("a message is retried for about a day, at increasing intervals", () => {
  const sum = retryDelaysMs.reduce((total, delay) => total + delay, 0);
  assert.ok(sum > 24 * hourMs && sum < 30 * hourMs);
  let before = 0;
  for (const [index, delay] of retryDelaysMs.entries()) {
    const next = computeNextDelayMs({ attempts: index + 1, now, delaysMs: retryDelaysMs });
    assert.ok(next !== undefined && next >= delay * 0.8 && next <= delay * 1.2);
    assert.ok(delay > before);
    before = delay;
  }
  const attempts = retryDelaysMs.length + 1;
  assert.equal(
    computeNextDelayMs({ attempts, retryAfter: "1", now, delaysMs: retryDelaysMs }),
    undefined,
  );
});

const asked: [retryAfter: string | null, delayMs: number][] = [
  ["3600", hourMs],
  ["Fri, 20 Nov 2026 10:00:00 GMT", 2 * hourMs],
  ["999999999", 6 * hourMs],
  ["Fri, 20 Nov 2099 10:00:00 GMT", 6 * hourMs],
  ["0", 0],
  ["-1", 0],
  ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
  ["later", 0],
  ["1e9", 0],
  ["", 0],
  [null, 0],
];
for (const [retryAfter, delayMs] of asked) {
  test(`Retry-After: ${retryAfter} asks for ${delayMs} ms`, () => {
    assert.equal(computeNextDelayMs({ attempts: 1, retryAfter, now, delaysMs: [0] }), delayMs);
  });
}
