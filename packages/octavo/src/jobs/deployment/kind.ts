import { sql } from "kysely";
import type { Database, DeploymentsTable, Row } from "../../db/index.ts";
import { openJobChanges } from "../lifecycle/job-changes.ts";
import type { JobChanges } from "../lifecycle/job-changes.ts";
import type { ColumnChanges, JobKind, JobMessage, MessageContext } from "../lifecycle/job-kind.ts";
import { checkBundles } from "../lifecycle/quotas.ts";
import { createLogChange } from "../static-export/kind.ts";
import { addAddress, deploymentColumns, toDeploymentSnapshot } from "./job.ts";
import type { DeploymentRow, DeploymentSnapshot } from "./job.ts";

export interface DeploymentTypes {
  readonly Row: Row<"deployments">;
  readonly View: DeploymentRow;
  readonly Snapshot: DeploymentSnapshot;
  readonly Changes: ColumnChanges<DeploymentsTable>;
}

/** The channel on which nodes learn of changes to deployments. */
export const deploymentChannel = "octavo_deployment";

export const deploymentKind: JobKind<DeploymentTypes> = {
  name: "deployment",
  idKind: "deployment",
  table: "deployments",
  queue: "deployment",
  channel: deploymentChannel,
  statuses: { open: ["queued", "building"], running: "building", completed: "ready" },
  endedColumn: "ended_at",
  columns: deploymentColumns,
  toSnapshot: toDeploymentSnapshot,
  audit: { started: "deployment.started", cancelled: "deployment.cancelled" },
  getTargetName: ({ slug }) => slug,
  checkQuotas: checkBundles,
  async onFailed(_transaction, _row, { error, isCancelled }) {
    return isCancelled ? {} : createLogChange({ text: `Failed: ${error}` });
  },
  createMessage: (row, status, context) =>
    createDeploymentMessage(row, status === "completed" ? "ready" : "failed", context),
  getMetricKind: ({ kind }) => `deployment_${kind}`,
  metricSql: sql`'deployment_' || kind`,
  isUrgent: sql`kind in ('production', 'upload')`,
  isRemovable: sql`bundle_key is null`,
  hasReadRepository: sql`status = 'ready' and kind <> 'upload'`,
};

/** Creates the webhook message about a deployment. */
export function createDeploymentMessage(
  row: DeploymentRow,
  event: "ready" | "published" | "failed",
  { toOrigin }: MessageContext,
): JobMessage {
  const data = addAddress(toDeploymentSnapshot(row).job, toOrigin);
  return { event: `deployment.${event}`, data };
}

export type DeploymentChanges = JobChanges;

export function openDeploymentChanges(database: Database): Promise<DeploymentChanges> {
  return openJobChanges(database, deploymentKind);
}
