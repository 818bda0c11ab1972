import { z } from "zod";
import { movePlan } from "../edits/move-plan.ts";
import type { SiteView } from "../site-view.ts";
import type { Workspace } from "../workspace.ts";
import { defineTool, Path } from "./tool.ts";
import type { AgentTool } from "./tool.ts";
import { upkeepOutput } from "./upkeep.ts";

const Input = z.strictObject({
  from: Path.describe("The page, snippet or picture to move, e.g. guides/start.mdx"),
  to: Path.describe("Its new path, with the same extension, e.g. tutorials/start.mdx"),
});

export function createMoveTool(workspace: Workspace, view: SiteView): AgentTool {
  return defineTool({
    name: "move",
    description:
      "Moves or renames a page, a snippet or a picture, and keeps the site whole: navigation entries, links and imports that lead to it, its own relative links, and a redirect from a page's old address. Use it rather than writing a new file and deleting the old one. `linksLeft` names links that have to be changed by hand.",
    input: Input,
    isChanging: true,
    async run({ from, to }, signal) {
      const plan = await movePlan({ workspace, view, from, to, signal });
      await workspace.apply(plan.changes);
      return { from, to: plan.to, ...upkeepOutput(plan) };
    },
  });
}
