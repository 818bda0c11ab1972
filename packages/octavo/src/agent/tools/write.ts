import { z } from "zod";
import { isOctavoError } from "@octavo/site/core";
import type { Workspace } from "../workspace.ts";
import { defineTool, Path } from "./tool.ts";
import type { AgentTool } from "./tool.ts";

const Input = z.strictObject({
  path: Path,
  content: z.string().max(2_000_000).describe("The file's whole text."),
});

export function createWriteTool(workspace: Workspace): AgentTool {
  return defineTool({
    name: "write",
    description:
      "Creates a file, or replaces its whole text. A new page needs frontmatter with `title` and `description`, and an entry in the navigation: edit docs.json, or the file that it names by $ref.",
    input: Input,
    isChanging: true,
    async run({ path, content }) {
      const isThere = await exists(workspace, path);
      await workspace.apply([{ type: "write", path, text: content }]);
      return { path, created: !isThere };
    },
  });
}

async function exists(workspace: Workspace, path: string): Promise<boolean> {
  try {
    await workspace.kindOf(path);
    return true;
  } catch (error) {
    if (isOctavoError(error, "not_found")) return false;
    // A JSON file that the configuration references may be created, but is not content until then.
    if (isOctavoError(error, "invalid_input")) return false;
    throw error;
  }
}
