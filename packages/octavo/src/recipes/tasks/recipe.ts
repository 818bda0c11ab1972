import type { Task } from "../instruction/task.ts";
import type { Plan } from "../plan.ts";

/** A kind of task that the model can carry out. `instruction/forms.ts` contains the instructions for it. */
export interface Recipe<Asked extends Task = Task> {
  readonly kind: Asked["kind"];
  /**
   * Carries out the task and returns its report in Markdown. Throws `invalid_input` for names that the site does not
   * have. Repeating a task must change nothing.
   */
  run(task: Asked): Plan<string>;
}
