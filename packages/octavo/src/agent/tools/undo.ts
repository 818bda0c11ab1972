import { z } from "zod";
import { planDeletion } from "../edits/delete-plan.ts";
import type { SiteView } from "../site-view.ts";
import type { Workspace } from "../workspace.ts";
import { defineTool, Path } from "./tool.ts";
import type { AgentTool } from "./tool.ts";
import { toUpkeepOutput } from "./upkeep.ts";

const Input = z.strictObject({
  path: Path.describe("A file you changed, added, moved (old or new path) or deleted."),
});

export function createUndoTool(workspace: Workspace, view: SiteView): AgentTool {
  return defineTool({
    name: "undo",
    description:
      "Undoes everything you did to one file in this turn: its text, its move or its deletion, with the navigation entries, links and redirects that `move` or `delete` changed for it. Removes a new file with its navigation entries. `left` names files where such a change was edited since and stays.",
    input: Input,
    isChanging: true,
    async run({ path }, signal) {
      const changes = await workspace.changes();
      if (changes.some((file) => file.path === path && file.kind === "added")) {
        const plan = await planDeletion({ workspace, view, path, redirectTo: undefined, signal });
        await workspace.apply(plan.changes);
        return { removed: path, ...toUpkeepOutput(plan) };
      }
      const { path: restored, reverted, left } = await workspace.undo(path);
      return { restored, reverted, ...(left.length > 0 && { left }) };
    },
  });
}
