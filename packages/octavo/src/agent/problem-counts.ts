import type { ProblemCounts } from "@octavo/site/core";

/** `3 errors and 1 warning`. */
export function countsText({ errors, warnings }: ProblemCounts): string {
  return `${errors} ${errors === 1 ? "error" : "errors"} and ${warnings} ${warnings === 1 ? "warning" : "warnings"}`;
}
