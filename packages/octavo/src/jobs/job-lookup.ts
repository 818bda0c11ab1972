import type { Kysely } from "kysely";
import type { Tables } from "../db/index.ts";
import type { AgentJob } from "./agent/job.ts";
import { agentKind } from "./agent/kind.ts";
import { selectJobs } from "./lifecycle/job-table.ts";
import type { JobKind, JobTypes } from "./lifecycle/job-kind.ts";
import type { StaticExportJob } from "./static-export/job.ts";
import { staticExportKind } from "./static-export/kind.ts";

/** The found jobs by ID, without those that were deleted. */
export interface FoundJobs {
  readonly exports: ReadonlyMap<string, StaticExportJob>;
  readonly agentJobs: ReadonlyMap<string, AgentJob>;
}

/** Reads several jobs at once. The caller must have checked that they may be read. */
export type FindJobs = (ids: {
  readonly exports: readonly string[];
  readonly agentJobs: readonly string[];
}) => Promise<FoundJobs>;

export function createJobLookup(kysely: Kysely<Tables>): FindJobs {
  return async (ids) => {
    const [exports, agentJobs] = await Promise.all([
      findByIds(kysely, staticExportKind, ids.exports),
      findByIds(kysely, agentKind, ids.agentJobs),
    ]);
    return { exports, agentJobs };
  };
}

async function findByIds<T extends JobTypes>(
  kysely: Kysely<Tables>,
  kind: JobKind<T>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, T["Snapshot"]["job"]>> {
  if (ids.length === 0) return new Map();
  const rows = await selectJobs(kysely, kind).where("job.id", "in", ids).execute();
  return new Map(rows.map((row) => [row.id, kind.toSnapshot(row).job]));
}
