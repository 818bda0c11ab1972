/**
 * `builtin/recipes`, the model that needs no network. `recipes-model.ts` reads the messages, `instruction/` parses the
 * last one, `tasks/` contains a plan for each kind of task, and `plan.ts` replays the plan up to the current state of
 * the conversation.
 */
export { createRecipesModel } from "./recipes-model.ts";
