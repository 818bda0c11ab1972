import type { Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import type { Migration } from "kysely/migration";
import { up as initialTables } from "./migrations/0001-initial-tables.ts";
import { up as pullRequests } from "./migrations/0002-pull-requests.ts";
import { up as agentJobs } from "./migrations/0003-agent-jobs.ts";
import { up as webhooks } from "./migrations/0004-webhooks.ts";
import { up as previews } from "./migrations/0005-previews.ts";
import type { Tables } from "./tables.ts";

/** In order; one that was released is never changed. */
const migrations: Readonly<Record<string, Migration>> = {
  "0001-initial-tables": { up: initialTables },
  "0002-pull-requests": { up: pullRequests },
  "0003-agent-jobs": { up: agentJobs },
  "0004-webhooks": { up: webhooks },
  "0005-previews": { up: previews },
};

/** Runs what has not run yet, in one transaction under a lock: several nodes may start at once. */
export async function migrate(kysely: Kysely<Tables>): Promise<void> {
  const migrator = new Migrator({
    db: kysely,
    provider: { getMigrations: async () => ({ ...migrations }) },
  });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}
