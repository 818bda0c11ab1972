/** A problem of an export, as its report lists it. */
export interface ReportedProblem {
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** Equal problems, with all of their places. */
export interface ProblemGroup extends Pick<ReportedProblem, "severity" | "code" | "message"> {
  readonly places: readonly ReportedProblem[];
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

/** Errors first, and what occurs most often before the rest; otherwise in the report's order. */
export function groupProblems(problems: readonly ReportedProblem[]): readonly ProblemGroup[] {
  const groups = new Map<string, ReportedProblem[]>();
  for (const problem of problems) {
    const key = `${problem.severity} ${problem.code} ${problem.message}`;
    const places = groups.get(key);
    if (places) places.push(problem);
    else groups.set(key, [problem]);
  }
  return [...groups.values()]
    .flatMap((places) => {
      const [first] = places;
      if (!first) return [];
      const { severity, code, message } = first;
      return [{ severity, code, message, places }];
    })
    .toSorted((one, other) => rank(one) - rank(other) || other.places.length - one.places.length);
}

function rank({ severity }: ProblemGroup): number {
  return severity === "error" ? 0 : 1;
}
