import type { Config } from "../config/index.ts";

/** For so long a job says that its bundle is gone (410), before nothing is known of it (404). */
const jobsOutliveBundlesDays = 60;

/** How long things are stored after their end. */
export interface RetentionDays {
  readonly bundleDays: number;
  readonly jobDays: number;
  readonly auditDays: number;
}

export function retentionOf({
  retentionDays,
  auditDays,
}: Pick<Config, "retentionDays" | "auditDays">): RetentionDays {
  return { bundleDays: retentionDays, jobDays: retentionDays + jobsOutliveBundlesDays, auditDays };
}
