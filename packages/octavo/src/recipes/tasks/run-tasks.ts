import type { Task } from "../instruction/task.ts";
import type { Plan } from "../plan.ts";
import { planFor } from "./recipes.ts";
import { tellParts } from "./telling.ts";

/** Does the tasks one after the other and gives back the summary of all, in Markdown. */
export function* runTasks(tasks: readonly Task[]): Plan<string> {
  const told: string[] = [];
  for (const task of tasks) told.push(yield* planFor(task));
  return tellParts(...told);
}
