import type { PullRequestComment, PullRequestPage } from "../../codehost/index.ts";
import { parseAgentBranch } from "../../core/index.ts";
import type { StaticExportJob } from "../../jobs/index.ts";
import type { Project } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { renderDiff } from "../diff/diff-view.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import { renderSafeMarkdown } from "../markdown/markdown.ts";
import { formatCount, shortCommit, relativeTime } from "../words.ts";
import { pullRequestBadge, pageHead, projectBreadcrumbs } from "./parts.ts";

export interface PullRequestView {
  readonly project: Project;
  readonly page: PullRequestPage;
  readonly comments: readonly PullRequestComment[];
  /** The newest export of its branch, whoever started it; undefined if there is none. */
  readonly preview: StaticExportJob | undefined;
  /** Whether the user may merge and close it, and export its branch. */
  readonly canWrite: boolean;
  readonly canExport: boolean;
}

export function pullRequestPage(addresses: Addresses, view: PullRequestView): SafeHtml {
  const { project, page, comments } = view;
  const { pullRequest } = page;
  const { number, title, body, isDraft } = pullRequest;
  const breadcrumbs = [
    ...projectBreadcrumbs(addresses, project),
    ["Pull requests", addresses.pulls(project.id)] as const,
  ];
  return safeHtml`${pageHead(breadcrumbs, safeHtml`${title} <span class="number">#${number}</span>`, pullRequestBadge(pullRequest.state, isDraft))}
    <p class="soft">
      ${page.author} wants to merge
      ${formatCount(page.commits.length, "commit")} from
      <code>${pullRequest.head}</code> into <code>${pullRequest.base}</code>,
      ${relativeTime(pullRequest.createdAt)}.
    </p>
    <div class="card prose">
      ${body.trim() === "" ? safeHtml`<p class="soft">No description.</p>` : renderSafeMarkdown(body)}
    </div>
    ${statusSection(addresses, view)} ${comments.map(comment)}
    <section aria-labelledby="commits">
      <h2 id="commits">Commits</h2>
      <ul class="rows">
        ${page.commits.map(
          ({ commit, subject, authorName, at }) =>
            safeHtml`<li class="row">
              <span class="row-main"><span class="row-title">${subject}</span></span>
              <span class="row-facts">
                <code title="${commit}">${shortCommit(commit)}</code><span>${authorName}</span
                ><span>${relativeTime(at)}</span>
              </span>
            </li>`,
        )}
      </ul>
    </section>
    <section aria-labelledby="changes">
      <h2 id="changes">Changes</h2>
      ${renderDiff(page)}
    </section>`;
}

function comment({ author, body, createdAt }: PullRequestComment): SafeHtml {
  return safeHtml`<article class="card prose">
    <p class="soft">${author}, ${relativeTime(createdAt)}</p>
    ${renderSafeMarkdown(body)}
  </article>`;
}

/** Whether it can be merged, and the available actions. */
function statusSection(addresses: Addresses, view: PullRequestView): SafeHtml {
  const { project, page } = view;
  const { state, number, endedAt } = page.pullRequest;
  if (state !== "open") {
    return safeHtml`<p class="notice ${state}">
      This pull request was ${state}${endedAt && safeHtml` ${relativeTime(endedAt)}`}.
    </p>`;
  }
  const address = addresses.pull(project.id, number);
  return safeHtml`<section class="card" aria-label="Actions">
    ${page.mergeability.canMerge ? safeHtml`<p>It can be merged without conflicts.</p>` : mergeBlocker(page.mergeability)}
    <div class="actions">
      ${
        page.mergeability.canMerge &&
        view.canWrite &&
        safeHtml`<form method="post" action="${address}/merge">
          <input type="hidden" name="headCommit" value="${page.headCommit}" />
          <button class="primary" type="submit">Merge</button>
        </form>`
      }
      ${
        page.pullRequest.isDraft &&
        view.canWrite &&
        safeHtml`<form method="post" action="${address}/ready">
          <button type="submit">Mark as ready</button>
        </form>`
      }
      ${
        view.canWrite &&
        safeHtml`<form method="post" action="${address}/close">
          <button type="submit">Close</button>
        </form>`
      }
      ${previewAction(addresses, view)}
    </div>
  </section>`;
}

function mergeBlocker(mergeability: {
  readonly reason: string;
  readonly conflicts: readonly string[];
}): SafeHtml {
  const { reason, conflicts } = mergeability;
  return safeHtml`<p><strong>It cannot be merged here.</strong> ${reason}</p>
    ${
      conflicts.length > 0 &&
      safeHtml`<ul class="conflicts">
          ${conflicts.slice(0, 100).map((path) => safeHtml`<li><code>${path}</code></li>`)}
        </ul>
        <p class="soft">
          Merge the base branch into this one, resolve the conflicts in these files, and push.
        </p>`
    }`;
}

function previewAction(
  addresses: Addresses,
  { project, page, preview, canExport }: PullRequestView,
): SafeHtml {
  const branch = parseAgentBranch(page.pullRequest.head);
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
