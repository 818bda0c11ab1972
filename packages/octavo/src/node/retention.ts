import type { Config } from "../config/index.ts";

/**
 * The number of days for which a job reports that its bundle was removed (410) before the job itself is deleted (404).
 */
const bundlelessJobDays = 60;

/** The times for which data is stored after a job or event has ended, in days. */
export interface RetentionDays {
  readonly bundleDays: number;
  readonly jobDays: number;
  readonly auditDays: number;
}

export function getRetention({
  retentionDays,
  auditDays,
}: Pick<Config, "retentionDays" | "auditDays">): RetentionDays {
  return { bundleDays: retentionDays, jobDays: retentionDays + bundlelessJobDays, auditDays };
}
