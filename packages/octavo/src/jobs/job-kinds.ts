import { agentKind } from "./agent/kind.ts";
import type { AnyJobKind } from "./lifecycle/job-kind.ts";
import { staticExportKind } from "./static-export/kind.ts";

/**
 * The kinds of jobs. Queues, retention, metrics, quotas and restored backups go through this list: a kind that is in it
 * is complete.
 */
export const jobKinds: readonly AnyJobKind[] = [staticExportKind, agentKind];
