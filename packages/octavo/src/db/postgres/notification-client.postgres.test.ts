import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "kysely";
import { freePort } from "../../../../../test/support/free-port.ts";
import { startPostgres } from "../../../../../test/support/postgres.ts";
import type { TestPostgres } from "../../../../../test/support/postgres.ts";
import { startTcpProxy } from "../../../../../test/support/tcp-proxy.ts";
import { isConnectionFault } from "../faults.ts";
import { openDatabase } from "../index.ts";
import { NotificationClient } from "./notification-client.ts";
import { createConnectionConfig } from "./open-postgres.ts";

const warnings: string[] = [];
process.on("warning", ({ message }) => warnings.push(message));

let postgres: TestPostgres;
before(async () => (postgres = await startPostgres()));
after(() => postgres[Symbol.asyncDispose]());

function openClient(url: string): NotificationClient {
  return new NotificationClient({
    config: createConnectionConfig(url),
    log: { warn() {} },
    send: () => Promise.resolve(),
  });
}

test("a listener whose connection broke is told of the gap, and receives notifications again", async () => {
  const url = await postgres.createDatabase();
  await using database = await openDatabase({ url, dataDir: "" });
  const gap = Promise.withResolvers<void>();
  const heard = Promise.withResolvers<string>();
  await using _ = await database.listen("news", heard.resolve, () => gap.resolve());
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'octavo notifications' and datname = current_database()`.execute(
    database.kysely,
  );
  await gap.promise;
  await database.notify(database.kysely, "news", "again");
  assert.equal(await heard.promise, "again");
});

test("listeners that come at once do not make the driver queue their statements, which it warns about", async () => {
  const url = await postgres.createDatabase();
  await using database = await openDatabase({ url, dataDir: "" });
  const listen = (channel: string) => database.listen(channel, () => undefined);
  for (const listener of await Promise.all(["news", "weather", "sport"].map(listen))) {
    await listener[Symbol.asyncDispose]();
  }
  assert.deepEqual(warnings, []);
});

test("a listener on a server that is away is told so, as of any statement", async () => {
  await using client = openClient(`postgres://postgres@127.0.0.1:${await freePort()}/postgres`);
  await assert.rejects(client.subscribe("news", { onPayload() {} }), isConnectionFault);
});

test("a listener that ends while the connection is not back ends well", async () => {
  await using proxy = await startTcpProxy(Number(new URL(postgres.url).port));
  await using client = openClient(`postgres://postgres@127.0.0.1:${proxy.port}/postgres`);
  const listener = await client.subscribe("news", { onPayload() {} });
  const connected = proxy.untilConnected();
  proxy.setDelay(1_000);
  proxy.cut();
  await connected;
  const ending = listener[Symbol.asyncDispose]();
  proxy.cut();
  await ending;
});
