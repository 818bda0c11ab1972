import { Kysely } from "kysely";
import { ChannelHub, quoteChannel } from "../channel-hub.ts";
import type { Database, DatabaseLog, DatabaseOptions } from "../database.ts";
import { migrate } from "../migrate.ts";
import { createPrepare } from "../prepared-statement.ts";
import { notify, ping } from "../statements.ts";
import type { Tables } from "../tables.ts";
import { engineDialect } from "./engine-dialect.ts";
import { openEngine } from "./engine.ts";
import type { Engine } from "./engine.ts";
import { lockFolder } from "./folder-lock.ts";
import { openComplete } from "./open-complete.ts";

/** Opens the embedded database in `<dataDir>/database`, for this process alone. */
export async function openEmbedded({
  dataDir,
  log,
  whileOpening,
}: Pick<DatabaseOptions, "dataDir" | "whileOpening"> & {
  readonly log: DatabaseLog;
}): Promise<Database> {
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
  await migrate(kysely);
  const held = opening.move();
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
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
