import { sql } from "kysely";
import type { Kysely } from "kysely";

/**
 * Adds previews, which are exports that the service starts for branches under review. Lists contain only exports that
 * somebody requested, so their indexes contain no previews, however many there are.
 */
const statements = [
  sql`alter table static_export_jobs add column purpose text not null default 'export'
    check (purpose in ('export', 'preview'))`,
  sql`create index static_export_jobs_ref on static_export_jobs (project_id, ref, id desc)`,
  sql`drop index static_export_jobs_newest`,
  sql`create index static_export_jobs_newest on static_export_jobs (organization_id, id desc)
    where purpose = 'export'`,
  sql`drop index static_export_jobs_domain`,
  sql`create index static_export_jobs_domain
    on static_export_jobs (organization_id, domain, id desc) where purpose = 'export'`,
  sql`drop index static_export_jobs_status`,
  sql`create index static_export_jobs_status
    on static_export_jobs (organization_id, status, id desc) where purpose = 'export'`,
  sql`drop index static_export_jobs_project`,
  sql`create index static_export_jobs_project on static_export_jobs (project_id, id desc)
    where purpose = 'export'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
