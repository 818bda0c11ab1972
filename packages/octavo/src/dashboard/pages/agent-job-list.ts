import type { AgentJob } from "../../jobs/index.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import { getTitleLine, renderRelativeTime } from "../format.ts";
import { renderPullRequestBadge, renderStatusBadge } from "./parts.ts";

/** A job with its first message. */
export interface ListedAgentJob {
  readonly job: AgentJob;
  readonly prompt: string;
}

/** Renders agent jobs and their results, newest first. */
export async function renderAgentJobList(
  addresses: Addresses,
  projectId: string,
  jobs: readonly ListedAgentJob[],
): Promise<SafeHtml> {
  // The module is loaded when the first job is shown, because loading it takes 30 ms.
  const { renderInline } = await import("../markdown/markdown.ts");
  return safeHtml`<ul class="rows">
    ${jobs.map(
      ({ job, prompt }) =>
        safeHtml`<li class="row" id="${job.id}">
          <a class="row-main" href="${addresses.agentJob(projectId, job.id)}">
            ${renderStatusBadge(job.status)}
            <span class="row-title">${getTitleLine(prompt)}</span>
          </a>
          <span class="row-facts">
            ${
              job.prLink !== null &&
              safeHtml`${job.pullRequest && renderPullRequestBadge(job.pullRequest.state, job.pullRequest.draft)}
                <a href="${job.prLink}">Pull request</a>`
            }
            <span>${renderRelativeTime(job.createdAt)}</span>
          </span>
          ${renderOutcome(job, renderInline)}
        </li>`,
    )}
  </ul>`;
}

function renderOutcome(
  { error, summary, status }: AgentJob,
  renderInline: (line: string) => SafeHtml,
): SafeHtml | false {
  const text = error ?? (status === "active" ? null : summary);
  return text !== null && safeHtml`<p class="row-note">${renderInline(getTitleLine(text))}</p>`;
}
