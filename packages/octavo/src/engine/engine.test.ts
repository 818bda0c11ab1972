import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { putEmptyDatabase } from "../../../../test/support/empty-database.ts";
import { isOctavoError } from "@octavo/site/core";
import { EngineError, openEngine } from "./engine.ts";
import type { Engine } from "./engine.ts";

let folder: string;
let engine: Engine;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "octavo-engine-"));
  engine = await openEngine({
    folder: join(folder, "database"),
    onNotification: () => undefined,
    onCrash: (error) => assert.fail(error),
    idleTransactionTimeoutMs: 50,
  });
  await engine.runScript("CREATE TABLE t (v int); INSERT INTO t VALUES (0)");
});
after(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});

test("statements and transactions run in the order of their calls", async () => {
  const order: string[] = [];
  const note = (name: string) => () => void order.push(name);
  const begun = engine.begin("BEGIN");
  const before = engine.query("SELECT v FROM t", []).then(note("statement"));
  const next = engine.begin("BEGIN").then((session) => {
    order.push("second");
    return session;
  });
  const last = engine.query("SELECT v FROM t", []).then(note("last"));
  const first = await begun;
  await first.query("UPDATE t SET v = v + 1", []);
  order.push("first");
  await first.query("COMMIT", []);
  first.end();
  await before;
  const second = await next;
  await second.query("ROLLBACK", []);
  second.end();
  await last;
  assert.deepEqual(order, ["first", "statement", "second", "last"]);
});

test("a transaction that waits for a statement outside it is rolled back", async () => {
  const session = await engine.begin("BEGIN");
  await session.query("UPDATE t SET v = 100", []);
  const { rows } = await engine.query("SELECT v FROM t", []);
  assert.notEqual(rows[0]?.["v"], 100);
  await assert.rejects(session.query("COMMIT", []), (error) => isOctavoError(error, "internal"));
  session.end();
  assert.equal((await engine.query("SELECT 1 AS one", [])).rows.length, 1);
});

test("an error keeps PostgreSQL's details", async () => {
  await assert.rejects(engine.query("SELECT v FROM absent", []), (error) => {
    return error instanceof EngineError && error.code === "42P01" && /absent/.test(error.message);
  });
});

test("the log does not grow for as long as the engine runs", async () => {
  for (let segment = 0; segment < 12; segment += 1) {
    await engine.runScript("UPDATE t SET v = v; SELECT pg_switch_wal()");
  }
  const { rows } = await engine.query("SELECT count(*)::int AS segments FROM pg_ls_waldir()", []);
  assert.ok(Number(rows[0]?.["segments"]) < 10, JSON.stringify(rows));
});

test("a closed engine refuses statements, and closing it again does nothing", async () => {
  const dataDir = join(folder, "other");
  await putEmptyDatabase(dataDir);
  const other = await openEngine({
    folder: join(dataDir, "database"),
    onNotification: () => undefined,
    onCrash: (error) => assert.fail(error),
  });
  const asked = other.query("SELECT 1 AS one", []);
  await other.close();
  assert.deepEqual((await asked).rows, [{ one: 1 }]);
  await assert.rejects(other.query("SELECT 1", []), (error) => isOctavoError(error, "unavailable"));
  await other.close();
});
