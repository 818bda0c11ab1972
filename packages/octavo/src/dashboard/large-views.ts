import type { Isolation } from "../isolation/index.ts";
import { createAddresses } from "./addresses.ts";
import { renderAgentJobPage } from "./pages/agent-job.ts";
import type { AgentJobView } from "./pages/agent-job.ts";
import { renderChangesPage } from "./pages/pull-request/changes.ts";
import type { ChangesView } from "./pages/pull-request/changes.ts";
import { renderConversationPage } from "./pages/pull-request/conversation.ts";
import type { ConversationView } from "./pages/pull-request/conversation.ts";
import { renderComparedPage } from "./pages/pull-request/rendered.ts";
import type { RenderedView } from "./pages/pull-request/rendered.ts";
import { restoreHtml } from "./safe-html.ts";
import type { SafeHtml } from "./safe-html.ts";

/** The pages that show diffs or untrusted Markdown. */
interface Views {
  readonly agentJob: AgentJobView;
  readonly conversation: ConversationView;
  readonly changes: ChangesView;
  readonly rendered: RenderedView;
}

const pages: {
  readonly [Name in keyof Views]: (
    ...args: [ReturnType<typeof createAddresses>, Views[Name]]
  ) => SafeHtml;
} = {
  agentJob: renderAgentJobPage,
  conversation: renderConversationPage,
  changes: renderChangesPage,
  rendered: renderComparedPage,
};

/**
 * Renders the main part of a page. Large views are rendered in a process of their own and do not delay other requests.
 */
export type RenderView = <Name extends keyof Views>(
  name: Name,
  view: Views[Name],
) => Promise<SafeHtml>;

/** The operations that `createViewRenderer` runs in a process of its own. */
export interface ViewOperations {
  renderView<Name extends keyof Views>(
    name: Name,
    basePath: string,
    view: Views[Name],
  ): Promise<string>;
}

/** The cost of rendering a view's untrusted Markdown and diffs, in characters of Markdown that take as long. */
const weights: { readonly [Name in keyof Views]: (view: Views[Name]) => number } = {
  agentJob: (view) => measureLength(view, maxLength),
  conversation: ({ page, comments }) => measureLength([page.pullRequest.body, comments], maxLength),
  // The worst diff takes half as long as the worst Markdown.
  changes: ({ diffs, draft }) => measureLength([diffs, draft], 2 * maxLength) / 2,
  rendered: ({ current }) => measureLength([current?.before, current?.after], maxLength),
};

/** In characters. The worst Markdown takes 2 ms per thousand characters; starting a process takes 200 ms. */
const maxLength = 32 * 1024;

export function createViewRenderer(
  isolation: Isolation<ViewOperations>,
  basePath: string,
): RenderView {
  const addresses = createAddresses(basePath);
  return async (name, view) => {
    if (weights[name](view) <= maxLength) return pages[name](addresses, view);
    return restoreHtml(await isolation.run((program) => program.renderView(name, basePath, view)));
  };
}

/** Renders a view in the process that received it. */
export function renderSentView<Name extends keyof Views>(
  name: Name,
  basePath: string,
  view: Views[Name],
): string {
  return String(pages[name](createAddresses(basePath), view));
}

/** Counts the characters of all texts in a value; stops once the count exceeds `max`. */
function measureLength(value: unknown, max: number): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let length = 0;
  for (const part of Object.values(value)) {
    length += measureLength(part, max - length);
    if (length > max) break;
  }
  return length;
}
