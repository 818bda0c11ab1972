import { rateLimit } from "../../jobs/index.ts";
import type { AgentJobStatus, RateState } from "../../jobs/index.ts";
import type { Project } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import { liveInterval } from "../layout.ts";
import { formatMinutes } from "../format.ts";
import { renderAgentJobList } from "./agent-job-list.ts";
import type { ListedAgentJob } from "./agent-job-list.ts";
import {
  renderEmptyNote,
  renderOlderLink,
  renderPageHead,
  createProjectBreadcrumbs,
} from "./parts.ts";
import { renderAgentJobForm } from "./prompt-form.ts";
import type { RejectedPrompt } from "./prompt-form.ts";

export interface AgentJobsView {
  readonly project: Project;
  /** The model for new jobs. */
  readonly model: string;
  /** The status to show; undefined for all. */
  readonly status: AgentJobStatus | undefined;
  readonly jobs: readonly ListedAgentJob[];
  readonly next: string | null;
  readonly rate: RateState;
  readonly refused: RejectedPrompt | undefined;
  /** Whether the user may start jobs. */
  readonly canRun: boolean;
  /** The initial text of the form. */
  readonly prompt: string | undefined;
}

const statesShown: readonly AgentJobStatus[] = ["active", "completed", "failed", "archived"];

/** Reports whether the list contains an active job, so that the page must refresh. */
export function isListLive({ jobs }: Pick<AgentJobsView, "jobs">): boolean {
  return jobs.some(({ job }) => job.status === "active");
}

export function renderAgentJobsPage(addresses: Addresses, view: AgentJobsView): SafeHtml {
  const { project, model, status, jobs, next, refused, prompt } = view;
  const address = addresses.agent(project.id);
  const filtered = status === undefined ? address : `${address}?status=${status}`;
  const live =
    isListLive(view) &&
    safeHtml`hx-get="${filtered}" hx-select="#live" hx-trigger="every ${liveInterval}"
    hx-swap="outerMorph"`;
  return safeHtml`${renderPageHead(createProjectBreadcrumbs(addresses, project), "Agent jobs")}
    ${view.canRun && safeHtml`${renderAgentJobForm(addresses, project, { model, refused, prompt })} ${rateNotice(view)}`}
    <nav class="filters" aria-label="State">
      ${filterLink(address, "all", status === undefined)}
      ${statesShown.map((one) => filterLink(`${address}?status=${one}`, one, one === status))}
    </nav>
    <div id="live" ${live}>
      ${jobs.length === 0 && renderEmptyNote(status === undefined ? "No agent jobs yet." : `No ${status} agent jobs.`)}
      ${renderAgentJobList(addresses, project.id, jobs)} ${renderOlderLink(filtered, next, "Older agent jobs")}
    </div>`;
}

function filterLink(href: string, text: string, isCurrent: boolean): SafeHtml {
  return safeHtml`<a href="${href}" ${isCurrent && safeHtml`aria-current="true"`}>${text}</a>`;
}

/** The page shows the rate limit when fewer calls remain. */
const rateNoticeBelow = 20;

function rateNotice({ rate: { remaining, resetSeconds } }: AgentJobsView): SafeHtml | false {
  if (remaining >= rateNoticeBelow) return false;
  return safeHtml`<p class="notice">
    A project may start ${rateLimit.calls} agent jobs in any 60 minutes. Remaining:
    ${remaining}${resetSeconds !== undefined && `; one more in ${formatMinutes(resetSeconds)}`}.
  </p>`;
}
