/**
 * `builtin/recipes`, the model that needs no network. The work, in order: `recipes-model.ts` reads the
 * messages, `instruction/` the words of the last one, `tasks/` holds one plan for each thing it can do, and
 * `plan.ts` tells the plan again up to where the conversation stands.
 */
export { createRecipesModel } from "./recipes-model.ts";
