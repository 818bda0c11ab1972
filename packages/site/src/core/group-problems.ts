import type { Problem } from "./problem.ts";

type Saying = Pick<Problem, "severity" | "code" | "message">;

/** Problems that say the same, in the order in which they were listed. */
export interface ProblemGroup<Listed extends Saying = Problem> extends Saying {
  readonly problems: readonly Listed[];
}

/** As a list of work: errors first, then what occurs most often, then in the order in which they were listed. */
export function groupProblems<Listed extends Saying>(
  problems: readonly Listed[],
): readonly ProblemGroup<Listed>[] {
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

function rank({ severity }: Saying): number {
  return severity === "error" ? 0 : 1;
}
