import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import { putEmptyDatabase } from "../../../../test/support/empty-database.ts";
import type { TestPostgres } from "../../../../test/support/postgres.ts";
import {
  startTestedPostgres,
  testOn,
  testedEngine,
} from "../../../../test/support/tested-engine.ts";
import { isOctavoError } from "@octavo/site/core";
import { createId } from "../core/index.ts";
import { isConnectionFault, findViolatedConstraint } from "./faults.ts";
import { openDatabase } from "./index.ts";
import type { Database } from "./database.ts";
import type { Param } from "./prepared-statement.ts";

let folder: string;
let postgres: TestPostgres | undefined;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "octavo-db-"));
  postgres = await startTestedPostgres();
});
after(async () => {
  await postgres?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function addOrganization(database: Pick<Database, "kysely">): Promise<string> {
  const id = createId("organization");
  await database.kysely
    .insertInto("organizations")
    .values({ id, name: "Acme", plan: "pro" })
    .execute();
  return id;
}

for (const engine of [testedEngine]) {
  describe(engine, () => {
    let options: { dataDir: string; url?: string };
    let database: Database;
    before(async () => {
      options = { dataDir: join(folder, engine) };
      const url = await postgres?.createDatabase();
      if (url !== undefined) options.url = url;
      database = await openDatabase(options);
    });
    after(() => database[Symbol.asyncDispose]());

    test("opening a database creates its tables, and opening it again finds their rows", async () => {
      assert.equal(database.engine, engine);
      const id = await addOrganization(database);
      await database[Symbol.asyncDispose]();
      database = await openDatabase(options);
      const row = await database.kysely
        .selectFrom("organizations")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      assert.equal(row.plan, "pro");
      assert.ok(row.created_at instanceof Date);
    });

    test("both engines return the same JavaScript values", async () => {
      const { rows } = await sql`select 2::bigint as big, 9007199254740993::bigint as huge,
        1.5::float8 as float, '{"a":[1]}'::jsonb as json, '\\x00ff'::bytea as bytes,
        null as nothing, timestamptz '2026-11-20 08:00:00.123Z' as time`.execute(database.kysely);
      const { bytes, ...rest } = rows[0] as Record<string, unknown>;
      assert.deepEqual(rest, {
        big: 2,
        huge: 9_007_199_254_740_993n,
        float: 1.5,
        json: { a: [1] },
        nothing: null,
        time: new Date("2026-11-20T08:00:00.123Z"),
      });
      assert.deepEqual([...(bytes as Uint8Array)], [0, 255]);
    });

    test("a row that contradicts itself is refused", async () => {
      const organization_id = await addOrganization(database);
      const project_id = createId("project");
      await database.kysely
        .insertInto("projects")
        .values({
          id: project_id,
          organization_id,
          name: "Docs",
          domain: `${project_id.slice(-8)}.example.com`,
          repository: "https://example.com/docs.git",
          ref: null,
          directory: ".",
          code_host: "local",
          model: null,
          credentials: null,
        })
        .execute();
      const job = {
        organization_id,
        project_id,
        domain: "docs.example.com",
        version: null,
        ref: null,
        commit: null,
        format: "zip",
        paths: null,
        progress: 0,
        page_count: 0,
        rendered_pages: 0,
        error: null,
        bundle_key: null,
        bundle_bytes: null,
        updated_at: new Date(),
        completed_at: null,
      } as const;
      const wrong = [
        { status: "queued", progress: 100 },
        { status: "running", progress: 101 },
        { status: "completed", progress: 99, completed_at: new Date() },
        { status: "failed", completed_at: new Date() },
        { status: "running", error: "No." },
        { status: "completed", progress: 100 },
        { status: "lost" as "queued" },
      ] as const;
      for (const fields of wrong) {
        const insert = database.kysely
          .insertInto("static_export_jobs")
          .values({ ...job, id: createId("staticExport"), ...fields });
        await assert.rejects(
          insert.execute(),
          (error) => findViolatedConstraint(error) !== undefined,
        );
      }
    });

    test("an error names the constraint that it violates", async () => {
      const id = await addOrganization(database);
      const again = database.kysely
        .insertInto("organizations")
        .values({ id, name: "Twice", plan: "free" });
      await assert.rejects(again.execute(), (error) => {
        return findViolatedConstraint(error) === "organizations_pkey";
      });
      await assert.rejects(sql`select nonsense`.execute(database.kysely), (error) => {
        return findViolatedConstraint(error) === undefined;
      });
    });

    test("a failed transaction leaves nothing, and concurrent statements keep their effects", async () => {
      const mine = createId("organization");
      let beside: Promise<string> | undefined;
      const failing = database.kysely.transaction().execute(async (tx) => {
        await tx.insertInto("organizations").values({ id: mine, name: "A", plan: "pro" }).execute();
        beside = addOrganization(database);
        throw new Error("on purpose");
      });
      await assert.rejects(failing, /on purpose/);
      const found = await database.kysely
        .selectFrom("organizations")
        .select("id")
        .where("id", "in", [mine, (await beside) ?? ""])
        .execute();
      assert.deepEqual(found, [{ id: await beside }]);
    });

    test("concurrent transactions on a counter lose no increment", async () => {
      const id = await addOrganization(database);
      await database.kysely
        .updateTable("organizations")
        .set({ name: "0" })
        .where("id", "=", id)
        .execute();
      const step = () =>
        database.kysely.transaction().execute(async (tx) => {
          const { name } = await tx
            .selectFrom("organizations")
            .select("name")
            .where("id", "=", id)
            .forUpdate()
            .executeTakeFirstOrThrow();
          await tx
            .updateTable("organizations")
            .set({ name: String(Number(name) + 1) })
            .where("id", "=", id)
            .execute();
        });
      await Promise.all(Array.from({ length: 20 }, step));
      const { name } = await database.kysely
        .selectFrom("organizations")
        .select("name")
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      assert.equal(name, "20");
    });

    test("a failed statement prevents its transaction from committing even if the caller caught the error", async () => {
      const id = createId("organization");
      const swallowing = database.kysely.transaction().execute(async (tx) => {
        await tx.insertInto("organizations").values({ id, name: "A", plan: "pro" }).execute();
        await sql`select nonsense`.execute(tx).catch(() => undefined);
      });
      await assert.rejects(swallowing);
      const { rows } = await sql`select 1 from organizations where id = ${id}`.execute(
        database.kysely,
      );
      assert.equal(rows.length, 0);
    });

    test("a script that fails within its own transaction leaves none open", async () => {
      await assert.rejects(database.queue.executeSql("BEGIN; SELECT nonsense; COMMIT"));
      const { rows } = await database.queue.executeSql("SELECT 1 AS one; SELECT 2 AS two");
      assert.deepEqual(rows, [{ one: 1 }, { two: 2 }]);
    });

    test("a prepared statement uses the values of each run, concurrently with others", async () => {
      const ids = [await addOrganization(database), await addOrganization(database)];
      const { kysely, prepare } = database;
      const find = prepare((given: Param<{ id: string; name: string }>) =>
        kysely
          .selectFrom("organizations")
          .select("id")
          .where("plan", "=", "pro")
          .where("name", "=", given("name"))
          .where("id", "=", given("id")),
      );
      const count = prepare((given: Param<{ ids: string[] }>) =>
        kysely
          .selectFrom("organizations")
          .select(({ fn }) => fn.countAll<number>().as("found"))
          .where(({ eb, fn }) => eb("id", "=", fn.any(given("ids")))),
      );
      const runs = [...ids, ids[0] ?? "", "nobody"].map((id) => find({ name: "Acme", id }));
      const found = (
        await Promise.all([...runs, find({ id: ids[0] ?? "", name: "Other" })])
      ).flat();
      assert.deepEqual(
        found.map(({ id }) => id),
        [...ids, ids[0]],
      );
      assert.deepEqual(await count({ ids }), [{ found: 2 }]);
      assert.deepEqual(await count({ ids: [] }), [{ found: 0 }]);
    });

    test("a notification goes out with its transaction, or not at all", async () => {
      const got: string[] = [];
      const { promise: last, resolve } = Promise.withResolvers<void>();
      await using _ = await database.listen("Some.Channel", (payload) => {
        got.push(payload);
        if (payload === "last") resolve();
      });
      const rolledBack = database.kysely.transaction().execute(async (tx) => {
        await database.notify(tx, "Some.Channel", "never");
        throw new Error("on purpose");
      });
      await assert.rejects(rolledBack, /on purpose/);
      await database.kysely.transaction().execute(async (tx) => {
        await database.notify(tx, "Some.Channel", "it's");
        await database.notify(tx, "another", "unheard");
      });
      await database.notify(database.kysely, "Some.Channel", "last");
      await last;
      assert.deepEqual(got, ["it's", "last"]);
    });

    test("ping responds", () => database.ping());
  });
}

testOn("postgres", "two nodes that open one PostgreSQL at once both find all tables", async () => {
  const url = await postgres?.createDatabase();
  const dataDir = join(folder, "unused");
  const nodes = await Promise.all([1, 2, 3].map(() => openDatabase({ url, dataDir })));
  for (const node of nodes) await addOrganization(node);
  for (const node of nodes) await node[Symbol.asyncDispose]();
});

for (const engine of [testedEngine]) {
  test(`a database that a later version migrated is refused with a sentence: ${engine}`, async () => {
    const url = await postgres?.createDatabase();
    const options = { url, dataDir: join(folder, "later") };
    const database = await openDatabase(options);
    await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '')`.execute(
      database.kysely,
    );
    await database[Symbol.asyncDispose]();
    await assert.rejects(openDatabase(options), (error) => {
      assert.ok(isOctavoError(error, "invalid_input"));
      assert.match(error.message, /^A later version of Octavo .* \(9999-later\)/);
      return true;
    });
  });
}

for (const engine of [testedEngine]) {
  test(`addresses of an earlier version get domains in punycode: ${engine}`, async () => {
    const options = {
      url: await postgres?.createDatabase(),
      dataDir: await mkdtemp(join(folder, "domains-")),
    };
    const before = await openDatabase({ ...options, lastMigration: "0027-webhook-creators" });
    const [acme, other] = [await addOrganization(before), await addOrganization(before)];
    const [old, stored] = ["ada@b\u00FCcher.example", "ada@xn--bcher-kva.example"];
    /** Each organization's members: address, name, account of the provider. */
    const members: readonly (readonly [string, string, string, string | null])[] = [
      [acme, old, "Ada", "ada"],
      [acme, stored, stored, null],
      [acme, "bob@acme.example", "Bob", null],
      [acme, "m\u00FCller@acme.example", "Local part", null],
      [acme, "eve@\u0430cme.example", "Look-alike", null],
      [acme, "not@a domain\u00FC", "Unreadable", null],
      [other, old, old, null],
    ];
    for (const [index, [organizationId, email, name, subject]] of members.entries()) {
      // The order of IDs of one millisecond is a matter of chance.
      const row = {
        id: createId("member", Date.now() + index),
        organization_id: organizationId,
        email,
        name,
      };
      const identity = { issuer: subject && "https://id.example", subject };
      await before.kysely.insertInto("members").values({ ...row, ...identity, role: "viewer", source: "invited" }).execute(); // prettier-ignore
    }
    await before[Symbol.asyncDispose]();
    await using database = await openDatabase(options);
    const rows = await database.kysely.selectFrom("members").select(["organization_id", "email", "name"]).orderBy("id").execute(); // prettier-ignore
    assert.deepEqual(
      rows.map(({ organization_id: id, email, name }) => [id, email, name]),
      [
        [acme, stored, "Ada"],
        [acme, "bob@acme.example", "Bob"],
        [acme, "m\u00FCller@acme.example", "Local part"],
        [acme, "eve@xn--cme-5cd.example", "Look-alike"],
        [acme, "not@a domain\u00FC", "Unreadable"],
        [other, stored, stored],
      ],
    );
  });
}

testOn(
  "postgres",
  "a database of an earlier version gets what this one added, and keeps its rows",
  async () => {
    const options = { url: await postgres?.createDatabase(), dataDir: folder };
    const before = await openDatabase({ ...options, lastMigration: "0013-nodes" });
    await addOrganization(before);
    await before[Symbol.asyncDispose]();
    await using database = await openDatabase(options);
    const { kysely } = database;
    assert.equal((await kysely.selectFrom("organizations").select("id").execute()).length, 1);
    assert.deepEqual(await kysely.selectFrom("hosted_packs").select("key").execute(), []);
    assert.deepEqual(await kysely.selectFrom("organization_usage").select("open_jobs").execute(), [
      { open_jobs: 0 },
    ]);
  },
);

testOn(
  "postgres",
  "a connection that breaks between two statements of a transaction fails the transaction, not the process",
  async () => {
    const url = await postgres?.createDatabase();
    const broken = Promise.withResolvers<void>();
    const log = {
      warn: (_: unknown, message: string) => /in use/.test(message) && broken.resolve(),
    };
    await using database = await openDatabase({ url, dataDir: folder, log });
    const transaction = database.kysely.transaction().execute(async (within) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(within);
      await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(database.kysely);
      await broken.promise;
      await sql`select 1`.execute(within);
    });
    await assert.rejects(transaction);
    await database.ping();
  },
);

testOn(
  "postgres",
  "a prepared statement runs on the connection that replaces a broken one",
  async () => {
    const url = await postgres?.createDatabase();
    await using database = await openDatabase({ url, dataDir: folder });
    const id = await addOrganization(database);
    const find = database.prepare((given: Param<{ id: string }>) =>
      database.kysely.selectFrom("organizations").select("id").where("id", "=", given("id")),
    );
    assert.deepEqual(await find({ id }), [{ id }]);
    const terminate = sql`select pg_terminate_backend(pg_backend_pid())`;
    await assert.rejects(terminate.execute(database.kysely));
    // The pool may not have noticed yet, and give the broken one once more.
    const again = find({ id }).catch((error: unknown) => {
      assert.ok(isConnectionFault(error));
      return find({ id });
    });
    assert.deepEqual(await again, [{ id }]);
  },
);

testOn("pglite", "a server that cannot be reached is named without its credentials", async () => {
  const opening = openDatabase({ url: "postgres://me:hunter2@127.0.0.1:1/docs", dataDir: folder });
  await assert.rejects(opening, (error) => {
    assert.ok(isOctavoError(error, "unavailable"));
    assert.match(error.message, /127\.0\.0\.1:1\/docs/);
    assert.doesNotMatch(error.message, /hunter2/);
    return true;
  });
});

testOn(
  "pglite",
  "the embedded database opens if a loss of power left PostgreSQL's lock empty",
  async () => {
    const dataDir = join(folder, "unlocked");
    await putEmptyDatabase(dataDir);
    await writeFile(join(dataDir, "database", "postmaster.pid"), "");
    await using database = await openDatabase({ dataDir });
    await database.ping();
  },
);

testOn(
  "pglite",
  "a second process cannot open the data folder until the first is killed",
  async (t) => {
    const dataDir = join(folder, "shared");
    await putEmptyDatabase(dataDir);
    const holder = fork(new URL("./embedded/holder.test-process.ts", import.meta.url), [dataDir]);
    t.after(() => holder.kill("SIGKILL"));
    const [acknowledged] = (await once(holder, "message")) as [string];
    await assert.rejects(openDatabase({ dataDir }), (error) => {
      assert.ok(isOctavoError(error, "conflict"));
      assert.ok(error.message.includes(dataDir));
      assert.ok(error.message.includes(`process ${holder.pid}`));
      return true;
    });
    holder.kill("SIGKILL");
    await once(holder, "exit");
    await using database = await openDatabase({ dataDir });
    const rows = await database.kysely.selectFrom("organizations").select("id").execute();
    assert.deepEqual(rows, [{ id: acknowledged }]);
  },
);
