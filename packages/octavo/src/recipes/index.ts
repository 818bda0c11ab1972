/**
 * `builtin/recipes`, the model that needs no network. `recipes-model.ts` reads the messages of a conversation and
 * replays the plan up to its current state, `instruction/` parses the last user message, and `tasks/` contains a plan
 * for each kind of task.
 *
 * `runTasks` carries out the same tasks without an instruction.
 */
export { createRecipesModel } from "./recipes-model.ts";
export { runTasks } from "./run-forms.ts";
export { skipRepeatedCalls } from "./plan.ts";
export type { Plan, ToolAnswer, ToolCall } from "./plan.ts";
export type { Task } from "./instruction/forms.ts";
