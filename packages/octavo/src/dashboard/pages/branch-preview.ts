import type { AgentPreview } from "../../jobs/index.ts";
import type { KeyHolder, Project } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { html } from "../html.ts";
import type { Html } from "../html.ts";
import { liveEvery } from "../layout.ts";
import { shortCommit, time } from "../words.ts";
import { isUnderWay, progressBar } from "./export-list.ts";
import { statusBadge, pageHead, projectWay } from "./parts.ts";

export interface BranchPreviewView {
  readonly project: Project;
  readonly holder: KeyHolder;
  readonly jobId: string;
  readonly preview: AgentPreview;
  /** Of this page: where its form goes too. */
  readonly address: string;
  /** Whether the newest export has a bundle to look at. */
  readonly hasBundle: boolean;
}

/** What is shown in place of a preview that is not there, or is of an older commit. */
export function branchPreviewPage(addresses: Addresses, view: BranchPreviewView): Html {
  const { project, jobId, preview, address } = view;
  const way = [
    ...projectWay(addresses, project),
    ["Agent jobs", addresses.agent(project.id)] as const,
    ["The job", addresses.agentJob(project.id, jobId)] as const,
  ];
  const live =
    isPreviewLive(preview) &&
    html`hx-get="${address}" hx-select="#live" hx-trigger="every ${liveEvery}" hx-swap="outerMorph"`;
  return html`<div id="live" ${live}>
    ${pageHead(way, "Preview", preview.job && statusBadge(preview.job.status))}
    <p class="soft">The site on the branch <code>${preview.branch}</code>.</p>
    ${isPreviewLive(preview) ? underWay(addresses, view) : standing(addresses, view)}
  </div>`;
}

/** Whether the page should wait for the preview. */
export function isPreviewLive({ job }: AgentPreview): boolean {
  return job !== undefined && isUnderWay(job.status);
}

function underWay(addresses: Addresses, { project, preview: { job } }: BranchPreviewView): Html {
  return html`<div class="card">
    ${job && progressBar(job)}
    <p class="soft">
      The preview opens here when it is ready.
      ${job && html`<a href="${addresses.export(project.id, job.jobId)}">Its export</a>`}
    </p>
  </div>`;
}

function standing(addresses: Addresses, view: BranchPreviewView): Html {
  const { project, preview, hasBundle } = view;
  const { job } = preview;
  return html`${sentence(view)}
    <div class="actions">
      ${makeForm(view, hasBundle ? "Make it anew" : "Make the preview")}
      ${
        job &&
        hasBundle &&
        html`<a class="button" href="${addresses.export(project.id, job.jobId)}/preview"
          >Open the older one</a
        >`
      }
    </div>`;
}

function sentence({ preview: { job }, hasBundle }: BranchPreviewView): Html {
  if (!job) return html`<p class="notice">There is no preview of this branch yet.</p>`;
  if (job.status === "failed") {
    return html`<p class="notice danger" role="status">The last preview failed: ${job.error}</p>`;
  }
  if (!hasBundle) {
    return html`<p class="notice">
      The last preview, of ${time(job.createdAt)}, was removed, because it was older than previews
      are kept.
    </p>`;
  }
  return html`<p class="notice">
    The last preview is of the commit <code>${shortCommit(job.commit ?? "")}</code>, and the branch
    has gone on since.
  </p>`;
}

function makeForm({ holder, address }: BranchPreviewView, text: string): Html {
  if (holder.plan !== "enterprise") {
    return html`<p class="soft">
      A preview is a static export, which needs the plan enterprise; ${holder.organizationName} has
      the plan ${holder.plan}.
    </p>`;
  }
  return html`<form method="post" action="${address}">
    <button class="primary" type="submit">${text}</button>
  </form>`;
}
