import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultQuotas } from "../core/index.ts";
import { createOpenStreams } from "./event-streams.ts";

test("a stream that is opened while others' keys are checked stays open", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const asked = Promise.withResolvers<readonly string[]>();
  const answered = Promise.withResolvers<ReadonlySet<string>>();
  const keys = {
    findValid(ids: readonly string[]) {
      asked.resolve(ids);
      return answered.promise;
    },
  };
  const streams = createOpenStreams({ keys, quotas: defaultQuotas, onError: fail });
  const add = (keyId: string) => streams.add({ keyId, plan: "free" });
  const [first, revoked] = [add("first"), add("revoked")];
  t.mock.timers.tick(500);
  assert.deepEqual(await asked.promise, ["first", "revoked"]);
  const later = add("later");
  const ended = new Promise((resolve) => {
    revoked.signal.addEventListener("abort", resolve);
  });
  answered.resolve(new Set(["first"]));
  await ended;
  assert.deepEqual([first.signal.aborted, later.signal.aborted], [false, false]);
  streams.closeAll();
});

function fail(error: unknown): void {
  assert.fail(String(error));
}
