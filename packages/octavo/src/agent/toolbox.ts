import type { DrawPage } from "../core/index.ts";
import type { ContentHistory } from "../git/index.ts";
import type { Guide } from "./guides/find-guides.ts";
import { fixedLimits } from "./limits.ts";
import type { PullRequestForm } from "./pull-request/description.ts";
import type { SiteView } from "./site-view.ts";
import type { OpenedSource } from "./sources/turn-source.ts";
import { createCommentTools, type ReviewComment } from "./tools/comments.ts";
import { createEditTools } from "./tools/edit.ts";
import { createHistoryTools } from "./tools/history.ts";
import { createMoveTool } from "./tools/move.ts";
import { createPictureTool } from "./tools/picture.ts";
import { createDescribeTool, createGuideTool, createReadTools } from "./tools/read.ts";
import { createRecipeTools } from "./tools/recipe-tools.ts";
import { createSourceTools } from "./tools/source-tools.ts";
import type { AgentTool } from "./tools/tool.ts";
import { createCheckTool, createViewTool } from "./tools/view.ts";
import type { Workspace } from "./workspace.ts";

interface ToolboxOptions {
  /** The guides for the tool `guide`. Without guides, the tool does not exist. */
  readonly guides?: readonly Guide[];
  /** The history of the site's folder; undefined if the folder is not in a repository. */
  readonly history?: ContentHistory | undefined;
  /** The sources for the source tools. If no source can be read, these tools do not exist. */
  readonly sources?: readonly OpenedSource[];
  /** Media types of the pictures that the model accepts. If omitted, the model accepts no pictures. */
  readonly pictureTypes?: readonly string[] | undefined;
  /** Draws pages as a browser shows them; undefined without a browser. */
  readonly drawPage?: DrawPage | undefined;
  /** Comments on lines of the pull request. Without comments, their tools do not exist. */
  readonly comments?: readonly ReviewComment[] | undefined;
  /** The form of the pull request for the tool `describe`. If omitted, the tool does not exist. */
  readonly pullRequest?: PullRequestForm | undefined;
  /** Whether to create only the indispensable tools, for a model with a small context. */
  readonly isBasic?: boolean;
  /** The maximum length of one result, in characters. */
  readonly outputLength?: number;
}

/** Creates all tools of the model, for the content of one site. */
export function createTools(
  workspace: Workspace,
  view: SiteView,
  options: ToolboxOptions = {},
): readonly AgentTool[] {
  const { guides = [], sources = [], pictureTypes = [], pullRequest } = options;
  const { isBasic = false, outputLength = fixedLimits.maxOutputLength } = options;
  const createSiteTools = (maxLength: number) => {
    const { list, search, read } = createReadTools(workspace, maxLength);
    const { edit, write, remove, undo } = createEditTools(workspace, view, maxLength);
    const { diff, history, blame } = createHistoryTools(workspace, options.history, maxLength);
    const move = createMoveTool(workspace, view);
    const check = createCheckTool(workspace, view, maxLength);
    return [list, search, read, edit, write, move, remove, undo, diff, check, history, blame];
  };
  return [
    ...createSiteTools(outputLength),
    ...(isBasic
      ? []
      : [
          createEditTools(workspace, view, outputLength).replace,
          createViewTool(workspace, view, {
            outputLength,
            drawPage: pictureTypes.includes("image/jpeg") ? options.drawPage : undefined,
          }),
          ...createRecipeTools(workspace, createSiteTools(fixedLimits.maxOutputLength)),
        ]),
    createPictureTool(workspace, pictureTypes),
    ...createSourceTools(sources, outputLength),
    ...(guides.length > 0 ? [createGuideTool(guides, outputLength)] : []),
    ...createCommentTools(options.comments ?? [], outputLength),
    ...(pullRequest ? [createDescribeTool(pullRequest)] : []),
  ];
}
