import { Kysely } from "kysely";
import { OctavoError } from "@octavo/site/core";
import { ChannelHub, quoteChannel } from "../channel-hub.ts";
import type { Database, DatabaseLog, DatabaseOptions } from "../database.ts";
import { isMigrated, migrate } from "../migrate.ts";
import { createPrepare } from "../prepared-statement.ts";
import { notify, ping } from "../statements.ts";
import type { Tables } from "../tables.ts";
import { engineDialect } from "./engine-dialect.ts";
import { openEngine } from "./engine.ts";
import type { Engine } from "./engine.ts";
import { lockFolder } from "./folder-lock.ts";
import { openComplete } from "./open-complete.ts";
import { shareEngine } from "./share-engine.ts";
import { connectEngine } from "./shared-engine.ts";

export interface EmbeddedOptions extends Pick<
  DatabaseOptions,
  "dataDir" | "whileOpening" | "lastMigration"
> {
  readonly log: DatabaseLog;
}

/**
 * Opens the embedded database in `<dataDir>/database`. This process holds it; others of the same user can work on it
 * by `openShared`.
 */
export async function openEmbedded({
  dataDir,
  log,
  whileOpening,
  lastMigration,
}: EmbeddedOptions): Promise<Database> {
  await using opening = new AsyncDisposableStack();
  opening.use(await lockFolder(dataDir));
  const hub: ChannelHub = new ChannelHub({
    listen: async (channel) => void (await engine.query(`LISTEN ${quoteChannel(channel)}`, [])),
    unlisten: async (channel) => void (await engine.query(`UNLISTEN ${quoteChannel(channel)}`, [])),
  });
  const engine: Engine = await openComplete(dataDir, async (folder) => {
    const started = openEngine({
      folder,
      onNotification: (channel, payload) => hub.deliver(channel, payload),
      onCrash: (err) => log.warn({ err }, "The embedded database has stopped."),
    });
    whileOpening?.();
    return await started;
  });
  opening.defer(() => engine.close());
  const kysely = new Kysely<Tables>({ dialect: engineDialect(engine) });
  await migrate(kysely, lastMigration);
  opening.use(await shareEngine(dataDir, engine));
  const held = opening.move();
  return databaseOn({ engine, kysely, hub, close: () => held.disposeAsync() });
}

/**
 * Opens the embedded database that a running service holds, for a command that reads or changes some rows; undefined
 * if none shares it. Throws `conflict` if that service is another version of the program: its tables are others.
 */
export async function openShared(dataDir: string): Promise<Database | undefined> {
  const engine = await connectEngine(dataDir);
  if (!engine) return undefined;
  const kysely = new Kysely<Tables>({ dialect: engineDialect(engine) });
  if (!(await isMigrated(kysely))) {
    await engine.close();
    throw new OctavoError(
      "conflict",
      "The running service is another version of Octavo. Use that version's command, or restart the service with this one.",
    );
  }
  const hub = new ChannelHub({ listen: refuseToListen, unlisten: refuseToListen });
  return databaseOn({ engine, kysely, hub, close: () => engine.close() });
}

async function refuseToListen(): Promise<void> {
  throw new OctavoError("internal", "A command gets no notifications.");
}

interface EmbeddedParts {
  readonly engine: Engine;
  readonly kysely: Kysely<Tables>;
  readonly hub: ChannelHub;
  readonly close: () => Promise<void>;
}

function databaseOn({ engine, kysely, hub, close }: EmbeddedParts): Database {
  return {
    kysely,
    engine: "pglite",
    prepare: createPrepare(({ text }, values) => engine.query(text, values)),
    queue: {
      executeSql: (text, values) =>
        values?.length ? engine.query(text, values) : engine.script(text),
      async listen(channel, onPayload, onGap) {
        const subscription = await hub.subscribe(channel, { onPayload, onGap });
        onGap();
        return { close: async () => await subscription[Symbol.asyncDispose]() };
      },
    },
    notify,
    listen: (channel, onPayload, onGap) =>
      hub.subscribe(channel, { onPayload, ...(onGap && { onGap }) }),
    connections: () => undefined,
    ping: () => ping(kysely),
    [Symbol.asyncDispose]: close,
  };
}
