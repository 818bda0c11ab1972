import type { CheckReport } from "./check-report.ts";
import { fingerprints } from "./fingerprints.ts";

/** A report of GitLab's code quality: a list of issues that merge requests show. */
export function gitlabReport({ problems }: CheckReport): string {
  const names = fingerprints(problems);
  const issues = problems.map(({ severity, file, line = 1, code, message }, at) => ({
    description: message,
    check_name: code,
    fingerprint: names[at],
    severity: severity === "error" ? "major" : "minor",
    location: { path: file, lines: { begin: line } },
  }));
  return JSON.stringify(issues, undefined, 2);
}
