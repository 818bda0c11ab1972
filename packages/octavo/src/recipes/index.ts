/**
 * `builtin/recipes`, the model that needs no network. `recipes-model.ts` reads the messages, `instruction/` parses the
 * last one, `tasks/` contains a plan for each kind of task, and `plan.ts` replays the plan up to the current state of
 * the conversation.
 *
 * `runTasks` carries out the same tasks for a caller that has the tools, without an instruction.
 */
export { createRecipesModel } from "./recipes-model.ts";
export { runTasks } from "./run-forms.ts";
export { skipRepeatedCalls } from "./plan.ts";
export type { Plan, ToolAnswer, ToolCall } from "./plan.ts";
export type { Task } from "./instruction/forms.ts";
