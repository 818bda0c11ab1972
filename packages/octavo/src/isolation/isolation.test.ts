import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import type { ErrorCode } from "@octavo/site/core";
import { openConnection } from "./connection.ts";
import type { Message } from "./connection.ts";
import { openIsolation } from "./isolation.ts";
import type { Isolation } from "./isolation.ts";
import type { TestOperations } from "./program.test-support.ts";

const program = new URL("program.test-support.ts", import.meta.url);
const limits = { bytes: 400 * 1024 * 1024, blockedMs: 1_000 };
const isLinux = process.platform === "linux";
const isolation = openIsolation<TestOperations>({ program, limits });

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
      address: new URL("https://docs.example/a"),
      list: [1, [null]],
    };
    assert.deepEqual(await isolation.run((tasks) => tasks.echo(value)), value);
  });

  it("takes nothing that an author wrote for a function", async () => {
    const part = { path: ["value"], kind: "function", id: 1 };
    const value = { ...part, value: part, parts: [part] };
    assert.deepEqual(await isolation.run((tasks) => tasks.echo(value)), value);
  });

  it("calls back", async () => {
    assert.equal(await isolation.run((tasks) => tasks.ask({ ask })), "an answer to a question");
  });

  it("fails with the error of the operation", async () => {
    await assert.rejects(
      isolation.run((tasks) => tasks.fail()),
      (error) => {
        assert.ok(isOctavoError(error, "site_invalid"));
        assert.equal(error.message, "No pages.");
        assert.deepEqual(error.details, { pages: 0 });
        assert.equal((error.cause as NodeJS.ErrnoException).code, "ENOSPC");
        return true;
      },
    );
  });

  it("listens to no signal when it has ended", async () => {
    const { signal } = new AbortController();
    await isolation.run((tasks) => tasks.echo({ signal }), { signal });
    assert.deepEqual(getEventListeners(signal, "abort"), []);
  });

  it("gives errors that are values", async () => {
    const { error } = await isolation.run((tasks) => tasks.failure());
    assert.ok(isOctavoError(error, "too_large"));
  });

  it("gives an error of this process back as it was", async () => {
    class DatabaseFault extends Error {}
    const fault = new DatabaseFault("The connection was lost.");
    const fail = () => Promise.reject(fault);
    await assert.rejects(
      isolation.run((tasks) => tasks.passOn({ fail })),
      (error) => error === fault,
    );
  });

  it("ends with its signal", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const run = isolation.run((tasks) => tasks.untilAborted(signal), { signal });
    controller.abort(new OctavoError("cancelled", "Cancelled."));
    assert.equal(await codeOf(run), "cancelled");
  });

  it("is ended when it computes without an end", async () => {
    assert.equal(await codeOf(isolation.run((tasks) => tasks.compute())), "too_large");
  });

  it("is ended when it takes too much memory", async () => {
    assert.equal(await codeOf(isolation.run((tasks) => tasks.fill())), "too_large");
    assert.equal(await codeOf(isolation.run((tasks) => tasks.fillHeap())), "too_large");
  });

  it("may crash without harm", async () => {
    assert.equal(await codeOf(isolation.run((tasks) => tasks.crash())), "internal");
  });

  it("knows nothing of the environment", async () => {
    const environment = await isolation.run((tasks) => tasks.environment());
    assert.deepEqual(Object.keys(environment), ["TMPDIR"]);
  });

  it("is another process each time, which is gone afterwards", async () => {
    const ids = await Promise.all([
      isolation.run((tasks) => tasks.id()),
      isolation.run((tasks) => tasks.id()),
    ]);
    assert.notEqual(ids[0], ids[1]);
    for (const id of ids) assert.equal(isRunning(id), false);
  });
});

it("does nothing that is not among the operations", async () => {
  const sent: Message[] = [];
  const connection = openConnection((message) => sent.push(message), { id: () => 1 });
  for (const target of ["id", "constructor", "toString"]) {
    connection.receive({ type: "call", call: 1, target, args: { value: [], parts: [] } });
    await wait(0);
  }
  assert.deepEqual(
    sent.map(({ type }) => type),
    ["result", "failure", "failure"],
  );
});

describe("work of an owner", { concurrency: 3 }, () => {
  it("is done by the process that did the last of it, and by no other owner's", async () => {
    await using owned = open();
    const first = await idOf(owned, "a");
    const other = await idOf(owned, "b");
    const none = await idOf(owned);
    assert.equal(new Set([first, other, none]).size, 3);
    assert.deepEqual([await idOf(owned, "a"), await idOf(owned, "b")], [first, other]);
  });

  it("is done by two processes at the same time", async () => {
    await using owned = open();
    const ids = await Promise.all([idOf(owned, "a"), idOf(owned, "a")]);
    assert.notEqual(ids[0], ids[1]);
  });

  it("goes on with calls back, signals and errors", async () => {
    await using owned = open();
    const { signal } = new AbortController();
    for (let call = 1; call <= 3; call++) {
      const options = { signal, owner: "a" };
      assert.equal(
        await owned.run((tasks) => tasks.ask({ ask, signal }), options),
        "an answer to a question",
      );
      await assert.rejects(
        owned.run((tasks) => tasks.fail(), options),
        { message: "No pages." },
      );
    }
    assert.deepEqual(getEventListeners(signal, "abort"), []);
  });

  it("is not done by a process that was stopped", async () => {
    await using owned = open();
    const first = await idOf(owned, "a");
    const controller = new AbortController();
    const { signal } = controller;
    const run = owned.run((tasks) => tasks.untilAborted(signal), { signal, owner: "a" });
    controller.abort(new OctavoError("cancelled", "Cancelled."));
    assert.equal(await codeOf(run), "cancelled");
    assert.equal(isRunning(first), false);
    assert.equal(await codeOf(owned.run((tasks) => tasks.crash(), { owner: "a" })), "internal");
    assert.notEqual(await idOf(owned, "a"), first);
  });

  it("is not done by a process that has grown", { skip: !isLinux }, async () => {
    await using owned = openIsolation<TestOperations>({ program });
    const first = await idOf(owned, "a");
    assert.equal(await owned.run((tasks) => tasks.keep(500 * 1024 * 1024), { owner: "a" }), first);
    assert.equal(isRunning(first), false);
  });

  it("leaves no process that waits in vain, nor one of many", async () => {
    await using brief = open(1);
    await untilGone(await idOf(brief, "a"));
    await using owned = open();
    const first = await idOf(owned, "a");
    const others = [await idOf(owned, "b"), await idOf(owned, "c")];
    await untilGone(first);
    assert.deepEqual(others.map(isRunning), [true, true]);
    await owned[Symbol.asyncDispose]();
    assert.deepEqual(others.map(isRunning), [false, false]);
  });
});

function open(idleTimeoutMs = 600_000): Isolation<TestOperations> & AsyncDisposable {
  return openIsolation<TestOperations>({ program, limits, idleTimeoutMs });
}

async function idOf(owned: Isolation<TestOperations>, owner?: string): Promise<number> {
  return await owned.run((tasks) => tasks.id(), { owner });
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

async function untilGone(id: number): Promise<void> {
  while (isRunning(id)) await wait(20);
}
