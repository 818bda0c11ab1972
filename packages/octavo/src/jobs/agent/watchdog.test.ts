import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import { runWithWatchdog } from "./watchdog.ts";
import type { Watchdog } from "./watchdog.ts";

const long = 1_000_000;
const unaborted = new AbortController().signal;
const never = () => new Promise<never>(() => {});

/** Ends as git does, with its own message. */
async function listening({ signal }: Watchdog): Promise<never> {
  await sleep(long, undefined, { signal }).catch(() => undefined);
  throw new OctavoError("cancelled", "Cancelled while working with the repository.");
}

test("work that ends in time keeps its result or its error", async () => {
  const options = { timeoutMs: long, stallTimeoutMs: long, signal: unaborted };
  assert.equal(await runWithWatchdog(options, () => Promise.resolve(1)), 1);
  const error = new Error("its own");
  await assert.rejects(
    runWithWatchdog(options, () => Promise.reject(error)),
    error,
  );
});

test("work that makes no progress fails, and the error names its last activity", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const options = { timeoutMs: 40 * 60_000, stallTimeoutMs: 20 * 60_000, signal: unaborted };
  for (const rest of [never, listening]) {
    const work = runWithWatchdog(options, (watch) => {
      watch.step("waited for the model");
      return rest(watch);
    });
    const ended = assert.rejects(work, (error) => {
      const words = /no progress for 20 minutes while it waited for the model\. Send/;
      return isOctavoError(error, "too_large") && words.test(error.message);
    });
    t.mock.timers.tick(20 * 60_000);
    t.mock.timers.tick(5_000);
    await ended;
  }
});

test("each step restarts the stall time, up to the total time", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let watch: Watchdog | undefined;
  const options = { timeoutMs: 40 * 60_000, stallTimeoutMs: 20 * 60_000, signal: unaborted };
  const work = runWithWatchdog(options, (given) => {
    watch = given;
    return never();
  });
  const ended = assert.rejects(work, /not finish within 40 minutes\. It last checked/);
  for (let minutes = 0; minutes < 40; minutes += 10) {
    assert.equal(watch?.signal.aborted, false);
    watch.step("checked the site");
    t.mock.timers.tick(10 * 60_000);
  }
  t.mock.timers.tick(5_000);
  await ended;
});

test("cancelled work that ignores the signal delays nobody", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const controller = new AbortController();
  const reason = new Error("lost");
  const options = { timeoutMs: long, stallTimeoutMs: long, signal: controller.signal };
  const ended = assert.rejects(runWithWatchdog(options, never), reason);
  controller.abort(reason);
  t.mock.timers.tick(5_000);
  await ended;
});
