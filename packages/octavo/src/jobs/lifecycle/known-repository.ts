import { sql } from "kysely";
import type { Kysely } from "kysely";
import { hostedRepository, parseRepositoryAddress } from "../../core/index.ts";
import type { Tables } from "../../db/index.ts";
import { jobKinds } from "../job-kinds.ts";

/**
 * Reports whether a repository is the project's and a node has read it before. If so, its address is right, and if it
 * does not respond, it is unavailable. `address` is in the form that git received.
 */
export async function isKnownRepository(
  kysely: Kysely<Tables>,
  projectId: string,
  address: string,
): Promise<boolean> {
  const project = await kysely
    .selectFrom("projects")
    .select(["repository", wasRead])
    .where("id", "=", projectId)
    .executeTakeFirst();
  if (project?.wasRead !== true || project.repository === hostedRepository) return false;
  const { repository } = project;
  return repository === address || parseRepositoryAddress(repository).url === address;
}

const wasRead = sql<boolean>`${sql.join(
  jobKinds.flatMap(({ table, hasReadRepository }) =>
    hasReadRepository === undefined
      ? []
      : sql`exists (select from ${sql.table(table)} as job
          where job.project_id = projects.id and ${hasReadRepository})`,
  ),
  sql` or `,
)}`.as("wasRead");
