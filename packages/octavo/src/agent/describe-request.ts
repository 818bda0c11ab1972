import { openRenderChildren } from "@octavo/site";
import { estimateTokens } from "./conversation.ts";
import { findValidSite, openCheckoutRepository, prepareFirstRequest } from "./first-request.ts";
import type { PromptSection } from "./prompt/system-prompt.ts";
import { createSiteView } from "./site-view.ts";
import { openSources } from "./sources/open-sources.ts";
import type { TurnSettings } from "./task.ts";
import { describeTool, type ToolDescription } from "./tools/tool.ts";
import { createMemoryTranscript, getTimestamp } from "./transcript.ts";
import { openWorkspace } from "./workspace.ts";

/** The first request that a model would receive. */
export interface DescribedRequest {
  readonly system: readonly PromptSection[];
  readonly tools: readonly ToolDescription[];
  readonly message: string;
  /** Estimated tokens by part. The estimates tend to be too high rather than too low. */
  readonly tokens: readonly { readonly part: string; readonly tokens: number }[];
}

/** Prepares a turn like `performTurn`, but sends nothing. */
export async function describeRequest(
  settings: Pick<
    TurnSettings,
    | "checkout"
    | "siteDir"
    | "repository"
    | "sources"
    | "model"
    | "limits"
    | "cacheDir"
    | "workers"
    | "signal"
  > & { readonly message: string },
): Promise<DescribedRequest> {
  const { checkout, siteDir, model, limits, cacheDir, workers, signal, message } = settings;
  const workspace = await openWorkspace({ checkout, siteDir, changedFiles: limits.changedFiles });
  await using children = openRenderChildren();
  const view = createSiteView(workspace, { cacheDir, workers, children });
  const problems = await view.problems(signal);
  const request = await prepareFirstRequest({
    workspace,
    view,
    site: await findValidSite(view, signal),
    problems,
    sources: await openSources(settings.sources ?? [], createMemoryTranscript(), signal),
    repository: settings.repository ?? (await openCheckoutRepository(checkout, workspace)),
    today: getTimestamp().slice(0, "2026-11-22".length),
    model,
  });
  return describePreparedRequest(request, message);
}

/** Describes the content sent with a message, and the tokens that it takes. */
export function describePreparedRequest(
  { system, tools }: Awaited<ReturnType<typeof prepareFirstRequest>>,
  message: string,
): DescribedRequest {
  const descriptions = tools.map(describeTool);
  return {
    system,
    tools: descriptions,
    message,
    tokens: [
      ...system.map(({ name, text }) => ({ part: name, tokens: estimateTokens(text) })),
      { part: "tools", tokens: estimateTokens(descriptions) },
      { part: "message", tokens: estimateTokens(message) },
    ],
  };
}
