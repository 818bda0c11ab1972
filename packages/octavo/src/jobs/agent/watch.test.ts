import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import { watched } from "./watch.ts";
import type { Watch } from "./watch.ts";

const long = 1_000_000;
const unaborted = new AbortController().signal;
const never = () => new Promise<never>(() => {});

/** Ends as git does: with a word of its own. */
async function listening({ signal }: Watch): Promise<never> {
  await sleep(long, undefined, { signal }).catch(() => undefined);
  throw new OctavoError("cancelled", "Cancelled while working with the repository.");
}

test("work that ends in time is left alone, and so is what it fails of", async () => {
  const options = { mostMs: long, stallMs: long, signal: unaborted };
  assert.equal(await watched(options, () => Promise.resolve(1)), 1);
  const error = new Error("its own");
  await assert.rejects(
    watched(options, () => Promise.reject(error)),
    error,
  );
});

test("work that gets no further is ended with what it was at", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const options = { mostMs: 40 * 60_000, stallMs: 20 * 60_000, signal: unaborted };
  for (const rest of [never, listening]) {
    const work = watched(options, (watch) => {
      watch.step("waited for the model");
      return rest(watch);
    });
    const ended = assert.rejects(work, (error) => {
      const words = /no further for 20 minutes while it waited for the model\. Send/;
      return isOctavoError(error, "too_large") && words.test(error.message);
    });
    t.mock.timers.tick(20 * 60_000);
    t.mock.timers.tick(5_000);
    await ended;
  }
});

test("each step gives it the time again, up to all that it may take", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let watch: Watch | undefined;
  const options = { mostMs: 40 * 60_000, stallMs: 20 * 60_000, signal: unaborted };
  const work = watched(options, (given) => {
    watch = given;
    return never();
  });
  const ended = assert.rejects(work, /not come to its end within 40 minutes; last it looked/);
  for (let minutes = 0; minutes < 40; minutes += 10) {
    assert.equal(watch?.signal.aborted, false);
    watch.step("looked at the site");
    t.mock.timers.tick(10 * 60_000);
  }
  t.mock.timers.tick(5_000);
  await ended;
});

test("work that is cancelled and does not listen holds nobody up", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const controller = new AbortController();
  const reason = new Error("lost");
  const options = { mostMs: long, stallMs: long, signal: controller.signal };
  const ended = assert.rejects(watched(options, never), reason);
  controller.abort(reason);
  t.mock.timers.tick(5_000);
  await ended;
});
