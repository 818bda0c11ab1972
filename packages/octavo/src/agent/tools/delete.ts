import { z } from "zod";
import { deletePlan } from "../edits/delete-plan.ts";
import type { SiteView } from "../site-view.ts";
import type { Workspace } from "../workspace.ts";
import { defineTool, Path } from "./tool.ts";
import type { AgentTool } from "./tool.ts";
import { upkeepOutput } from "./upkeep.ts";

const Input = z.strictObject({
  path: Path.describe("The page or file to remove."),
  redirectTo: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe("Where readers of the page shall go: a page such as /guides/start, or a URL."),
});

export function createDeleteTool(workspace: Workspace, view: SiteView): AgentTool {
  return defineTool({
    name: "delete",
    description:
      "Removes a page or file with its navigation entries; groups that then hold nothing go too. With `redirectTo`, its old address leads there and links to the page are changed to it. Without, `linksLeft` names the links that now lead nowhere: change or remove them.",
    input: Input,
    isChanging: true,
    async run({ path, redirectTo }, signal) {
      const plan = await deletePlan({ workspace, view, path, redirectTo, signal });
      await workspace.apply(plan.changes);
      return { path, ...upkeepOutput(plan) };
    },
  });
}
