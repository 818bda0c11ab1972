import type { Isolation } from "../isolation/index.ts";
import { createAddresses } from "./addresses.ts";
import { agentJobPage } from "./pages/agent-job.ts";
import type { AgentJobView } from "./pages/agent-job.ts";
import { changesPage } from "./pages/pull-request/changes.ts";
import type { ChangesView } from "./pages/pull-request/changes.ts";
import { conversationPage } from "./pages/pull-request/conversation.ts";
import type { ConversationView } from "./pages/pull-request/conversation.ts";
import { renderedPage } from "./pages/pull-request/rendered.ts";
import type { RenderedView } from "./pages/pull-request/rendered.ts";
import { receiveHtml } from "./safe-html.ts";
import type { SafeHtml } from "./safe-html.ts";

/** Pages that show diffs, and Markdown of strangers. */
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
  agentJob: agentJobPage,
  conversation: conversationPage,
  changes: changesPage,
  rendered: renderedPage,
};

/** Renders the main part of a page; without others waiting for it if there is much to show. */
export type RenderView = <Name extends keyof Views>(
  name: Name,
  view: Views[Name],
) => Promise<SafeHtml>;

/** What `createViewRenderer` has done in a process of its own. */
export interface ViewOperations {
  renderView<Name extends keyof Views>(
    name: Name,
    basePath: string,
    view: Views[Name],
  ): Promise<string>;
}

/** What takes time to render: Markdown and diffs of strangers, in characters of Markdown that take as long. */
const weights: { readonly [Name in keyof Views]: (view: Views[Name]) => number } = {
  agentJob: (view) => lengthOf(view, maxLength),
  conversation: ({ page, comments }) => lengthOf([page.pullRequest.body, comments], maxLength),
  // The worst diff takes half as long as the worst Markdown.
  changes: ({ diffs, draft }) => lengthOf([diffs, draft], 2 * maxLength) / 2,
  rendered: ({ current }) => lengthOf([current?.before, current?.after], maxLength),
};

/** In characters. The worst Markdown takes 2 ms for a thousand; a process of its own takes 200 ms to start. */
const maxLength = 32 * 1024;

export function createViewRenderer(
  isolation: Isolation<ViewOperations>,
  basePath: string,
): RenderView {
  const addresses = createAddresses(basePath);
  return async (name, view) => {
    if (weights[name](view) <= maxLength) return pages[name](addresses, view);
    return receiveHtml(await isolation.run((program) => program.renderView(name, basePath, view)));
  };
}

/** The same, in the process that it is handed to. */
export function renderSentView<Name extends keyof Views>(
  name: Name,
  basePath: string,
  view: Views[Name],
): string {
  return String(pages[name](createAddresses(basePath), view));
}

/** Characters of all texts in a value; not counted further once they exceed `max`. */
function lengthOf(value: unknown, max: number): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let length = 0;
  for (const part of Object.values(value)) {
    length += lengthOf(part, max - length);
    if (length > max) break;
  }
  return length;
}
