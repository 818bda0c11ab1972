import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { pgBouncer, startPgBouncer } from "../../../../../test/support/pgbouncer.ts";
import { startPostgres } from "../../../../../test/support/postgres.ts";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { createId } from "../../core/index.ts";
import { openQueue } from "./queue.ts";
import { openDatabase, transact } from "../../db/index.ts";
import type { Param } from "../../db/index.ts";

const skip = pgBouncer === undefined && "OCTAVO_TEST_PGBOUNCER names no program pgbouncer";
const quiet = { info() {}, warn() {}, error() {} };

async function openPooled({ isDirect = false } = {}) {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await temporaryFolder());
  const postgres = opening.use(await startPostgres());
  const pooler = opening.use(await startPgBouncer(pgBouncer ?? "", postgres.url));
  const direct = await postgres.createDatabase();
  const warnings: string[] = [];
  const options = {
    url: pooler.urlOf(direct),
    dataDir: folder.path,
    log: { warn: (_: unknown, message: string) => void warnings.push(message) },
    ...(isDirect && { directUrl: direct }),
  };
  const database = opening.use(await openDatabase(options));
  const other = opening.use(await openDatabase(options));
  const opened = opening.move();
  return { database, other, warnings, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

describe("behind a pooler with a connection for each transaction", { skip }, () => {
  test("statements, prepared ones and transactions work", async () => {
    await using pooled = await openPooled();
    const nodes = [pooled.database, pooled.other];
    const ids = Array.from({ length: 40 }, () => createId("organization"));
    await Promise.all(
      ids.map((id, index) =>
        transact((nodes[index % 2] ?? pooled.database).kysely, async (transaction) => {
          await transaction
            .insertInto("organizations")
            .values({ id, name: id, plan: "pro" })
            .execute();
          const { rows } = await sql<{ timeout: string }>`
            select current_setting('idle_in_transaction_session_timeout') as timeout`.execute(
            transaction,
          );
          assert.equal(rows[0]?.timeout, "15s");
        }),
      ),
    );
    const prepared = nodes.map(({ prepare, kysely }) =>
      prepare((given: Param<{ id: string }>) =>
        kysely.selectFrom("organizations").select("name").where("id", "=", given("id")),
      ),
    );
    for (const find of prepared) {
      const found = await Promise.all(ids.map((id) => find({ id })));
      assert.deepEqual(
        found.flat().map(({ name }) => name),
        ids,
      );
    }
  });

  for (const isDirect of [true, false]) {
    test(`a change reaches a listener ${isDirect ? "by the server's own address" : "by looking, with a warning"}`, async () => {
      await using pooled = await openPooled({ isDirect });
      const { database, other, warnings } = pooled;
      const heard = Promise.withResolvers<string>();
      await using _ = await database.listen("news", heard.resolve, () => {
        if (!isDirect) heard.resolve("gap");
      });
      await other.notify(other.kysely, "news", "today");
      assert.equal(await heard.promise, isDirect ? "today" : "gap");
      assert.equal(
        warnings.some((message) => message.includes("DATABASE_DIRECT_URL")),
        !isDirect,
      );
    });
  }

  test("jobs run", async () => {
    await using pooled = await openPooled();
    const { database } = pooled;
    await using queue = await openQueue({ database, log: quiet, isWorker: true });
    const ran = Promise.withResolvers<string>();
    await queue.work("agent", 2, async (id) => ran.resolve(id));
    await transact(database.kysely, (transaction) => queue.enqueue(transaction, "agent", "one"));
    assert.equal(await ran.promise, "one");
  });
});
