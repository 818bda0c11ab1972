import type { BuiltinModels } from "../model/index.ts";

/** The models included with Octavo. They are loaded when one of them is first opened. */
export const builtinModels: BuiltinModels = {
  recipes: async () => (await import("../recipes/index.ts")).createRecipesModel(),
};
