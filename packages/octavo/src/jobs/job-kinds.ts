import { agentKind } from "./agent/kind.ts";
import type { AnyJobKind } from "./lifecycle/job-kind.ts";
import { staticExportKind } from "./static-export/kind.ts";

/**
 * The kinds of jobs. Queues, retention, metrics, quotas and restored backups all use this list: adding a kind here is
 * all that is needed.
 */
export const jobKinds: readonly AnyJobKind[] = [staticExportKind, agentKind];
