import assert from "node:assert/strict";
import { test } from "node:test";
import { OctavoError } from "@octavo/site/core";
import { handleFailure } from "./failure.ts";

interface Case {
  readonly error: unknown;
  readonly strikes?: number;
  readonly isStopping?: boolean;
  /** What the job fails with; where there is none, the queue is to run it again. */
  readonly says?: RegExp;
}

const lasting = new OctavoError("site_invalid", "No pages.");
const passing = new OctavoError("unavailable", "Later.");
const fault = new Error("/etc/x");

const cases: [name: string, given: Case][] = [
  ["a code that lasts", { error: lasting, says: /^No pages\.$/ }],
  ["a code that may pass", { error: passing }],
  ["a code that may pass, three times", { error: passing, strikes: 3, says: /^Later\.$/ }],
  ["a fault", { error: fault }],
  ["a fault, three times", { error: fault, strikes: 3, says: /^The export failed.*log.*se_x/ }],
  ["a worker that stops", { error: lasting, isStopping: true }],
];
for (const [name, { error, strikes = 1, isStopping = false, says }] of cases) {
  test(`${name} ${says ? "fails the job with a message" : "makes the queue run the job again"}`, async () => {
    const done: string[] = [];
    const never = new AbortController().signal;
    const answering = handleFailure({
      claim: {
        job: { id: "se_x", attempt: strikes, strikes },
        lost: never,
        release: async () => void done.push("given back"),
      },
      name: "export",
      error,
      signals: { stopping: isStopping ? AbortSignal.abort() : never, lost: never },
      log: { warn() {} },
      retryMs: 1,
      fail: async (sentence) => void done.push(sentence),
    });
    if (says) {
      await answering;
      assert.equal(done.length, 1);
      assert.match(done[0] ?? "", says);
      return;
    }
    await assert.rejects(answering, isStopping ? /released/ : (thrown) => thrown === error);
    assert.deepEqual(done, isStopping ? ["given back"] : []);
  });
}
