import type { Problem } from "./problem.ts";

/** Problems that say the same, with all of their places in the order in which they were listed. */
export interface ProblemGroup extends Pick<Problem, "severity" | "code" | "message"> {
  readonly problems: readonly Problem[];
}

/** As a list of work: errors first, then what occurs most often, then in the order in which they were listed. */
export function groupProblems(problems: readonly Problem[]): readonly ProblemGroup[] {
  const groups = Map.groupBy(problems, ({ severity, code, message }) =>
    JSON.stringify([severity, code, message]),
  );
  return [...groups.values()]
    .flatMap((own) => {
      const [first] = own;
      if (first === undefined) return [];
      const { severity, code, message } = first;
      return [{ severity, code, message, problems: own }];
    })
    .toSorted(
      (one, other) => rank(one) - rank(other) || other.problems.length - one.problems.length,
    );
}

function rank({ severity }: ProblemGroup): number {
  return severity === "error" ? 0 : 1;
}
