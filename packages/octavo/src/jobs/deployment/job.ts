import { toPublicActor } from "../../core/index.ts";
import type { PublicActor } from "../../core/index.ts";
import type { DeploymentsTable, Row } from "../../db/index.ts";
import { getDeploymentLabel, shortenRef } from "../../publish/index.ts";

export const deploymentStatuses = [
  "queued",
  "building",
  "ready",
  "failed",
  "superseded",
  "removed",
] as const satisfies readonly DeploymentsTable["status"][];
export type DeploymentStatus = (typeof deploymentStatuses)[number];
export const deploymentKinds = ["production", "version", "preview", "upload"] as const satisfies readonly DeploymentsTable["kind"][]; // prettier-ignore
export const deploymentTriggers = ["push", "hook", "poll", "api", "dashboard", "upload"] as const satisfies readonly DeploymentsTable["trigger"][]; // prettier-ignore

/** A deployment as clients see it. Times are RFC 3339 in UTC with milliseconds. */
export interface Deployment {
  readonly id: string;
  readonly projectId: string;
  readonly kind: DeploymentsTable["kind"];
  readonly status: DeploymentStatus;
  /** The progress in percent, from 0 to 100; 100 if and only if the deployment was ready. */
  readonly progress: number;
  readonly trigger: DeploymentsTable["trigger"];
  /** The branch or tag; null for the repository's HEAD, and for an uploaded bundle. */
  readonly ref: string | null;
  readonly pullRequest: number | null;
  /** The full commit hash; null until it is known. */
  readonly commit: string | null;
  /** The first line of the commit's message; null until it is known. */
  readonly subject: string | null;
  /** The name of the commit's author; null until it is known. */
  readonly author: string | null;
  readonly createdBy: PublicActor | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly endedAt: string | null;
  readonly pages: number;
  /** The number of problems in the report; null until they are known. */
  readonly problems: { readonly errors: number; readonly warnings: number } | null;
  /** The size of the bundle; null until it is known. */
  readonly sizeBytes: number | null;
  /** The label of the host that always shows this deployment; null unless it is ready. */
  readonly label: string | null;
  /** Whether the site shows this deployment now. */
  readonly isLive: boolean;
  /** When the site last began to show this deployment; null if it never did. */
  readonly publishedAt: string | null;
  /** The actor that chose to publish it; null if it went live automatically. */
  readonly publishedBy: PublicActor | null;
  /** Set if and only if the deployment failed. */
  readonly error?: string;
  /** A sentence that says what the deployment is waiting for. Omitted while it is not waiting. */
  readonly waitingFor?: string;
}

/** A deployment at one point in time. `revision` changes with every change. */
export interface DeploymentSnapshot {
  readonly job: Deployment;
  readonly revision: number;
  readonly projectId: string;
}

/** A deployment with the address of its host in place of the host's label. */
export type AddressedDeployment = Omit<Deployment, "label"> & { readonly url: string | null };

/** Replaces the label of a deployment's host with its address. */
export function addAddress(
  { label, ...deployment }: Deployment,
  toOrigin: (label: string) => string,
): AddressedDeployment {
  return { ...deployment, url: label === null ? null : toOrigin(label) };
}

/** The columns that a client may read. */
export const deploymentColumns = [
  "id",
  "organization_id",
  "project_id",
  "kind",
  "status",
  "progress",
  "trigger",
  "slug",
  "ref",
  "pull_request",
  "commit",
  "subject",
  "author",
  "created_by",
  "created_at",
  "updated_at",
  "ended_at",
  "page_count",
  "errors",
  "warnings",
  "bundle_key",
  "bundle_bytes",
  "published_at",
  "published_by",
  "left_at",
  "error",
  "waiting_for",
  "revision",
] as const satisfies readonly (keyof DeploymentsTable)[];

export type DeploymentRow = Pick<Row<"deployments">, (typeof deploymentColumns)[number]>;

export function toDeploymentSnapshot(row: DeploymentRow): DeploymentSnapshot {
  const isOpen = row.status === "queued" || row.status === "building";
  const { errors, warnings } = row;
  const job: Deployment = {
    id: row.id,
    projectId: row.project_id,
    kind: row.kind,
    status: row.status,
    progress: row.progress,
    trigger: row.trigger,
    ref: row.ref && shortenRef(row.ref),
    pullRequest: row.pull_request,
    commit: row.commit,
    subject: row.subject,
    author: row.author,
    createdBy: toPublicActor(row.created_by),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
    pages: row.page_count,
    problems: errors === null || warnings === null ? null : { errors, warnings },
    sizeBytes: row.bundle_bytes,
    label: row.bundle_key === null ? null : getDeploymentLabel(row.slug, row.bundle_key),
    isLive: row.published_at !== null && row.left_at === null,
    publishedAt: row.published_at?.toISOString() ?? null,
    publishedBy: toPublicActor(row.published_by),
    ...(row.error !== null && { error: row.error }),
    ...(row.waiting_for !== null && isOpen && { waitingFor: row.waiting_for }),
  };
  return { job, revision: row.revision, projectId: row.project_id };
}
