/** The PostgreSQL database, embedded or on a server: its connections, tables and migrations. */
import { mkdir } from "node:fs/promises";
import type { Database, DatabaseLog, DatabaseOptions } from "./database.ts";
import { openEmbedded, openEmbeddedOrShared } from "./embedded/open-embedded.ts";
import { openPostgres } from "./postgres/open-postgres.ts";

export type { Database, DatabaseLog, DatabaseOptions, QueueConnection } from "./database.ts";
export type { Param, PrepareStatement } from "./prepared-statement.ts";
export { isConnectionFault, findViolatedConstraint } from "./faults.ts";
export { advanceSequences, canLoad, loadRows, readSnapshot } from "./snapshot.ts";
export type { RowText, Snapshot } from "./snapshot.ts";
export { transact } from "./transact.ts";
export type { JobColumns } from "./columns.ts";
export type {
  AgentJobsTable,
  DeploymentsTable,
  ChangedFiles,
  ProjectsTable,
  Row,
  StaticExportJobsTable,
  StoredPullRequestSettings,
  Tables,
} from "./tables.ts";
export type { PreviewedPullRequests, SiteVisibility } from "./site-tables.ts";

/**
 * The default maximum number of connections. With this number, and one connection per node for notifications, a server
 * with 100 connections is enough for ten busy nodes.
 */
const defaultMaxConnections = 8;

const silentLog: DatabaseLog = { warn: () => undefined };

/**
 * Opens the database and runs its migrations. Several nodes can start at the same time. Throws `conflict` if another
 * process holds the data folder of an embedded database and does not share the database. Throws `unavailable` if the
 * server cannot be used, with a message that names the server without credentials.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const log = options.log ?? silentLog;
  const { url, maxConnections = defaultMaxConnections } = options;
  if (url !== undefined) return openPostgres({ ...options, url, maxConnections, log });
  await mkdir(options.dataDir, { recursive: true });
  if (options.canShare !== true) return await openEmbedded({ ...options, log });
  return await openEmbeddedOrShared({ ...options, log });
}
