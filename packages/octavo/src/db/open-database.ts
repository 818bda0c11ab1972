import { mkdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database, DatabaseLog, DatabaseOptions } from "./database.ts";
import { isOctavoError } from "@octavo/site/core";
import { openEmbedded, openSharedDatabase } from "./embedded/open-embedded.ts";
import type { EmbeddedOptions } from "./embedded/open-embedded.ts";
import { openPostgres } from "./postgres/open-postgres.ts";

/**
 * The default maximum. With this number, and one connection per node for notifications, a server with 100 connections
 * is enough for ten busy nodes.
 */
const defaultMaxConnections = 8;
/** The time for which a command waits for a service that is starting. */
const shareMs = 5_000;
const shareRetryMs = 100;
const silent: DatabaseLog = { warn: () => undefined };

/**
 * Opens the database and runs its migrations. Several nodes can start at the same time. Throws `conflict` if another
 * process holds the data folder of an embedded database and does not share the database. Throws `unavailable` if the
 * server cannot be used, with a message that names the server without credentials.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const log = options.log ?? silent;
  const { url, maxConnections = defaultMaxConnections } = options;
  if (url !== undefined) return openPostgres({ ...options, url, maxConnections, log });
  await mkdir(options.dataDir, { recursive: true });
  if (options.canShare !== true) return await openEmbedded({ ...options, log });
  return await openEmbeddedOrShare({ ...options, log });
}

/**
 * Opens the embedded database or uses the one that a service shares. Waits if a service is starting, because it locks
 * the database before it shares it.
 */
async function openEmbeddedOrShare(options: EmbeddedOptions): Promise<Database> {
  for (const deadline = performance.now() + shareMs; ; await sleep(shareRetryMs)) {
    try {
      return await openEmbedded(options);
    } catch (error) {
      if (!isOctavoError(error, "conflict")) throw error;
      const shared = await openSharedDatabase(options.dataDir);
      if (shared) return shared;
      if (performance.now() > deadline) throw error;
    }
  }
}
