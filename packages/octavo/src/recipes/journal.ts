import { errorOf, isChange } from "./plan.ts";
import type { Plan, ToolAnswer, ToolCall } from "./plan.ts";

/** One use of a tool that changed a file, or was to. */
export interface Change {
  readonly tool: string;
  readonly path: string;
  /** What the file held; undefined for a new one, and where only the tool knows. */
  readonly before: string | undefined;
  /** Why it was not made: so many files may change and no more. */
  readonly maxFiles?: number;
}

/** What was changed, in order. */
export interface Journal {
  readonly changes: readonly Change[];
  /** The same work, of which each change is noted. */
  record<T>(plan: Plan<T>): Plan<T>;
}

export function createJournal(): Journal {
  const changes: Change[] = [];
  return {
    changes,
    *record(plan) {
      let step = plan.next([]);
      while (step.done !== true) {
        const calls = step.value;
        const answers = yield calls;
        calls.forEach((call, index) => changes.push(...changeOf(call, answers[index] ?? {})));
        step = plan.next(answers);
      }
      return step.value;
    },
  };
}

function changeOf(call: ToolCall, answer: ToolAnswer): Change[] {
  if (!isChange(call)) return [];
  const { tool, before, input } = call;
  const change = { tool, path: String(input.path ?? input.to), before };
  const error = errorOf(answer);
  if (error === undefined) return [change];
  const max = /at most ([\d,.]+) may change/.exec(error)?.[1];
  return max === undefined ? [] : [{ ...change, maxFiles: Number(max.replaceAll(/\D/g, "")) }];
}

/**
 * Gives files back what they held, and takes new ones away. What `move` and `delete` did stays: they know alone which
 * files it was; a job that fails publishes none of it.
 */
export function* undo({ changes }: Journal): Plan<void> {
  const first = new Map<string, Change>();
  for (const change of changes) if (!first.has(change.path)) first.set(change.path, change);
  const calls = [...first.values()].flatMap(({ tool, path, before, maxFiles }): ToolCall[] => {
    if (maxFiles !== undefined) return [];
    if (before !== undefined) return [{ tool: "write", input: { path, content: before } }];
    return tool === "write" ? [{ tool: "delete", input: { path } }] : [];
  });
  if (calls.length > 0) yield calls;
}
