import {
  createMemoryTranscript,
  defaultAgentLimits,
  performTurn,
} from "../../../packages/octavo/src/agent/index.ts";
import { parseAllowList } from "../../../packages/octavo/src/core/index.ts";
import { createFolderHistory } from "../../../packages/octavo/src/git/index.ts";
import { openModel } from "../../../packages/octavo/src/model/index.ts";
import { createRecipesModel } from "../../../packages/octavo/src/recipes/index.ts";

export interface RecipeRun {
  readonly folder: string;
  readonly cacheDir: string;
  /** Whether Git's history may be read. */
  readonly hasHistory: boolean;
}

/** One turn of `builtin/recipes` on the folder, with the tools and limits of the service; gives back its summary. */
export async function fixLinksIn({ folder, cacheDir, hasHistory }: RecipeRun): Promise<string> {
  const allow = parseAllowList("");
  const model = await openModel("builtin/recipes", {
    allow,
    builtin: { recipes: async () => createRecipesModel() },
  });
  const { outcome, error, summary } = await performTurn({
    checkout: folder,
    siteDir: ".",
    history: hasHistory ? await createFolderHistory({ folder }).content() : undefined,
    model,
    instruction: { id: "1", text: "Fix the broken links" },
    transcript: createMemoryTranscript(),
    limits: { ...defaultAgentLimits, changedFiles: 5_000 },
    cacheDir,
    signal: new AbortController().signal,
  });
  if (outcome !== "completed") throw new Error(`The recipe ended as ${outcome}: ${error?.message}`);
  return summary ?? "";
}
