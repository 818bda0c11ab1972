import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import type { ApiClient } from "../../../../test/support/api-client.ts";
import { openApi } from "../../../../test/support/running-api.ts";
import type { RunningApi, TestOrganization } from "../../../../test/support/running-api.ts";
import { removeExpired } from "../jobs/index.ts";
import type { StaticExportJob } from "../jobs/index.ts";

let api: RunningApi;
let acme: TestOrganization;
let domain: string;
before(async () => {
  api = await openApi();
  acme = await api.openOrganization();
  domain = (await acme.addProject()).domain;
});
after(() => api[Symbol.asyncDispose]());

const path = "/v1/static-export/jobs";
let keys = 0;
function newKey(): string {
  keys += 1;
  return `key-${keys}`;
}

function start(key: string, body: object = { domain }, client: ApiClient = acme.client) {
  return client.call<StaticExportJob & { error?: string }>("POST", path, {
    body,
    headers: { "idempotency-key": key },
  });
}

async function countJobs(): Promise<number> {
  const rows = await api.database.kysely.selectFrom("static_export_jobs").select("id").execute();
  return rows.length;
}

/** Makes the kept answer of a key look older. */
async function age(key: string, hours: number): Promise<void> {
  const rows = api.database.kysely.selectFrom("idempotency_keys").selectAll();
  const row = await rows.where("key", "=", key).executeTakeFirstOrThrow();
  await api.database.kysely.deleteFrom("idempotency_keys").where("key", "=", key).execute();
  const created_at = new Date(row.created_at.getTime() - hours * 3_600_000);
  const headers = row.headers && JSON.stringify(row.headers);
  await api.database.kysely
    .insertInto("idempotency_keys")
    .values({ ...row, headers, created_at })
    .execute();
}

describe("an Idempotency-Key", () => {
  test("returns the first response again, however the same body is formatted, and starts nothing", async () => {
    const key = newKey();
    const first = await start(key, { domain, version: "v1" });
    assert.equal(first.status, 202);
    await acme.client.waitForExport(first.body.jobId);
    const before = await countJobs();
    const again = await start(key, { version: "v1", domain });
    assert.deepEqual([again.status, again.body], [202, first.body]);
    assert.equal(again.headers.get("location"), first.headers.get("location"));
    assert.equal(again.headers.get("idempotency-replayed"), "true");
    assert.equal(await countJobs(), before);
  });

  test("with another body is refused with 422", async () => {
    const key = newKey();
    await start(key);
    const other = await start(key, { domain, version: "other" });
    assert.equal(other.status, 422);
    assert.match(other.body.error ?? "", /a different body/);
  });

  test("belongs to its API key", async () => {
    const key = newKey();
    const first = await start(key);
    const scope = { organizationId: acme.id, projectId: null };
    const { secret } = await api.keys.create(scope, "Second");
    const second = await start(key, { domain }, api.client(secret));
    assert.equal(second.status, 202);
    assert.notEqual(second.body.jobId, first.body.jobId);
  });

  test("used many times at once starts one job", async () => {
    const key = newKey();
    const before = await countJobs();
    const answers = await Promise.all(Array.from({ length: 10 }, () => start(key)));
    assert.equal(await countJobs(), before + 1);
    const statuses = answers.map(({ status }) => status);
    assert.ok(statuses.includes(202));
    assert.ok(
      statuses.every((status) => status === 202 || status === 409),
      statuses.join(),
    );
    const ids = answers.filter(({ status }) => status === 202).map(({ body }) => body.jobId);
    assert.equal(new Set(ids).size, 1);
  });

  test("is valid for 24 hours", async () => {
    const key = newKey();
    const first = await start(key);
    await age(key, 23);
    assert.equal((await start(key)).body.jobId, first.body.jobId);
    await age(key, 2);
    const later = await start(key, { domain, version: "later" });
    assert.equal(later.status, 202);
    assert.notEqual(later.body.jobId, first.body.jobId);
  });

  test("is removed by retention after that time, and not before", async () => {
    const [young, old] = [newKey(), newKey()];
    for (const key of [young, old]) await start(key);
    await age(young, 23);
    await age(old, 25);
    const { database, storage } = api;
    const days = { bundleDays: 30, jobDays: 30, auditDays: 365 };
    await removeExpired({ database, storage, ...days });
    const rows = await database.kysely.selectFrom("idempotency_keys").select("key").execute();
    const kept = rows.map(({ key }) => key);
    assert.deepEqual([kept.includes(young), kept.includes(old)], [true, false]);
  });

  test("of a call that died gets 409 for a while, and then runs", async () => {
    const key = newKey();
    await start(key);
    await api.database.kysely
      .updateTable("idempotency_keys")
      .set({ status: null, headers: null, body: null })
      .where("key", "=", key)
      .execute();
    const running = await start(key);
    assert.equal(running.status, 409);
    assert.match(running.body.error ?? "", /still running/);
    await age(key, 1);
    assert.equal((await start(key)).status, 202);
  });

  test("of a call with an internal error can be used again, and that call started no job", async () => {
    const key = newKey();
    const { kysely } = api.database;
    const before = await countJobs();
    await kysely.schema
      .alterTable("static_export_jobs")
      .addCheckConstraint("broken", sql<boolean>`version is distinct from 'broken'`)
      .execute();
    assert.equal((await start(key, { domain, version: "broken" })).status, 500);
    await kysely.schema.alterTable("static_export_jobs").dropConstraint("broken").execute();
    assert.equal(await countJobs(), before);
    assert.equal((await start(key, { domain, version: "broken" })).status, 202);
  });

  test("that is malformed is refused with 400", async () => {
    for (const key of ["a b", "x".repeat(256), "ü"]) {
      const { status, body } = await start(key);
      assert.equal(status, 400);
      assert.match(body.error ?? "", /idempotency-key must be/);
    }
  });
});
