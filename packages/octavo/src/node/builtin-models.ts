import type { BuiltinModels } from "../model/index.ts";

/** The models included with Octavo; loaded when one is first opened. */
export const builtinModels: BuiltinModels = {
  recipes: async () => (await import("../recipes/index.ts")).createRecipesModel(),
};
