import { rateLimit } from "../../jobs/index.ts";
import type { AgentJobStatus, RateState } from "../../jobs/index.ts";
import type { Project } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { html } from "../html.ts";
import type { Html } from "../html.ts";
import { liveEvery } from "../layout.ts";
import { minutesUntil } from "../words.ts";
import { agentJobList } from "./agent-job-list.ts";
import type { ListedAgentJob } from "./agent-job-list.ts";
import { empty, olderLink, pageHead, projectWay } from "./parts.ts";
import { askForm } from "./prompt-form.ts";
import type { RefusedPrompt } from "./prompt-form.ts";

export interface AgentJobsView {
  readonly project: Project;
  /** Who does the work. */
  readonly model: string;
  /** All states when undefined. */
  readonly status: AgentJobStatus | undefined;
  readonly jobs: readonly ListedAgentJob[];
  readonly next: string | null;
  readonly rate: RateState;
  readonly refused: RefusedPrompt | undefined;
}

const statesShown: readonly AgentJobStatus[] = ["active", "completed", "failed", "archived"];

/** Whether something is under way that the page should follow. */
export function isListLive({ jobs }: Pick<AgentJobsView, "jobs">): boolean {
  return jobs.some(({ job }) => job.status === "active");
}

export function agentJobsPage(addresses: Addresses, view: AgentJobsView): Html {
  const { project, model, status, jobs, next, refused } = view;
  const address = addresses.agent(project.id);
  const filtered = status === undefined ? address : `${address}?status=${status}`;
  const live =
    isListLive(view) &&
    html`hx-get="${filtered}" hx-select="#live" hx-trigger="every ${liveEvery}" hx-swap="outerMorph"`;
  return html`${pageHead(projectWay(addresses, project), "Agent jobs")}
    ${askForm(addresses, project, { model, refused })} ${rateLine(view)}
    <nav class="filters" aria-label="State">
      ${filterLink(address, "all", status === undefined)}
      ${statesShown.map((one) => filterLink(`${address}?status=${one}`, one, one === status))}
    </nav>
    <div id="live" ${live}>
      ${jobs.length === 0 && empty(status === undefined ? "None yet." : `None that are ${status}.`)}
      ${agentJobList(addresses, project.id, jobs)} ${olderLink(filtered, next, "Older ones")}
    </div>`;
}

function filterLink(href: string, text: string, isCurrent: boolean): Html {
  return html`<a href="${href}" ${isCurrent && html`aria-current="true"`}>${text}</a>`;
}

/** Told when it begins to matter. */
const toldBelow = 20;

function rateLine({ rate: { remaining, resetSeconds } }: AgentJobsView): Html | false {
  if (remaining >= toldBelow) return false;
  return html`<p class="notice">
    A project may start ${rateLimit.calls} agent jobs in any 60 minutes; ${remaining} are
    left${resetSeconds !== undefined && `, and the next comes free in ${minutesUntil(resetSeconds)}`}.
  </p>`;
}
