import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { after, before, test } from "node:test";
import { sql } from "kysely";
import { freePort } from "../../../../../test/support/free-port.ts";
import { startPostgres } from "../../../../../test/support/postgres.ts";
import type { TestPostgres } from "../../../../../test/support/postgres.ts";
import { isConnectionFault } from "../faults.ts";
import { openDatabase } from "../open-database.ts";
import { NotificationClient } from "./notification-client.ts";
import { connectionConfig } from "./pool.ts";

const warnings: string[] = [];
process.on("warning", ({ message }) => warnings.push(message));

let postgres: TestPostgres;
before(async () => (postgres = await startPostgres()));
after(() => postgres[Symbol.asyncDispose]());

function openClient(url: string): NotificationClient {
  return new NotificationClient({
    config: connectionConfig(url),
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
  await using front = await openFront(Number(new URL(postgres.url).port));
  await using client = openClient(`postgres://postgres@127.0.0.1:${front.port}/postgres`);
  const listener = await client.subscribe("news", { onPayload() {} });
  const held = front.holdNext();
  front.breakAll();
  const socket = await held;
  const ending = listener[Symbol.asyncDispose]();
  socket.destroy();
  await ending;
});

/** Passes connections on to the server's port, until told to hold them without an answer. */
async function openFront(serverPort: number) {
  const sockets = new Set<Socket>();
  let onHeld: ((socket: Socket) => void) | undefined;
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    if (onHeld) return onHeld(socket);
    const onward = connect(serverPort, "127.0.0.1").on("error", () => socket.destroy());
    socket.pipe(onward).pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const breakAll = () => sockets.forEach((socket) => socket.destroy());
  return {
    port: (server.address() as AddressInfo).port,
    breakAll,
    holdNext: () => new Promise<Socket>((resolve) => (onHeld = resolve)),
    async [Symbol.asyncDispose]() {
      breakAll();
      server.close();
      await once(server, "close");
    },
  };
}
