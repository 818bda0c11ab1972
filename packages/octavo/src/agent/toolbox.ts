import type { ContentHistory } from "../git/index.ts";
import type { Guide } from "./guides/find-guides.ts";
import { fixedLimits } from "./limits.ts";
import type { SiteView } from "./site-view.ts";
import type { OpenedSource } from "./sources/turn-source.ts";
import { createBlameTool, createDiffTool } from "./tools/diff.ts";
import { createCheckTool } from "./tools/check.ts";
import type { PullRequestForm } from "./pull-request/description.ts";
import { createDeleteTool, createEditTool, createUndoTool, createWriteTool } from "./tools/edit.ts";
import { createDescribeTool, createGuideTool, createReadTool } from "./tools/read.ts";
import { createHistoryTool } from "./tools/history.ts";
import { createListTool } from "./tools/list.ts";
import { createMoveTool } from "./tools/move.ts";
import { createPictureTool } from "./tools/picture.ts";
import { createSearchTool } from "./tools/search.ts";
import { createSourceTools } from "./tools/source-tools.ts";
import type { AgentTool } from "./tools/tool.ts";
import type { Workspace } from "./workspace.ts";

interface ToolboxOptions {
  /** The guides for the tool `guide`. Without guides, the tool does not exist. */
  readonly guides?: readonly Guide[];
  /** The history of the site's folder; undefined if the folder is not in a repository. */
  readonly history?: ContentHistory | undefined;
  /** The sources for the source tools. If no source can be read, these tools do not exist. */
  readonly sources?: readonly OpenedSource[];
  /** Media types of the pictures that the model accepts. Defaults to none. */
  readonly pictureTypes?: readonly string[] | undefined;
  /** The form of the pull request for the tool `describe`. If omitted, the tool does not exist. */
  readonly pullRequest?: PullRequestForm | undefined;
  /** The maximum length of one result, in characters. */
  readonly outputLength?: number;
}

/** Creates all tools of the model, for the content of one site. */
export function createTools(
  workspace: Workspace,
  view: SiteView,
  options: ToolboxOptions = {},
): readonly AgentTool[] {
  const { guides = [], history, sources = [], pictureTypes = [], pullRequest } = options;
  const { outputLength = fixedLimits.maxOutputLength } = options;
  return [
    createListTool(workspace, outputLength),
    createSearchTool(workspace, outputLength),
    createReadTool(workspace, outputLength),
    createEditTool(workspace),
    createWriteTool(workspace),
    createMoveTool(workspace, view),
    createDeleteTool(workspace, view),
    createUndoTool(workspace, view),
    createDiffTool(workspace, outputLength),
    createCheckTool(view, outputLength),
    createHistoryTool(workspace, history, outputLength),
    createBlameTool(workspace, history),
    createPictureTool(workspace, pictureTypes),
    ...createSourceTools(sources, outputLength),
    ...(guides.length > 0 ? [createGuideTool(guides, outputLength)] : []),
    ...(pullRequest ? [createDescribeTool(pullRequest)] : []),
  ];
}
