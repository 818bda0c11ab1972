import type { Kysely, SelectQueryBuilder } from "kysely";
import { OctavoError } from "@octavo/site/core";
import { isId } from "../../core/index.ts";
import type { Tables } from "../../db/index.ts";
import type { ActingScope } from "../../projects/index.ts";
import { agentJobColumns } from "./job.ts";
import type { AgentJobRow } from "./job.ts";

/** The organisation and project that an operation is for. */
export interface AgentScope extends ActingScope {
  readonly projectId: string;
}

export function selectVisible(
  kysely: Kysely<Tables>,
  { organizationId, projectId }: AgentScope,
): SelectQueryBuilder<Tables, "agent_jobs", AgentJobRow> {
  return kysely
    .selectFrom("agent_jobs")
    .select(agentJobColumns)
    .where("project_id", "=", projectId)
    .where("organization_id", "=", organizationId);
}

/** Throws `not_found`. */
export async function findRow(
  kysely: Kysely<Tables>,
  scope: AgentScope,
  jobId: string,
): Promise<AgentJobRow> {
  const row = isId("agentJob", jobId)
    ? await selectVisible(kysely, scope).where("id", "=", jobId).executeTakeFirst()
    : undefined;
  if (row) return row;
  throw jobNotFound(jobId);
}

/** Every change of a job's state locks its row first, including the end of a turn in a worker. */
export async function lockRow(
  transaction: Kysely<Tables>,
  scope: AgentScope,
  jobId: string,
): Promise<AgentJobRow> {
  const row = isId("agentJob", jobId)
    ? await selectVisible(transaction, scope)
        .where("id", "=", jobId)
        .forNoKeyUpdate()
        .executeTakeFirst()
    : undefined;
  if (row) return row;
  throw jobNotFound(jobId);
}

function jobNotFound(jobId: string): OctavoError {
  const shown = JSON.stringify(jobId.slice(0, 100).toWellFormed());
  return new OctavoError("not_found", `There is no agent job ${shown}.`);
}
