import type { StaticExportJob } from "../../../jobs/index.ts";
import type { PullRequestComment, PullRequestPage } from "../../../reviews/index.ts";
import type { Addresses } from "../../addresses.ts";
import { formatShortCommit, renderRelativeTime } from "../../format.ts";
import { renderSafeMarkdown } from "../../markdown/markdown.ts";
import { safeHtml, type SafeHtml } from "../../safe-html.ts";
import { findAgentBranch, renderPullRequestFrame, type PullRequestFrame } from "./frame.ts";
import { renderReplyFields, type ReplyView } from "./reply.ts";

export interface ConversationView extends PullRequestFrame {
  readonly comments: readonly PullRequestComment[];
  /** The newest export of the branch, regardless of who started it; undefined if there is none. */
  readonly preview: StaticExportJob | undefined;
  readonly canExport: boolean;
  readonly reply: ReplyView;
}

export function renderConversationPage(addresses: Addresses, view: ConversationView): SafeHtml {
  const { project, page, comments, reply, canWrite } = view;
  const { number, body } = page.pullRequest;
  const address = addresses.pull(project.id, number);
  const content = safeHtml`<h2 class="hidden">Description</h2>
    <div class="card prose">
      ${body.trim() === "" ? safeHtml`<p class="soft">No description.</p>` : renderSafeMarkdown(body)}
    </div>
    ${renderConflicts(page)}
    <div class="actions">${renderPreviewAction(addresses, view)}</div>
    ${comments.map(renderComment)} ${renderCommits(page)}
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

function renderCommits(page: PullRequestPage): SafeHtml {
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

/** Matches the HTML comment that ends the service's own comments, by which it recognizes them. */
const serviceMarker = /\s*<!-- [\w ]+ -->$/;

function renderComment({ author, body, createdAt }: PullRequestComment): SafeHtml {
  return safeHtml`<article class="card prose">
    <p class="soft">${author}, ${renderRelativeTime(createdAt)}</p>
    ${renderSafeMarkdown(body.replace(serviceMarker, ""))}
  </article>`;
}

/** Renders the list of files whose conflicts prevent an open pull request from being merged. */
function renderConflicts({ pullRequest, mergeability }: PullRequestPage): SafeHtml | false {
  if (pullRequest.state !== "open" || mergeability.canMerge) return false;
  const { reason, conflicts: paths } = mergeability;
  return (
    paths.length > 0 &&
    safeHtml`<section class="card" aria-label="Conflicts">
      <p><strong>This pull request cannot be merged here.</strong> ${reason}</p>
      <ul class="conflicts">
        ${paths.slice(0, 100).map((path) => safeHtml`<li><code>${path}</code></li>`)}
      </ul>
      <p class="soft">
        Merge the base branch into this one, resolve the conflicts in these files, and push.
      </p>
    </section>`
  );
}

function renderPreviewAction(
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
        >Last export of this branch: ${preview.status}</a
      >`
    }`;
}
