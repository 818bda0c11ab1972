import type { Isolation } from "../isolation/index.ts";
import { createAddresses, type Addresses } from "./addresses.ts";
import type { AgentJobView } from "./pages/agent-job.ts";
import type { ChangesView } from "./pages/pull-request/changes.ts";
import type { ConversationView } from "./pages/pull-request/conversation.ts";
import type { RenderedView } from "./pages/pull-request/preview.ts";
import { restoreHtml, type SafeHtml } from "./safe-html.ts";

/** The pages that show diffs or untrusted Markdown. */
interface Views {
  readonly agentJob: AgentJobView;
  readonly conversation: ConversationView;
  readonly changes: ChangesView;
  readonly rendered: RenderedView;
}

type Renderers = {
  readonly [Name in keyof Views]: (addresses: Addresses, view: Views[Name]) => SafeHtml;
};

/**
 * Functions that load the pages' renderers. They are not called when the service starts, because that would take 0.1 s.
 */
const loadRenderer: { readonly [Name in keyof Views]: () => Promise<Renderers[Name]> } = {
  agentJob: async () => (await import("./pages/agent-job.ts")).renderAgentJobPage,
  conversation: async () =>
    (await import("./pages/pull-request/conversation.ts")).renderConversationPage,
  changes: async () => (await import("./pages/pull-request/changes.ts")).renderChangesPage,
  rendered: async () => (await import("./pages/pull-request/preview.ts")).renderComparedPage,
};

/**
 * Renders the main part of a page. Large views are rendered in a separate process, so that they do not delay other
 * requests.
 */
export type RenderView = <Name extends keyof Views>(
  name: Name,
  view: Views[Name],
) => Promise<SafeHtml>;

/** The operations that `createViewRenderer` runs in a separate process. */
export interface ViewOperations {
  renderView<Name extends keyof Views>(
    name: Name,
    basePath: string,
    view: Views[Name],
  ): Promise<string>;
}

/**
 * Functions that estimate how long a view's untrusted Markdown and diffs take to render, as the number of characters of
 * Markdown that take the same time.
 */
const weighers: { readonly [Name in keyof Views]: (view: Views[Name]) => number } = {
  agentJob: (view) => measureLength(view, maxLocalWeight),
  conversation: ({ page, comments }) =>
    measureLength([page.pullRequest.body, comments], maxLocalWeight),
  // The worst diff takes half as long as the worst Markdown.
  changes: ({ diffs, draft }) => measureLength([diffs, draft], 2 * maxLocalWeight) / 2,
  rendered: ({ current }) => measureLength([current?.before, current?.after], maxLocalWeight),
};

/**
 * The maximum weight of a view that is rendered in this process, in characters. The worst Markdown takes 2 ms per
 * thousand characters; starting a process takes 200 ms.
 */
const maxLocalWeight = 32 * 1024;

export function createViewRenderer(
  isolation: Isolation<ViewOperations>,
  basePath: string,
): RenderView {
  const addresses = createAddresses(basePath);
  return async (name, view) => {
    if (weighers[name](view) <= maxLocalWeight)
      return (await loadRenderer[name]())(addresses, view);
    return restoreHtml(await isolation.run((program) => program.renderView(name, basePath, view)));
  };
}

/** Renders a view in the process to which it was sent. */
export async function renderViewInProcess<Name extends keyof Views>(
  name: Name,
  basePath: string,
  view: Views[Name],
): Promise<string> {
  return String((await loadRenderer[name]())(createAddresses(basePath), view));
}

/** Counts the characters of all strings in a value. Stops once the count exceeds `max`. */
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
