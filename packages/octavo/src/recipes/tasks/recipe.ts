import type { Task } from "../instruction/task.ts";
import type { Plan } from "../plan.ts";

/** Something that the model can do. What it is asked for with stands in `instruction/forms.ts`. */
export interface Recipe<Asked extends Task = Task> {
  readonly kind: Asked["kind"];
  /**
   * Does it and gives back what to tell of it, in Markdown. Throws `invalid_input` for names that the site
   * does not have. Done again it must find nothing to do.
   */
  run(task: Asked): Plan<string>;
}
