/** The PostgreSQL database, embedded or on a server: its connections, tables and migrations. */
export { openDatabase } from "./open-database.ts";
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
