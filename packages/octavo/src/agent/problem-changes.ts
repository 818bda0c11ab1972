import { countProblems, type Problem, type ProblemCounts } from "@octavo/site/core";
import type { ChangedFile } from "./changes/text-changes.ts";

/** The effect of a change on the problems of a site. */
export interface ProblemChanges {
  readonly before: ProblemCounts;
  readonly after: ProblemCounts;
  /** Problems that exist only before the change. */
  readonly resolved: readonly Problem[];
  /** Problems that exist only after the change. */
  readonly added: readonly Problem[];
}

/**
 * Compares problems by message and file, but not by line, because edits above a problem move it. Two equal problems in
 * a file are counted as two. Problems of a moved file are treated as unchanged.
 */
export function compareProblems(
  before: readonly Problem[],
  after: readonly Problem[],
  changes: readonly ChangedFile[],
): ProblemChanges {
  const newPaths = new Map(
    changes.flatMap(({ path, from }) => (from === undefined ? [] : [[from, path]])),
  );
  const getEarlierKey = (problem: Problem) =>
    getProblemKey(problem, newPaths.get(problem.file) ?? problem.file);
  return {
    before: countProblems(before),
    after: countProblems(after),
    resolved: subtractProblems(
      before,
      getEarlierKey,
      after.map((problem) => getProblemKey(problem)),
    ),
    added: subtractProblems(after, getProblemKey, before.map(getEarlierKey)),
  };
}

/** The hint at the end of a message, which depends on the other pages that exist. */
const hintPattern = / Did you mean "[^"]*"\?$/;

function getProblemKey(problem: Problem, file = problem.file): string {
  const { severity, code, message } = problem;
  return JSON.stringify([severity, code, file, message.replace(hintPattern, "")]);
}

function subtractProblems(
  problems: readonly Problem[],
  getKey: (problem: Problem) => string,
  others: readonly string[],
): Problem[] {
  const counts = new Map<string, number>();
  for (const other of others) counts.set(other, (counts.get(other) ?? 0) + 1);
  return problems.filter((problem) => {
    const count = counts.get(getKey(problem)) ?? 0;
    counts.set(getKey(problem), count - 1);
    return count <= 0;
  });
}

/** Formats counts: `3 errors and 1 warning`. */
export function formatErrorCounts({ errors, warnings }: ProblemCounts): string {
  return `${errors} ${errors === 1 ? "error" : "errors"} and ${warnings} ${warnings === 1 ? "warning" : "warnings"}`;
}
