import { realpath } from "node:fs/promises";
import { relative, sep } from "node:path";
import type { Site } from "@octavo/site";
import { isOctavoError, type Problem } from "@octavo/site/core";
import type { DrawPage } from "../core/index.ts";
import type { ContentHistory } from "../git/index.ts";
import type { AgentModel } from "./ask-model.ts";
import { estimateTokens, planContext, type ContextBudget } from "./conversation.ts";
import { readConfigurationFiles } from "./edits/configuration.ts";
import { createFolderReader, findGuides, type RepositoryReader } from "./guides/find-guides.ts";
import { fixedLimits } from "./limits.ts";
import { readSiteUsage } from "./prompt/site-facts.ts";
import { buildSystemPrompt, type PromptSection } from "./prompt/system-prompt.ts";
import type { PullRequestForm } from "./pull-request/description.ts";
import type { SiteView } from "./site-view.ts";
import type { OpenedSource } from "./sources/turn-source.ts";
import { createTools } from "./toolbox.ts";
import type { ReviewComment } from "./tools/comments.ts";
import { describeTool, type AgentTool } from "./tools/tool.ts";
import type { Workspace } from "./workspace.ts";

/** The parts of the first request of a turn that all later requests repeat. */
interface FirstRequest {
  readonly system: readonly PromptSection[];
  readonly tools: readonly AgentTool[];
  /** The token limits for the conversation and for tool results. */
  readonly budget: ContextBudget;
}

/** The reader for a team's guides, and the path of the site's folder from the repository's root; empty for the root. */
export interface GuideRepository {
  readonly reader: RepositoryReader;
  readonly siteFolder: string;
}

interface FirstRequestInput {
  readonly workspace: Workspace;
  readonly view: SiteView;
  /** The site when the turn began; undefined if it cannot be read. */
  readonly site: Site | undefined;
  readonly problems: readonly Problem[];
  readonly repository: GuideRepository;
  /** The history of the site's folder; undefined if the site is not in a repository. */
  readonly history?: ContentHistory | undefined;
  readonly sources: readonly OpenedSource[];
  /** Comments on lines of the pull request. */
  readonly comments?: readonly ReviewComment[] | undefined;
  /** Draws pages as a browser shows them; undefined without a browser. */
  readonly drawPage?: DrawPage | undefined;
  /** The date of the instruction, such as `2026-11-22`. */
  readonly today: string;
  readonly model: Pick<AgentModel, "id" | "limits" | "pictureTypes">;
  /** The form of the pull request. Omitted if the work does not become a pull request. */
  readonly pullRequest?: PullRequestForm | undefined;
  /** Notes on what reviewers rejected in earlier pull requests, newest first. */
  readonly reviewNotes?: readonly string[] | undefined;
}

/**
 * The maximum number of tokens for the system prompt, the tools and a short message, as estimated by `estimateTokens`.
 * For a model with a small context, `maxContextShare` of the context is the maximum.
 */
const maxFirstRequestTokens = 12_000;
const maxContextShare = 0.35;
const messageTokens = 300;
/**
 * A model with a smaller context gets only the basic tools, because the other descriptions would take a tenth of it.
 */
const minContextForAllTools = 20_000;

/**
 * Gathers everything that the model receives before it starts. Throws `too_large` if the model's context is too small.
 */
export async function prepareFirstRequest(input: FirstRequestInput): Promise<FirstRequest> {
  const { workspace, view, site, problems, repository, sources, today, model } = input;
  const files = await workspace.listFiles();
  const pages = new Set(site?.pages.map(({ file }) => file));
  const guides = await findGuides({ ...repository, files, pages });
  const { pictureTypes } = model;
  const { history, comments, pullRequest, drawPage } = input;
  const isBasic = model.limits.contextTokens < minContextForAllTools;
  const pictureOptions = { pictureTypes, drawPage };
  const options = { guides, history, sources, ...pictureOptions, comments, pullRequest, isBasic };
  const unlimitedTools = createTools(workspace, view, options);
  const requestTokens = Math.min(
    maxFirstRequestTokens,
    Math.floor(model.limits.contextTokens * maxContextShare),
  );
  const system = buildSystemPrompt({
    site,
    usage: await readSiteUsage(workspace),
    problems,
    guides,
    sources,
    configurationFiles: await listOtherConfigurationFiles(workspace),
    today,
    pullRequest,
    reviewNotes: input.reviewNotes,
    maxTokens: requestTokens - messageTokens - estimateTokens(unlimitedTools.map(describeTool)),
  });
  const budget = planContext(model, { system: joinSections(system), tools: unlimitedTools });
  const { resultLength: outputLength } = budget;
  const tools = createTools(workspace, view, { ...options, outputLength });
  return { system, tools, budget };
}

/** A budget without token limits, for which conversations are not measured. */
const unlimitedBudget: ContextBudget = {
  conversationTokens: Infinity,
  resultTokens: Infinity,
  resultLength: fixedLimits.maxOutputLength,
};

/**
 * Prepares a turn of a built-in model, which needs no system prompt and has no context limit. Writing the prompt and
 * measuring the context would take a noticeable part of a short turn.
 */
export function prepareBuiltinRequest(input: FirstRequestInput): FirstRequest {
  const { workspace, view } = input;
  const tools = createTools(workspace, view, input);
  return { system: [], tools, budget: unlimitedBudget };
}

/** Returns the site in its current state, or undefined if the folder is not a site. */
export async function findValidSite(
  view: SiteView,
  signal: AbortSignal,
): Promise<Site | undefined> {
  try {
    return await view.site(signal);
  } catch (error) {
    if (isOctavoError(error, "site_invalid")) return undefined;
    throw error;
  }
}

/** Opens a checkout whose root is the repository's root. */
export async function openCheckoutRepository(
  checkout: string,
  workspace: Workspace,
): Promise<GuideRepository> {
  const root = await realpath(checkout);
  const siteFolder = relative(root, workspace.root).split(sep).join("/");
  return { reader: createFolderReader(root), siteFolder };
}

/** Returns the system prompt as one text. */
export function joinSections(sections: readonly PromptSection[]): string {
  return sections.map(({ text }) => text).join("\n\n");
}

async function listOtherConfigurationFiles(workspace: Workspace): Promise<readonly string[]> {
  try {
    const found = await readConfigurationFiles((path) => workspace.readText(path));
    return [...(found?.files.keys() ?? [])].slice(1);
  } catch (error) {
    if (isOctavoError(error, "invalid_input")) return [];
    throw error;
  }
}
