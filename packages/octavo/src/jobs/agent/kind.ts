import { sql } from "kysely";
import type { Selectable } from "kysely";
import { hostedRepository } from "../../core/index.ts";
import type { AgentJobsTable, Database } from "../../db/index.ts";
import { openJobChanges } from "../lifecycle/job-changes.ts";
import type { JobChanges } from "../lifecycle/job-changes.ts";
import type { ColumnChanges, JobKind } from "../lifecycle/job-kind.ts";
import { agentJobColumns, toAgentJobSnapshot } from "./job.ts";
import type { AgentJobRow, AgentJobSnapshot } from "./job.ts";
import { countCall } from "./rate-limit.ts";
import { dropMessages } from "./turn-end.ts";

export interface AgentTypes {
  readonly Row: Selectable<AgentJobsTable>;
  readonly View: AgentJobRow;
  readonly Snapshot: AgentJobSnapshot;
  readonly Changes: ColumnChanges<AgentJobsTable>;
}

export const agentKind: JobKind<AgentTypes> = {
  name: "agent job",
  idKind: "agentJob",
  table: "agent_jobs",
  queue: "agent",
  channel: "octavo_agent",
  statuses: { open: ["active"], running: "active" },
  endedColumn: "ended_at",
  columns: agentJobColumns,
  snapshot: toAgentJobSnapshot,
  audit: { started: "agent_job.created", cancelled: "agent_job.cancelled" },
  countStart: (transaction, projectId) => countCall(transaction, projectId, "jobs"),
  async onFailed(transaction, row, { error }) {
    return { turn_base: null, last_seq: await dropMessages(transaction, row, error) };
  },
  message(row, status, { repositoryUrl }) {
    const { job } = toAgentJobSnapshot({ ...row, status });
    const { source } = job;
    const isHosted = source.repository === hostedRepository;
    const repository = isHosted ? repositoryUrl(row.project_id) : source.repository;
    return { event: `agent.${status}`, data: { ...job, source: { ...source, repository } } };
  },
  metric: () => "agent",
  metricSql: sql`'agent'`,
  // A job whose pull request is open may be continued by a person.
  isRemovable: sql`pull_request_state is distinct from 'open'`,
  hasReadRepository: sql`job.repository = projects.repository and fork_commit is not null`,
};

export type AgentChanges = JobChanges;

export function openAgentChanges(database: Database): Promise<AgentChanges> {
  return openJobChanges(database, agentKind);
}
