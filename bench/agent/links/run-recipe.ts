import {
  createSiteView,
  createTools,
  openWorkspace,
} from "../../../packages/octavo/src/agent/index.ts";
import type { AgentTool } from "../../../packages/octavo/src/agent/index.ts";
import { createFolderHistory } from "../../../packages/octavo/src/git/index.ts";
import { skipRepeatedCalls } from "../../../packages/octavo/src/recipes/index.ts";
import type { ToolAnswer, ToolCall } from "../../../packages/octavo/src/recipes/index.ts";
import { runInstruction } from "../../../packages/octavo/src/recipes/testing.ts";
import type { RenderChildren } from "../../../packages/site/src/index.ts";

export interface RecipeRun {
  readonly folder: string;
  readonly cacheDir: string;
  readonly children?: RenderChildren | undefined;
  /** Whether Git's history may be read. */
  readonly hasHistory: boolean;
}

/**
 * Tells the recipe's plan the answers of the service's own tools, and gives back its summary. A job does the same with
 * a transcript, from which it tells the plan again at every step.
 */
export async function fixLinksIn(run: RecipeRun): Promise<string> {
  const tools = await openTools(run);
  const plan = skipRepeatedCalls(runInstruction("Fix the broken links"));
  let step = plan.next([]);
  while (step.done !== true) step = plan.next(await answersTo(step.value, tools));
  return step.value;
}

async function openTools({
  folder,
  cacheDir,
  children,
  hasHistory,
}: RecipeRun): Promise<ReadonlyMap<string, AgentTool>> {
  const workspace = await openWorkspace({ checkout: folder, siteDir: ".", changedFiles: 5_000 });
  const view = createSiteView(workspace, { cacheDir, children });
  const history = hasHistory
    ? await createFolderHistory({ folder }).readContentHistory()
    : undefined;
  return new Map(createTools(workspace, view, { history }).map((tool) => [tool.name, tool]));
}

async function answersTo(
  calls: readonly ToolCall[],
  tools: ReadonlyMap<string, AgentTool>,
): Promise<readonly ToolAnswer[]> {
  const answers: ToolAnswer[] = [];
  for (const { tool, input } of calls) {
    const result = await tools.get(tool)?.call(input, new AbortController().signal);
    if (result === undefined) throw new Error(`There is no tool ${tool}.`);
    answers.push(result.output);
  }
  return answers;
}
