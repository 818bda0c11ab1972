import { mkdir } from "node:fs/promises";
import type { Database, DatabaseLog, DatabaseOptions } from "./database.ts";
import { openEmbedded } from "./embedded/open-embedded.ts";
import { openPostgres } from "./postgres/open-postgres.ts";

/** With one for notifications, ten nodes at work fit a server of 100 connections. */
const defaultMaxConnections = 8;
const silent: DatabaseLog = { warn: () => undefined };

/**
 * Opens the database and runs its migrations; safe when several nodes start at once. Throws `conflict` if
 * another process holds the data folder of an embedded database, and `unavailable` if the server cannot be
 * used; the message names it without credentials.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const log = options.log ?? silent;
  const { url, maxConnections = defaultMaxConnections } = options;
  if (url !== undefined) return openPostgres({ ...options, url, maxConnections, log });
  await mkdir(options.dataDir, { recursive: true });
  return openEmbedded({ ...options, log });
}
