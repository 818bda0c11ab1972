import assert from "node:assert/strict";
import { test } from "node:test";
import { isConnectionFault, isDriverFault, toDatabaseError } from "./faults.ts";

const faults: [error: unknown, expected: boolean][] = [
  [Object.assign(new Error("connect"), { code: "ECONNREFUSED" }), true],
  [Object.assign(new Error("shutdown"), { code: "57P01" }), true],
  [Object.assign(new Error("too many connections"), { code: "53300" }), true],
  [new Error("Connection terminated unexpectedly"), true],
  [new Error("timeout exceeded when trying to connect"), true],
  [new Error("timeout expired"), true],
  [Object.assign(new Error("duplicate key"), { code: "23505" }), false],
  [Object.assign(new Error("syntax"), { code: "42601" }), false],
  [new TypeError("x is not a function"), false],
  ["Connection terminated", false],
];
for (const [error, expected] of faults) {
  test(`${String(error)} is ${expected ? "a fault of the database" : "an error of its own"}`, () => {
    assert.equal(isDriverFault(error), expected);
    const translated = toDatabaseError(error);
    assert.equal(isConnectionFault(translated), expected);
    assert.equal(isConnectionFault(new Error("Wrapped.", { cause: translated })), expected);
    if (!expected) assert.equal(translated, error);
  });
}
