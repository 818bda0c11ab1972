import { mkdir } from "node:fs/promises";
import type { Database, DatabaseLog, DatabaseOptions } from "./database.ts";
import { openEmbedded, openEmbeddedOrShare } from "./embedded/open-embedded.ts";
import { openPostgres } from "./postgres/open-postgres.ts";

/**
 * The default maximum. With this number, and one connection per node for notifications, a server with 100 connections
 * is enough for ten busy nodes.
 */
const defaultMaxConnections = 8;

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
