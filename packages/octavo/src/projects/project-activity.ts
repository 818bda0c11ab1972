import { sql } from "kysely";
import type { Kysely } from "kysely";
import type { Tables } from "../db/index.ts";
import type { KeyScope } from "./keys.ts";
import { toProject } from "./projects.ts";
import type { Project } from "./projects.ts";

/** A project with its newest export and agent job. */
export interface ActiveProject {
  readonly project: Project;
  readonly lastExportId: string | null;
  readonly lastAgentJobId: string | null;
}

interface ActiveProjectQuery {
  /**
   * Text that is searched for in the name, domain and repository, ignoring case. An empty string matches all projects.
   */
  readonly search: string;
  /** The page number, starting at 1. */
  readonly page: number;
  readonly pageSize: number;
}

interface ActiveProjects {
  readonly projects: readonly ActiveProject[];
  readonly hasMore: boolean;
}

/** Lists the projects of a scope. Projects with the most recent activity come first. */
export type ListActiveProjects = (
  scope: KeyScope,
  query: ActiveProjectQuery,
) => Promise<ActiveProjects>;

export function createActiveProjects(db: Kysely<Tables>): ListActiveProjects {
  return async ({ organizationId, projectId }, { search, page, pageSize }) => {
    let query = db
      .selectFrom("projects")
      .leftJoinLateral(
        (eb) =>
          eb
            .selectFrom("static_export_jobs")
            .select(["id", "created_at"])
            .whereRef("project_id", "=", "projects.id")
            // The value is a literal so that the query matches the condition of the index.
            .where("purpose", "=", sql.lit("export"))
            .orderBy("id", "desc")
            .limit(1)
            .as("exported"),
        (join) => join.onTrue(),
      )
      .leftJoinLateral(
        (eb) =>
          eb
            .selectFrom("agent_jobs")
            .select(["id", "created_at"])
            .whereRef("project_id", "=", "projects.id")
            .orderBy("id", "desc")
            .limit(1)
            .as("asked"),
        (join) => join.onTrue(),
      )
      .selectAll("projects")
      .select(["exported.id as export_id", "asked.id as agent_job_id"])
      .where("projects.organization_id", "=", organizationId);
    if (projectId !== null) query = query.where("projects.id", "=", projectId);
    if (search !== "") {
      const pattern = `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
      query = query.where((eb) =>
        eb.or([
          eb("projects.name", "ilike", pattern),
          eb("projects.domain", "ilike", pattern),
          eb("projects.repository", "ilike", pattern),
        ]),
      );
    }
    const rows = await query
      .orderBy(sql`greatest(projects.created_at, exported.created_at, asked.created_at)`, "desc")
      .orderBy("projects.id", "desc")
      .offset((page - 1) * pageSize)
      .limit(pageSize + 1)
      .execute();
    const projects = rows.slice(0, pageSize).map(({ export_id, agent_job_id, ...row }) => ({
      project: toProject(row),
      lastExportId: export_id,
      lastAgentJobId: agent_job_id,
    }));
    return { projects, hasMore: rows.length > pageSize };
  };
}
