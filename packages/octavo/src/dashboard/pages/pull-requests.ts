import type { PullRequest, PullRequestState } from "../../reviews/index.ts";
import type { Project } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import { renderRelativeTime } from "../format.ts";
import {
  renderStatusBadge,
  renderEmptyNote,
  renderOlderLink,
  renderPageHead,
  createProjectBreadcrumbs,
} from "./parts.ts";

export interface PullRequestsView {
  readonly project: Project;
  readonly state: PullRequestState;
  readonly pullRequests: readonly PullRequest[];
  /** The `before` of the next page; null on the last page. */
  readonly next: number | null;
}

const states: readonly PullRequestState[] = ["open", "merged", "closed"];

export function renderPullRequestsPage(addresses: Addresses, view: PullRequestsView): SafeHtml {
  const { project, state, pullRequests, next } = view;
  const address = addresses.pulls(project.id);
  const filters = states.map(
    (one) =>
      safeHtml`<a href="${address}?state=${one}" ${one === state && safeHtml`aria-current="true"`}
        >${one}</a
      >`,
  );
  return safeHtml`${renderPageHead(createProjectBreadcrumbs(addresses, project), "Pull requests")}
    <nav class="filters" aria-label="State">${filters}</nav>
    ${pullRequests.length === 0 && renderEmptyNote(`No ${state} pull requests.`)}
    <ul class="rows">
      ${pullRequests.map(
        ({ number, title, head, base, isDraft, createdAt }) =>
          safeHtml`<li class="row">
            <a class="row-main" href="${addresses.pull(project.id, number)}">
              ${renderStatusBadge(state)}
              <span class="row-title">${title}</span>
            </a>
            <span class="row-facts">
              <span>#${number}</span>
              ${isDraft && safeHtml`<span>draft</span>`}
              <span><code>${head}</code> → <code>${base}</code></span>
              <span>${renderRelativeTime(createdAt)}</span>
            </span>
          </li>`,
      )}
    </ul>
    ${renderOlderLink(`${address}?state=${state}`, next, "Older pull requests")}`;
}
