/** A problem of an export, as its report lists it. */
export interface ReportedProblem {
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** What a list of problems is limited to; all where absent. */
export interface ProblemFilter {
  readonly kind?: string | undefined;
  readonly file?: string | undefined;
}

export function matchesFilter(
  { code, file }: ReportedProblem,
  { kind, file: wanted }: ProblemFilter,
): boolean {
  return (kind === undefined || code === kind) && (wanted === undefined || file === wanted);
}
