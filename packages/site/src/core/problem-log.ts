import type { Problem } from "./problem.ts";

/** A site of hostile or generated files can hold a million problems of one kind; nobody reads more than this. */
const maxPerCode = 1_000;

/** Collects the problems of one site while it is read. */
export class ProblemLog {
  readonly #listed: Problem[] = [];
  readonly #counts = new Map<string, number>();
  readonly #lastUnlisted = new Map<string, Problem>();

  add(problem: Problem): void {
    const count = (this.#counts.get(problem.code) ?? 0) + 1;
    this.#counts.set(problem.code, count);
    if (count <= maxPerCode) this.#listed.push(problem);
    else this.#lastUnlisted.set(problem.code, problem);
  }

  warn(code: string, message: string, place: ProblemPlace): void {
    this.add({ severity: "warning", code, message, ...place });
  }

  fail(code: string, message: string, place: ProblemPlace): void {
    this.add({ severity: "error", code, message, ...place });
  }

  /** The problems, sorted by place; a kind with too many ends with one entry that says how many more there are. */
  sorted(): Problem[] {
    const summaries = [...this.#lastUnlisted.values()].map(({ severity, code, file }) => ({
      severity,
      code,
      message: `${(this.#counts.get(code) ?? 0) - maxPerCode} more problems of this kind are not listed.`,
      file,
    }));
    return sortProblems([...this.#listed, ...summaries]);
  }
}

/** Where a problem is: the part of `Problem` that says so. */
export type ProblemPlace = Pick<Problem, "file" | "line" | "column">;

/** A new list in order of file, line, column, code and message, so that reports are the same every time. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  return problems.toSorted(
    (a, b) =>
      byCodeUnit(a.file, b.file) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0) ||
      byCodeUnit(a.code, b.code) ||
      byCodeUnit(a.message, b.message),
  );
}

/** Order of code units: the same on every machine, unlike `localeCompare`. */
export function byCodeUnit(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
