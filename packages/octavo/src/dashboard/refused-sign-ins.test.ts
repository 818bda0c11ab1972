import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewAuditEvent } from "../projects/index.ts";
import { createRefusalRecorder } from "./routes/sign-in.ts";

const minuteMs = 60_000;

function openRecorder() {
  const clock = { now: 0 };
  const events: NewAuditEvent[] = [];
  const recorder = createRefusalRecorder({
    audit: { record: async (_by, event) => void events.push(event) },
    findOperator: async () => "org_1",
    onError: (error) => assert.ifError(error),
    now: () => clock.now,
  });
  const reasons = () => events.map(({ details }) => details?.["reason"]);
  return { clock, events, reasons, ...recorder };
}

test("refused sign-ins are recorded, throttled ones once for an address and window", async () => {
  const { clock, record, reasons, flush } = openRecorder();
  await record({ address: "192.0.2.1", reason: "wrong" });
  for (let count = 0; count < 5; count++) {
    await record({ address: "192.0.2.1", reason: "too many", isThrottled: true });
  }
  const rest = "Refused 4 more sign-ins from 1 address, which are not recorded individually.";
  assert.deepEqual(reasons(), ["wrong", "too many"]);
  clock.now = 5 * minuteMs;
  await record({ address: "192.0.2.1", reason: "too many", isThrottled: true });
  assert.deepEqual(reasons(), ["wrong", "too many", rest, "too many"]);
  await flush();
  assert.equal(reasons().length, 4);
});

test("ten refusals of an address have a record each, and one more has the number of the others", async () => {
  const { events, record, flush } = openRecorder();
  for (let count = 0; count < 300; count++) await record({ address: "192.0.2.1", reason: "wrong" });
  await record({ address: "192.0.2.2", reason: "wrong" });
  await flush();
  assert.equal(events.length, 12);
  const { refusals, addresses } = events.at(-1)?.details ?? {};
  assert.deepEqual([refusals, addresses], [290, 1]);
});

test("a crowd of addresses fills no log: fifty records in a window, and one with their number", async () => {
  const { clock, events, record } = openRecorder();
  const refuseMany = async () => {
    for (let count = 0; count < 1_000; count++) {
      const isThrottled = count % 2 === 0;
      await record({ address: `2001:db8::${count}`, reason: "wrong", isThrottled });
    }
  };
  await refuseMany();
  assert.equal(events.length, 50);
  clock.now = 5 * minuteMs;
  await refuseMany();
  assert.equal(events.length, 101);
  assert.deepEqual(events[50]?.details?.["refusals"], 950);
});
