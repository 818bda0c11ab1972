import { agentKind } from "./agent/kind.ts";
import { deploymentKind } from "./deployment/kind.ts";
import type { AnyJobKind } from "./lifecycle/job-kind.ts";
import { staticExportKind } from "./static-export/kind.ts";

/**
 * The kinds of jobs. Queues, retention, metrics, quotas and restored backups all use this list, so a new kind only
 * needs to be added here.
 */
export const jobKinds: readonly AnyJobKind[] = [staticExportKind, agentKind, deploymentKind];

/** The queue of attempts to deliver webhook messages, which do not have the lifecycle of a job. */
export const webhookQueue = "webhook";

/** The names of all queues; every kind of job has its own. */
export const queueNames: readonly string[] = [...jobKinds.map(({ queue }) => queue), webhookQueue];
