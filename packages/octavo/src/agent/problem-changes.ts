import type { Problem } from "@octavo/site/core";
import type { ChangedFile } from "./workspace.ts";

export interface ProblemCounts {
  readonly errors: number;
  readonly warnings: number;
}

/** What a change did to the problems of a site. */
export interface ProblemChanges {
  readonly before: ProblemCounts;
  readonly after: ProblemCounts;
  /** There before and gone. */
  readonly resolved: readonly Problem[];
  /** Not there before. */
  readonly added: readonly Problem[];
}

/**
 * Compares problems by what they say and where, lines left out: text above moves them. Two of a kind
 * in a file are two. A moved file's problems are the same ones.
 */
export function compareProblems(
  before: readonly Problem[],
  after: readonly Problem[],
  changes: readonly ChangedFile[],
): ProblemChanges {
  const moved = new Map(
    changes.flatMap(({ path, from }) => (from === undefined ? [] : [[from, path]])),
  );
  const keyBefore = (problem: Problem) => keyOf(problem, moved.get(problem.file) ?? problem.file);
  return {
    before: countProblems(before),
    after: countProblems(after),
    resolved: without(
      before,
      keyBefore,
      after.map((problem) => keyOf(problem)),
    ),
    added: without(after, keyOf, before.map(keyBefore)),
  };
}

export function countProblems(problems: readonly Problem[]): ProblemCounts {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  return { errors, warnings: problems.length - errors };
}

/** The hint at the end of a message depends on what other pages there are. */
const hintPattern = / Did you mean "[^"]*"\?$/;

function keyOf(problem: Problem, file = problem.file): string {
  const { severity, code, message } = problem;
  return JSON.stringify([severity, code, file, message.replace(hintPattern, "")]);
}

function without(
  problems: readonly Problem[],
  key: (problem: Problem) => string,
  others: readonly string[],
): Problem[] {
  const counts = new Map<string, number>();
  for (const other of others) counts.set(other, (counts.get(other) ?? 0) + 1);
  return problems.filter((problem) => {
    const count = counts.get(key(problem)) ?? 0;
    counts.set(key(problem), count - 1);
    return count <= 0;
  });
}
