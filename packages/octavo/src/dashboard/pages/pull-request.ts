import type { PullRequestComment, PullRequestPage } from "../../codehost/index.ts";
import { parseBranchName } from "../../jobs/index.ts";
import type { StaticExportJob } from "../../jobs/index.ts";
import type { Project } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { diffView } from "../diff/diff-view.ts";
import { html } from "../html.ts";
import type { Html } from "../html.ts";
import { renderMarkdown } from "../markdown/markdown.ts";
import { count, shortCommit, time } from "../words.ts";
import { statusBadge, pageHead, projectWay } from "./parts.ts";

export interface PullRequestView {
  readonly project: Project;
  readonly page: PullRequestPage;
  readonly comments: readonly PullRequestComment[];
  /** The newest export of its branch, whoever started it. */
  readonly preview: StaticExportJob | undefined;
}

export function pullRequestPage(addresses: Addresses, view: PullRequestView): Html {
  const { project, page, comments } = view;
  const { pullRequest } = page;
  const { number, title, body, state, isDraft } = pullRequest;
  const way = [
    ...projectWay(addresses, project),
    ["Pull requests", addresses.pulls(project.id)] as const,
  ];
  return html`${pageHead(way, html`${title} <span class="number">#${number}</span>`, statusBadge(state))}
    <p class="soft">
      ${isDraft && "A draft. "}${page.author} proposes ${count(page.commits.length, "commit")} from
      <code>${pullRequest.head}</code> for <code>${pullRequest.base}</code>,
      ${time(pullRequest.createdAt)}.
    </p>
    <div class="card prose">
      ${body.trim() === "" ? html`<p class="soft">No text.</p>` : renderMarkdown(body)}
    </div>
    ${standing(addresses, view)} ${comments.map(comment)}
    <section aria-labelledby="commits">
      <h2 id="commits">Commits</h2>
      <ul class="rows">
        ${page.commits.map(
          ({ commit, subject, authorName, at }) =>
            html`<li class="row">
              <span class="row-main"><span class="row-title">${subject}</span></span>
              <span class="row-facts">
                <code title="${commit}">${shortCommit(commit)}</code><span>${authorName}</span
                ><span>${time(at)}</span>
              </span>
            </li>`,
        )}
      </ul>
    </section>
    <section aria-labelledby="changes">
      <h2 id="changes">Changes</h2>
      ${diffView(page)}
    </section>`;
}

function comment({ author, body, createdAt }: PullRequestComment): Html {
  return html`<article class="card prose">
    <p class="soft">${author}, ${time(createdAt)}</p>
    ${renderMarkdown(body)}
  </article>`;
}

/** Whether it can be merged, and what can be done. */
function standing(addresses: Addresses, view: PullRequestView): Html {
  const { project, page } = view;
  const { state, number, endedAt } = page.pullRequest;
  if (state !== "open") {
    return html`<p class="notice ${state}">
      This pull request was ${state}${endedAt && html` ${time(endedAt)}`}.
    </p>`;
  }
  const address = addresses.pull(project.id, number);
  return html`<section class="card" aria-label="What to do">
    ${page.mergeability.canMerge ? html`<p>It can be merged: no lines conflict.</p>` : obstacle(page.mergeability)}
    <div class="actions">
      ${
        page.mergeability.canMerge &&
        html`<form method="post" action="${address}/merge">
          <input type="hidden" name="headCommit" value="${page.headCommit}" />
          <button class="primary" type="submit">Merge</button>
        </form>`
      }
      <form method="post" action="${address}/close"><button type="submit">Close</button></form>
      ${previewAction(addresses, view)}
    </div>
  </section>`;
}

function obstacle(mergeability: {
  readonly reason: string;
  readonly conflicts: readonly string[];
}): Html {
  const { reason, conflicts } = mergeability;
  return html`<p><strong>It cannot be merged here.</strong> ${reason}</p>
    ${
      conflicts.length > 0 &&
      html`<ul class="conflicts">
          ${conflicts.slice(0, 100).map((path) => html`<li><code>${path}</code></li>`)}
        </ul>
        <p class="soft">Bring the base branch into this one, settle these files, and push.</p>`
    }`;
}

function previewAction(addresses: Addresses, { project, page, preview }: PullRequestView): Html {
  const branch = parseBranchName(page.pullRequest.head);
  if (branch) {
    const { jobId, number: branchNumber } = branch;
    const address = addresses.preview({ projectId: project.id, jobId, branchNumber });
    return html`<a class="button" href="${address}">Preview</a>
      <a class="button" href="${addresses.agentJob(project.id, jobId)}">The agent's job</a>`;
  }
  return html`<form method="post" action="${addresses.exports(project.id)}">
      <input type="hidden" name="ref" value="${page.pullRequest.head}" />
      <button type="submit">Export this branch</button>
    </form>
    ${
      preview &&
      html`<a class="button" href="${addresses.export(project.id, preview.jobId)}"
        >Its last export: ${preview.status}</a
      >`
    }`;
}
