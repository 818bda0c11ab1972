import assert from "node:assert/strict";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { sql } from "kysely";
import { putEmptyDatabase } from "../../../../../test/support/empty-database.ts";
import { isOctavoError } from "@octavo/site/core";
import type { Database } from "../database.ts";
import { openDatabase } from "../index.ts";

let dataDir: string;
let holder: Database;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "octavo-share-"));
  await putEmptyDatabase(dataDir);
  holder = await openDatabase({ dataDir });
  await holder.queue.executeSql("create table counts (n int primary key)");
});
after(async () => {
  await holder[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true });
});

const share = () => openDatabase({ dataDir, canShare: true });
const read = async ({ kysely }: Database) =>
  (await sql<{ n: number }>`select n from counts order by n`.execute(kysely)).rows.map(
    ({ n }) => n,
  );
const insert = (n: number) => sql`insert into counts values (${n})`;

test("a second service is refused, and a command works on the database of the first", async () => {
  await assert.rejects(openDatabase({ dataDir }), (error) => isOctavoError(error, "conflict"));
  await using shared = await share();
  await insert(1).execute(shared.kysely);
  assert.deepEqual(await read(holder), [1]);
  const { mode } = await stat(join(dataDir, "octavo.sock"));
  assert.equal(mode & 0o777, 0o600);
});

test("values keep their types, and errors their codes, on the way", async () => {
  await using shared = await share();
  const [at, bytes] = [new Date(1_700_000_000_123), new Uint8Array([0, 255, 7])];
  const long = "x".repeat(3_000_000);
  const { rows } = await sql<Record<string, unknown>>`
    select ${at}::timestamptz as at, ${bytes}::bytea as bytes, ${long} as long, null as nothing`.execute(
    shared.kysely,
  );
  assert.deepEqual(rows, [{ at, bytes, long, nothing: null }]);
  await insert(2).execute(shared.kysely);
  await assert.rejects(insert(2).execute(shared.kysely), { code: "23505" });
});

test("a transaction has the database for itself, from wherever it comes", async () => {
  await using shared = await share();
  const inside = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const transaction = shared.kysely.transaction().execute(async (handle) => {
    await insert(3).execute(handle);
    inside.resolve();
    await goOn.promise;
    await insert(4).execute(handle);
  });
  await inside.promise;
  const seen = read(holder);
  goOn.resolve();
  await transaction;
  assert.deepEqual((await seen).slice(-2), [3, 4]);
});

test("what a command leaves open when it ends is rolled back", async () => {
  const shared = await share();
  const inside = Promise.withResolvers<void>();
  const left = shared.kysely.transaction().execute(async (handle) => {
    await insert(5).execute(handle);
    inside.resolve();
    await new Promise<never>(() => undefined);
  });
  left.catch(() => undefined);
  await inside.promise;
  await shared[Symbol.asyncDispose]();
  assert.equal((await read(holder)).includes(5), false);
});

test("when the service ends, what commands ask fails", async () => {
  const dataOfOther = await mkdtemp(join(tmpdir(), "octavo-share-"));
  await putEmptyDatabase(dataOfOther);
  const other = await openDatabase({ dataDir: dataOfOther });
  await using shared = await openDatabase({ dataDir: dataOfOther, canShare: true });
  await shared.ping();
  await other[Symbol.asyncDispose]();
  await assert.rejects(shared.ping(), (error) => isOctavoError(error, "unavailable"));
  await rm(dataOfOther, { recursive: true });
});

test("a service with other tables is not worked on", async () => {
  await sql`insert into kysely_migration values ('9999-later', now()::text)`.execute(holder.kysely);
  try {
    await assert.rejects(share(), /The running service is a different version of Octavo/);
  } finally {
    await sql`delete from kysely_migration where name = '9999-later'`.execute(holder.kysely);
  }
});
