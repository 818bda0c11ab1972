import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewAuditEvent } from "../../projects/index.ts";
import { createRefusalRecorder } from "./sign-in-throttle.ts";

const minuteMs = 60_000;

function openRecorder() {
  const clock = { now: 0 };
  const events: NewAuditEvent[] = [];
  const record = createRefusalRecorder({
    audit: { record: async (_by, event) => void events.push(event) },
    findOperator: async () => "org_1",
    now: () => clock.now,
  });
  return { clock, events, record };
}

test("refused sign-ins are recorded, throttled ones once for an address and window", async () => {
  const { clock, events, record } = openRecorder();
  await record({ address: "192.0.2.1", reason: "wrong" });
  for (let count = 0; count < 5; count++) {
    await record({ address: "192.0.2.1", reason: "too many", isThrottled: true });
  }
  assert.deepEqual(
    events.map(({ details }) => details?.["reason"]),
    ["wrong", "too many"],
  );
  clock.now = 5 * minuteMs;
  await record({ address: "192.0.2.1", reason: "too many", isThrottled: true });
  assert.equal(events.length, 3);
});

test("a crowd of addresses fills no log: beyond twenty in a window one more event says so", async () => {
  const { clock, events, record } = openRecorder();
  const refuseMany = async () => {
    for (let count = 0; count < 1_000; count++) {
      await record({
        address: `2001:db8::${count}`,
        reason: "wrong",
        isThrottled: count % 2 === 0,
      });
    }
  };
  await refuseMany();
  assert.equal(events.length, 21);
  assert.match(String(events.at(-1)?.details?.["reason"]), /No more refusals are recorded/);
  clock.now = 5 * minuteMs;
  await refuseMany();
  assert.equal(events.length, 42);
});
