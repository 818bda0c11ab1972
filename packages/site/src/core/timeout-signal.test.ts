import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { queryObjects } from "node:v8";
import { createTimeoutSignal } from "./timeout-signal.ts";

const count = () => queryObjects(AbortSignal, { format: "count" });
const hour = 3_600_000;

describe("timeoutSignal", () => {
  it("is aborted by a TimeoutError", async () => {
    const signal = createTimeoutSignal(1);
    // It keeps no process running by itself.
    const running = setInterval(() => {}, 1_000);
    await once(signal, "abort");
    clearInterval(running);
    assert.equal((signal.reason as Error).name, "TimeoutError");
  });

  it("holds nothing that was made of it", async () => {
    const before = count();
    for (let request = 0; request < 100; request++) {
      const limited = AbortSignal.any([new AbortController().signal, createTimeoutSignal(hour)]);
      AbortSignal.any([limited, new AbortController().signal]);
    }
    // The targets of weak references live as long as the turn that created the references.
    await nextTurn();
    // The one of each timer stays, until it ends.
    assert.ok(count() - before <= 110, `${count() - before} signals are left of 500`);
  });
});
