import type { FileChange } from "../prompts/prompt-site.ts";
import { hasText, listAllowedFiles } from "./task-case.ts";
import type { Statement, TaskCase } from "./task-case.ts";

/** The state of a site after an agent worked on it. */
export interface TaskResult {
  /** Empty if nothing would be published. */
  readonly changes: readonly FileChange[];
  /** The person's own change. */
  readonly person: readonly FileChange[];
  /** The file's text at the end; undefined if there is no such file. */
  readonly read: (file: string) => string | undefined;
  /** Problems that the check did not find before. */
  readonly newProblems: readonly string[];
  /** The error of a turn that failed. */
  readonly error: string | undefined;
}

export interface TaskScore {
  /** Everything that was asked holds, and nothing else was done. */
  readonly isDone: boolean;
  /** Something would be published that was not asked for, or that is false. */
  readonly isWrong: boolean;
  readonly faults: readonly string[];
}

/** Lines of the site that an agent may reword beyond those that the person changed. */
const maxLostLines = 8;

/** Scores what an agent left, from its files alone. */
export function scoreTask(task: TaskCase, result: TaskResult): TaskScore {
  const { changes, read, error } = result;
  const missing = [
    ...task.stands
      .filter((statement) => !hasText(read(statement.file) ?? "", statement))
      .map((statement) => `${describe(statement)} does not stand`),
    ...(task.gone ?? [])
      .filter((statement) => hasText(read(statement.file) ?? "", statement))
      .map((statement) => `${describe(statement)} still stands`),
  ];
  const wrong = changes.length === 0 ? [] : findWrong(task, result);
  return {
    isDone: missing.length === 0 && wrong.length === 0 && error === undefined,
    isWrong: wrong.length > 0,
    faults: [...(error === undefined ? [] : [`failed: ${error}`]), ...wrong, ...missing],
  };
}

function findWrong(task: TaskCase, { changes, person, read, newProblems }: TaskResult): string[] {
  const allowed = listAllowedFiles(task);
  const others = changes.map(({ path }) => path).filter((path) => !allowed.has(path));
  return [
    ...others.map((path) => `${path} was changed`),
    ...(task.never ?? [])
      .filter((statement) => hasText(read(statement.file) ?? "", statement))
      .map((statement) => `${describe(statement)} stands`),
    ...newProblems.map((problem) => `new problem: ${problem}`),
    ...changes
      .filter(({ path }) => allowed.has(path))
      .flatMap((change) => {
        const lost = countLost(
          change,
          person.find(({ path }) => path === change.path),
        );
        return lost > maxLostLines
          ? [`${change.path} lost ${lost} lines that the person kept`]
          : [];
      }),
  ];
}

/** Counts the lines that a change removes and the person's change keeps. */
function countLost({ before, after }: FileChange, person: FileChange | undefined): number {
  const now = countLines(after ?? "");
  const kept = countLines(person?.after ?? before ?? "");
  let lost = 0;
  for (const [line, count] of countLines(before ?? "")) {
    lost += Math.max(0, Math.min(count, kept.get(line) ?? 0) - (now.get(line) ?? 0));
  }
  return lost;
}

function countLines(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line !== "") counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return counts;
}

function describe({ file, text }: Statement): string {
  const shown = typeof text === "string" ? JSON.stringify(text) : String(text);
  return `${file}: ${shown}`;
}
