import type { AgentJob } from "../../jobs/index.ts";
import type { Addresses } from "../addresses.ts";
import { html } from "../html.ts";
import type { Html } from "../html.ts";
import { renderInline } from "../markdown/markdown.ts";
import { firstLine, time } from "../words.ts";
import { statusBadge } from "./parts.ts";

/** A job with what it was asked to do first. */
export interface ListedAgentJob {
  readonly job: AgentJob;
  readonly prompt: string;
}

/** What agents were asked to do and what came of it, newest first. */
export function agentJobList(
  addresses: Addresses,
  projectId: string,
  jobs: readonly ListedAgentJob[],
): Html {
  return html`<ul class="rows">
    ${jobs.map(
      ({ job, prompt }) =>
        html`<li class="row" id="${job.id}">
          <a class="row-main" href="${addresses.agentJob(projectId, job.id)}">
            ${statusBadge(job.status)}
            <span class="row-title">${firstLine(prompt)}</span>
          </a>
          <span class="row-facts">
            ${
              job.prLink !== null &&
              html`${job.pullRequest && statusBadge(job.pullRequest.state)}
                <a href="${job.prLink}">Pull request</a>`
            }
            <span>${time(job.createdAt)}</span>
          </span>
          ${outcome(job)}
        </li>`,
    )}
  </ul>`;
}

function outcome({ error, summary, status }: AgentJob): Html | false {
  const text = error ?? (status === "active" ? null : summary);
  return text !== null && html`<p class="row-note">${renderInline(firstLine(text))}</p>`;
}
