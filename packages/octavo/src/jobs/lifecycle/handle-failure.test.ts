import assert from "node:assert/strict";
import { test } from "node:test";
import { OctavoError } from "@octavo/site/core";
import { handleFailure, computeNextWait } from "./handle-failure.ts";

interface Case {
  readonly error: unknown;
  readonly strikes?: number;
  readonly waits?: number;
  readonly waitingSince?: Date;
  readonly isStopping?: boolean;
  /** The outcome for the job. */
  readonly outcome: RegExp;
}

const lasting = new OctavoError("site_invalid", "No pages.");
const passing = new OctavoError("unavailable", "Later.");
const limited = new OctavoError("rate_limited", "Too many.", {
  details: { retryAfterSeconds: 90 },
});
const ofModel = new OctavoError("unavailable", "No answer.", { details: { isOfModel: true } });
const silent = new OctavoError("repository_unreachable", "No answer there.", {
  details: { silent: "https://git.example.com/known.git" },
});
const misspelt = new OctavoError("repository_unreachable", "No answer there.", {
  details: { silent: "https://git.example.com/knwon.git" },
});
const short = new OctavoError("unavailable", "No space.", { details: { isOfNode: true } });
const fault = new Error("/etc/x");
const full = new Error("Wrapped.", {
  cause: Object.assign(new Error("write"), { code: "ENOSPC" }),
});
const twoDaysAgo = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000);

const cases: [name: string, given: Case][] = [
  ["a code that lasts", { error: lasting, outcome: /^failed: No pages\.$/ }],
  ["something that is away", { error: passing, outcome: /^waits 5 s: Later\.$/ }],
  [
    "something that is away, again and again",
    { error: passing, strikes: 3, outcome: /^waits 5 s/ },
  ],
  ["something that says for how long", { error: limited, outcome: /^waits 90 s: Too many\.$/ }],
  [
    "something that was away for a day",
    { error: passing, waitingSince: twoDaysAgo, outcome: /^failed: Later\. .*waited for a day/ },
  ],
  ["a full disk", { error: full, outcome: /^waits 5 s: The disk .* is full\.$/ }],
  ["something that is away, the third time", { error: passing, waits: 2, outcome: /^waits 20 s/ }],
  ["full disks of three nodes", { error: full, waits: 2, outcome: /^waits 5 s/ }],
  ["too little space on three nodes", { error: short, waits: 2, outcome: /^waits 5 s/ }],
  [
    "silence of a repository that was read before",
    { error: silent, strikes: 3, outcome: /^waits 5 s: No answer there\.$/ },
  ],
  ["silence of another", { error: misspelt, outcome: /^failed: No answer there\.$/ }],
  ["a model", { error: ofModel, outcome: /^runs again$/ }],
  ["a model, three times", { error: ofModel, strikes: 3, outcome: /^failed: No answer\.$/ }],
  ["an error", { error: fault, outcome: /^runs again$/ }],
  [
    "an error, three times",
    { error: fault, strikes: 3, outcome: /^failed: The export failed.*log.*se_x/ },
  ],
  ["a worker that stops", { error: lasting, isStopping: true, outcome: /^released, runs again$/ }],
];
for (const [
  name,
  { error, strikes = 1, waits = 0, waitingSince = null, isStopping = false, outcome },
] of cases) {
  test(`after ${name} the job: ${outcome.source.replaceAll(/[\^$\\]/g, "")}`, async () => {
    const done: string[] = [];
    const never = new AbortController().signal;
    await handleFailure({
      claim: {
        job: { id: "se_x", attempt: strikes, strikes, waits, waiting_since: waitingSince },
        lostSignal: never,
        release: async () => void done.push("released"),
        isKnownRepository: async (address) => address.endsWith("/known.git"),
        wait: async (reason, seconds) => void done.push(`waits ${seconds} s: ${reason}`),
      },
      name: "export",
      error,
      signals: { stoppingSignal: isStopping ? AbortSignal.abort() : never, lostSignal: never },
      log: { warn() {} },
      retryMs: 1,
      fail: async (sentence) => void done.push(`failed: ${sentence}`),
    }).catch((thrown: unknown) => {
      if (!isStopping) assert.equal(thrown, error);
      done.push("runs again");
    });
    assert.match(done.join(", "), outcome);
  });
}

test("a job waits longer each time, up to a minute", () => {
  const waits = [0, 1, 2, 3, 4, 1_000].map((count) =>
    computeNextWait({ waits: count, waiting_since: new Date() }),
  );
  assert.deepEqual(waits, [5, 10, 20, 40, 60, 60]);
});
