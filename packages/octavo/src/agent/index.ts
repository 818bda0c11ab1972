/**
 * Runs an agent on a checkout. `performTurn` checks the site, lets a model change its content through `tools/`, checks
 * the site again, and reports the outcome. It does not depend on the database, the queue or the code host. Its caller
 * commits, pushes and opens the pull request with `formatPullRequest`.
 */
export { performTurn } from "./task.ts";
export type { TurnSettings, TurnOutcome } from "./task.ts";
export { describeRequest } from "./describe-request.ts";
export type { DescribedRequest } from "./describe-request.ts";
export type { GuideRepository } from "./first-request.ts";
export { createFolderReader, maxGuideBytes } from "./guides/find-guides.ts";
export type { AgentModel } from "./ask-model.ts";
export type { FixedSource, TurnSource } from "./sources/turn-source.ts";
export { collectCitations } from "./citations/citation-section.ts";
export { defaultAgentLimits } from "./limits.ts";
export type { AgentLimits } from "./limits.ts";
export { canResolveConflict } from "./content.ts";
export { createMemoryTranscript, sumUsage } from "./transcript.ts";
export type {
  AgentUsage,
  MessageEntry,
  ModelEntry,
  NoteEntry,
  ReplyUsage,
  SourcesEntry,
  ToolEntry,
  Transcript,
  TranscriptEntry,
} from "./transcript.ts";
export type { ModelDescription, PullRequestForm } from "./pull-request/description.ts";
export { findTemplate } from "./pull-request/description.ts";
export { detectConvention, sanitizeTitle, formatTitle } from "./pull-request/title.ts";
export { formatInertCode } from "./pull-request/sanitize-markdown.ts";
export { findActiveContent } from "./active-content.ts";
export type { ActiveContent } from "./active-content.ts";
export { formatPullRequest } from "./pull-request-text.ts";
export type { PullRequestInput, PullRequestText } from "./pull-request-text.ts";
export type { PageName, SitePages } from "./site-view.ts";
export type { ProblemChanges } from "./problem-changes.ts";
export type { ChangedFile } from "./changes/text-changes.ts";
export type { Workspace, WorkspaceOptions } from "./workspace.ts";
export { createTools } from "./toolbox.ts";
export { openWorkspace } from "./workspace.ts";
export { createSiteView } from "./site-view.ts";
export type { SiteView, SiteViewOptions } from "./site-view.ts";
export { describeToolCall, formatToolCall, getActivity } from "./tools/describe-tool-call.ts";
export type { Activity } from "./tools/describe-tool-call.ts";
export { collectAnswers } from "./tools/comments.ts";
export type { ReviewComment } from "./tools/comments.ts";
export type { AgentTool, ToolOutput, ToolResult } from "./tools/tool.ts";
