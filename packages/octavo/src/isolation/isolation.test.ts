import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it } from "node:test";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import type { ErrorCode } from "@octavo/site/core";
import { openIsolation } from "./isolation.ts";

const isolation = openIsolation({
  program: new URL("program.test-support.ts", import.meta.url),
  limits: { bytes: 400 * 1024 * 1024, blockedMs: 1_000 },
});

async function codeOf(work: Promise<unknown>): Promise<ErrorCode | undefined> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return isOctavoError(error) ? error.code : undefined;
}

const ask = (question: string) => Promise.resolve(`an answer to ${question}`);

describe("work in a process of its own", { concurrency: 3 }, () => {
  it("gets and gives values as they are", async () => {
    const value = {
      text: "a",
      bytes: new Uint8Array([1, 2]),
      days: new Map([["a.md", "2026-11-20"]]),
      files: new Set(["a"]),
      none: undefined,
      pattern: /a/,
      list: [1, [null]],
    };
    assert.deepEqual(await isolation.run("echo", [value]), value);
  });

  it("takes nothing that an author wrote for a function", async () => {
    const part = { path: ["value"], kind: "function", id: 1 };
    const value = { ...part, value: part, parts: [part] };
    assert.deepEqual(await isolation.run("echo", [value]), value);
  });

  it("calls back", async () => {
    assert.equal(await isolation.run("ask", [{ ask }]), "an answer to a question");
  });

  it("fails with the error of the operation", async () => {
    await assert.rejects(isolation.run("fail", []), (error) => {
      assert.ok(isOctavoError(error, "site_invalid"));
      assert.equal(error.message, "No pages.");
      assert.deepEqual(error.details, { pages: 0 });
      assert.equal((error.cause as NodeJS.ErrnoException).code, "ENOSPC");
      return true;
    });
  });

  it("listens to no signal when it has ended", async () => {
    const { signal } = new AbortController();
    await isolation.run("echo", [{ signal }], signal);
    assert.deepEqual(getEventListeners(signal, "abort"), []);
  });

  it("gives errors that are values", async () => {
    const { error } = (await isolation.run("failure", [])) as { error: unknown };
    assert.ok(isOctavoError(error, "too_large"));
  });

  it("gives an error of this process back as it was", async () => {
    class DatabaseFault extends Error {}
    const fault = new DatabaseFault("The connection was lost.");
    const fail = () => Promise.reject(fault);
    await assert.rejects(isolation.run("passOn", [{ fail }]), (error) => error === fault);
  });

  it("ends with its signal", async () => {
    const controller = new AbortController();
    const run = isolation.run("untilAborted", [controller.signal], controller.signal);
    controller.abort(new OctavoError("cancelled", "Cancelled."));
    assert.equal(await codeOf(run), "cancelled");
  });

  it("is ended when it computes without an end", async () => {
    assert.equal(await codeOf(isolation.run("compute", [])), "too_large");
  });

  it("is ended when it takes too much memory", async () => {
    assert.equal(await codeOf(isolation.run("fill", [])), "too_large");
    assert.equal(await codeOf(isolation.run("fillHeap", [])), "too_large");
  });

  it("may crash without harm", async () => {
    assert.equal(await codeOf(isolation.run("crash", [])), "internal");
  });

  it("knows nothing of the environment", async () => {
    const environment = (await isolation.run("environment", [])) as object;
    assert.deepEqual(Object.keys(environment), ["TMPDIR"]);
  });

  it("is another process each time, which is gone afterwards", async () => {
    const ids = await Promise.all([isolation.run("id", []), isolation.run("id", [])]);
    assert.notEqual(ids[0], ids[1]);
    for (const id of ids as number[]) {
      assert.throws(() => process.kill(id, 0), { code: "ESRCH" });
    }
  });
});
