import { sql } from "kysely";
import type { Kysely } from "kysely";
import { hostedRepository, parseRepositoryAddress } from "../../core/index.ts";
import type { Tables } from "../../db/index.ts";
import { jobKinds } from "../job-kinds.ts";

/**
 * Whether a repository is the project's and some node could read it before: then its address is right, and one that
 * does not answer is away. `address` is as git was given it.
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
