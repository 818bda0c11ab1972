/** PostgreSQL, embedded or not: the connection, the tables and their migrations. */
export { openDatabase } from "./database.ts";
export type { Database, DatabaseLog, DatabaseOptions, QueueConnection } from "./database.ts";
export { isConnectionFault, violatedConstraint } from "./statements.ts";
export type {
  ApiKeysTable,
  BundlesTable,
  IdempotencyKeysTable,
  OrganizationsTable,
  ProjectsTable,
  StaticExportJobsTable,
  Tables,
} from "./tables.ts";
