import type { Kysely } from "kysely";
import type { Tables } from "../db/index.ts";
import { agentJobColumns, agentJobOf } from "./agent/job.ts";
import type { AgentJob } from "./agent/job.ts";
import { exportColumns, exportOf } from "./static-export/job.ts";
import type { StaticExportJob } from "./static-export/job.ts";

/** Jobs by their IDs; those that are gone are missing. */
export interface FoundJobs {
  readonly exports: ReadonlyMap<string, StaticExportJob>;
  readonly agentJobs: ReadonlyMap<string, AgentJob>;
}

/** Reads many jobs at once, for a caller that may see all of them. */
export type FindJobs = (ids: {
  readonly exports: readonly string[];
  readonly agentJobs: readonly string[];
}) => Promise<FoundJobs>;

export function createJobLookup(kysely: Kysely<Tables>): FindJobs {
  return async (ids) => {
    const [exports, agentJobs] = await Promise.all([
      ids.exports.length === 0
        ? []
        : kysely
            .selectFrom("static_export_jobs")
            .select(exportColumns)
            .where("id", "in", ids.exports)
            .execute(),
      ids.agentJobs.length === 0
        ? []
        : kysely
            .selectFrom("agent_jobs")
            .select(agentJobColumns)
            .where("id", "in", ids.agentJobs)
            .execute(),
    ]);
    return {
      exports: new Map(exports.map((row) => [row.id, exportOf(row).job])),
      agentJobs: new Map(agentJobs.map((row) => [row.id, agentJobOf(row).job])),
    };
  };
}
