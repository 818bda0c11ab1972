import { z } from "zod";
import { planMove } from "../edits/move-plan.ts";
import type { SiteView } from "../site-view.ts";
import type { Workspace } from "../workspace.ts";
import { defineTool, Path } from "./tool.ts";
import type { AgentTool } from "./tool.ts";
import { toUpkeepOutput } from "./upkeep.ts";

const Input = z.strictObject({
  from: Path.describe("From the site's folder, e.g. guides/start.mdx"),
  to: Path.describe("The new path, with the same extension."),
});

export function createMoveTool(workspace: Workspace, view: SiteView): AgentTool {
  return defineTool({
    name: "move",
    description:
      "Moves or renames a page, snippet or picture and updates what depends on it: navigation, links, imports, its own relative links. Adds a redirect from a page's old address. `linksLeft` lists links to change by hand.",
    input: Input,
    isChanging: true,
    async run({ from, to }, signal) {
      const plan = await planMove({ workspace, view, from, to, signal });
      await workspace.apply(plan.changes);
      return { from, to: plan.to, ...toUpkeepOutput(plan) };
    },
  });
}
