import type { Clause } from "../instruction/clauses.ts";
import type { Task } from "../instruction/task.ts";
import type { Plan } from "../plan.ts";

/** Something that the model can do: how it is asked for, and how it is done. */
export interface Recipe<Asked extends Task = Task> {
  readonly kind: Asked["kind"];
  /** For a person who asked for something else, e.g. `fix broken links and anchors`. */
  readonly ability: string;
  /** What the clause asks for; undefined where it asks for something else, or for more than this. */
  parse(clause: Clause): readonly Asked[] | undefined;
  /**
   * Does it and gives back what to tell of it, in Markdown. Throws `invalid_input` for names that the site
   * does not have.
   */
  run(task: Asked): Plan<string>;
}
