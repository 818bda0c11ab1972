import type { Isolation } from "../isolation/index.ts";
import type { PullRequestComment, PullRequestPage } from "../reviews/index.ts";
import type { StaticExportJob } from "../jobs/index.ts";
import { createAddresses, type Addresses } from "./addresses.ts";
import { renderAgentJobPage, type AgentJobView } from "./pages/agent-job.ts";
import { renderChangesPage, type ChangesView } from "./pages/pull-request/changes.ts";
import { renderComparedPage, type RenderedView } from "./pages/pull-request/rendered.ts";
import { restoreHtml, safeHtml, type SafeHtml } from "./safe-html.ts";
import { renderSafeMarkdown } from "./markdown/markdown.ts";
import { formatShortCommit, renderRelativeTime } from "./format.ts";
import {
  findAgentBranch,
  renderPullRequestFrame,
  type PullRequestFrame,
} from "./pages/pull-request/frame.ts";
import { renderReplyFields, type ReplyView } from "./pages/pull-request/reply.ts";

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
 * The time for rendering a view's untrusted Markdown and diffs, expressed as the number of characters of Markdown that
 * take as long.
 */
const weights: { readonly [Name in keyof Views]: (view: Views[Name]) => number } = {
  agentJob: (view) => measureLength(view, maxLength),
  conversation: ({ page, comments }) => measureLength([page.pullRequest.body, comments], maxLength),
  // The worst diff takes half as long as the worst Markdown.
  changes: ({ diffs, draft }) => measureLength([diffs, draft], 2 * maxLength) / 2,
  rendered: ({ current }) => measureLength([current?.before, current?.after], maxLength),
};

/**
 * The maximum weight of a view that is rendered in this process, in characters. The worst Markdown takes 2 ms per
 * thousand characters; starting a process takes 200 ms.
 */
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

/** Renders a view in the process to which it was sent. */
export function renderSentView<Name extends keyof Views>(
  name: Name,
  basePath: string,
  view: Views[Name],
): string {
  return String(pages[name](createAddresses(basePath), view));
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

interface ConversationView extends PullRequestFrame {
  readonly comments: readonly PullRequestComment[];
  /** The newest export of the branch, whoever started it; undefined if there is none. */
  readonly preview: StaticExportJob | undefined;
  readonly canExport: boolean;
  readonly reply: ReplyView;
}

function renderConversationPage(addresses: Addresses, view: ConversationView): SafeHtml {
  const { project, page, comments, reply, canWrite } = view;
  const { number, body } = page.pullRequest;
  const address = addresses.pull(project.id, number);
  const content = safeHtml`<h2 class="hidden">Description</h2>
    <div class="card prose">
      ${body.trim() === "" ? safeHtml`<p class="soft">No description.</p>` : renderSafeMarkdown(body)}
    </div>
    ${conflicts(page)}
    <div class="actions">${previewAction(addresses, view)}</div>
    ${comments.map(comment)} ${commits(page)}
    ${
      canWrite &&
      safeHtml`<section class="card" id="reply" aria-labelledby="reply-title">
        <h2 id="reply-title">Reply</h2>
        <form class="prompt" method="post" action="${address}/comment">
          ${renderReplyFields(address, reply, "What should change? What do you think?")}
        </form>
      </section>`
    }`;
  return renderPullRequestFrame(addresses, view, { tab: "conversation", content });
}

function commits(page: PullRequestPage): SafeHtml {
  return safeHtml`<section aria-labelledby="commits">
    <h2 id="commits">Commits</h2>
    <ul class="rows">
      ${page.commits.map(
        ({ commit, subject, authorName, at }) =>
          safeHtml`<li class="row">
            <span class="row-main"><span class="row-title">${subject}</span></span>
            <span class="row-facts">
              <code title="${commit}">${formatShortCommit(commit)}</code><span>${authorName}</span
              ><span>${renderRelativeTime(at)}</span>
            </span>
          </li>`,
      )}
    </ul>
  </section>`;
}

function comment({ author, body, createdAt }: PullRequestComment): SafeHtml {
  return safeHtml`<article class="card prose">
    <p class="soft">${author}, ${renderRelativeTime(createdAt)}</p>
    ${renderSafeMarkdown(body)}
  </article>`;
}

/** Renders the list of files whose conflicts prevent an open pull request from being merged. */
function conflicts({ pullRequest, mergeability }: PullRequestPage): SafeHtml | false {
  if (pullRequest.state !== "open" || mergeability.canMerge) return false;
  const { reason, conflicts: paths } = mergeability;
  return (
    paths.length > 0 &&
    safeHtml`<section class="card" aria-label="Conflicts">
      <p><strong>It cannot be merged here.</strong> ${reason}</p>
      <ul class="conflicts">
        ${paths.slice(0, 100).map((path) => safeHtml`<li><code>${path}</code></li>`)}
      </ul>
      <p class="soft">
        Merge the base branch into this one, resolve the conflicts in these files, and push.
      </p>
    </section>`
  );
}

function previewAction(
  addresses: Addresses,
  { project, page, preview, canExport }: ConversationView,
): SafeHtml {
  const branch = findAgentBranch({ page });
  if (branch) {
    const { jobId, number: branchNumber } = branch;
    const address = addresses.preview({ projectId: project.id, jobId, branchNumber });
    return safeHtml`<a class="button" href="${address}">Preview</a>
      <a class="button" href="${addresses.agentJob(project.id, jobId)}">The agent job</a>`;
  }
  return safeHtml`${
    canExport &&
    safeHtml`<form method="post" action="${addresses.exports(project.id)}">
        <input type="hidden" name="ref" value="${page.pullRequest.head}" />
        <button type="submit">Export this branch</button>
      </form>`
  }
    ${
      preview &&
      safeHtml`<a class="button" href="${addresses.export(project.id, preview.jobId)}"
        >Its last export: ${preview.status}</a
      >`
    }`;
}
