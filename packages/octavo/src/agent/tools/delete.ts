import { z } from "zod";
import { planDeletion } from "../edits/delete-plan.ts";
import type { SiteView } from "../site-view.ts";
import type { Workspace } from "../workspace.ts";
import { defineTool, Path } from "./tool.ts";
import type { AgentTool } from "./tool.ts";
import { toUpkeepOutput } from "./upkeep.ts";

const Input = z.strictObject({
  path: Path,
  redirectTo: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe("Where readers go instead: a page, as /guides/start, or a URL."),
});

export function createDeleteTool(workspace: Workspace, view: SiteView): AgentTool {
  return defineTool({
    name: "delete",
    description:
      "Deletes a page or file, with its navigation entries and the groups left empty. With `redirectTo`, its address redirects there and links to it are changed. Without it, `linksLeft` lists links that now lead nowhere: change or remove them.",
    input: Input,
    isChanging: true,
    async run({ path, redirectTo }, signal) {
      const plan = await planDeletion({ workspace, view, path, redirectTo, signal });
      await workspace.apply(plan.changes);
      return { path, ...toUpkeepOutput(plan) };
    },
  });
}
