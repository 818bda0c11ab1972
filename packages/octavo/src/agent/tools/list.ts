import { z } from "zod";
import { createPathMatcher } from "../patterns.ts";
import type { Workspace } from "../workspace.ts";
import { defineTool } from "./tool.ts";
import type { AgentTool } from "./tool.ts";

const Input = z.strictObject({
  pattern: z
    .string()
    .max(500)
    .optional()
    .describe('A glob, e.g. "guides/**"; without a slash, of names in any folder: "*.png".'),
  limit: z.int().min(1).max(2_000).default(500),
  skip: z.int().min(0).default(0).describe("The number of files already listed."),
});

export function createListTool(workspace: Workspace, outputLength: number): AgentTool {
  return defineTool({
    name: "list",
    description:
      "Lists the site's files, sorted by path: pages, snippets, configuration, API descriptions, pictures. `total` counts all that match. `folder` is the site's folder in its repository: paths are relative to it. You may change at most `maxChangedFiles`.",
    input: Input,
    isChanging: false,
    async run({ pattern, limit, skip }) {
      const all = await workspace.files();
      const files = pattern === undefined ? all : all.filter(createPathMatcher(pattern));
      const { folder, maxChangedFiles } = workspace;
      const place = folder === "" ? {} : { folder };
      const shown = takeFittingNames(files.slice(skip, skip + limit), outputLength);
      return { files: shown, total: files.length, ...place, maxChangedFiles };
    },
  });
}

/** Returns as many names as fit in an answer. In the answer, each name is quoted and followed by a comma. */
export function takeFittingNames(
  files: readonly string[],
  outputLength: number,
): readonly string[] {
  let length = 0;
  const end = files.findIndex((file) => (length += file.length + 3) > outputLength);
  return end < 0 ? files : files.slice(0, end);
}
