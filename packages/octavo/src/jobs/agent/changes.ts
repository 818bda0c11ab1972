import type { Database } from "../../db/index.ts";
import { JobChanges } from "../lifecycle/job-changes.ts";
import type { AgentJobStatus } from "./job.ts";

export type AgentChanges = JobChanges<AgentJobStatus>;

export function openAgentChanges(database: Database): Promise<AgentChanges> {
  return new JobChanges<AgentJobStatus>().listen(database, "octavo_agent");
}
