import { hasRight } from "../../core/index.ts";
import type { AgentPreview } from "../../jobs/index.ts";
import { canExport } from "../../projects/index.ts";
import type { Holder, Project } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import { liveInterval } from "../layout.ts";
import { formatShortCommit, renderRelativeTime } from "../format.ts";
import { isInProgress, renderProgressBar } from "./export-list.ts";
import { renderStatusBadge, renderPageHead, createProjectBreadcrumbs } from "./parts.ts";

export interface BranchPreviewView {
  readonly project: Project;
  readonly holder: Holder;
  readonly jobId: string;
  readonly preview: AgentPreview;
  /** The address of this page, also the target of its form. */
  readonly address: string;
  /** Whether the newest export has a bundle. */
  readonly hasBundle: boolean;
}

/** Renders the page that is shown if there is no preview, or only one of an older commit. */
export function renderBranchPreviewPage(addresses: Addresses, view: BranchPreviewView): SafeHtml {
  const { project, jobId, preview, address } = view;
  const breadcrumbs = [
    ...createProjectBreadcrumbs(addresses, project),
    ["Agent jobs", addresses.agent(project.id)] as const,
    ["The job", addresses.agentJob(project.id, jobId)] as const,
  ];
  const live =
    isPreviewLive(preview) &&
    safeHtml`hx-get="${address}" hx-select="#live" hx-trigger="every ${liveInterval}"
    hx-swap="outerMorph"`;
  return safeHtml`<div id="live" ${live}>
    ${renderPageHead(breadcrumbs, "Preview", preview.job && renderStatusBadge(preview.job.status))}
    <p class="soft">The site on the branch <code>${preview.branch}</code>.</p>
    ${isPreviewLive(preview) ? runningCard(addresses, view) : previewSection(addresses, view)}
  </div>`;
}

/** Reports whether the preview is in progress, so that the page must refresh. */
export function isPreviewLive({ job }: AgentPreview): boolean {
  return job !== undefined && isInProgress(job.status);
}

function runningCard(
  addresses: Addresses,
  { project, preview: { job } }: BranchPreviewView,
): SafeHtml {
  return safeHtml`<div class="card">
    ${job && renderProgressBar(job)}
    <p class="soft">
      The preview opens here when it is ready.
      ${job && safeHtml`<a href="${addresses.export(project.id, job.jobId)}">Its export</a>`}
    </p>
  </div>`;
}

function previewSection(addresses: Addresses, view: BranchPreviewView): SafeHtml {
  const { project, preview, hasBundle } = view;
  const { job } = preview;
  return safeHtml`${sentence(view)}
    <div class="actions">
      ${hasRight(view.holder, "exports.run") && startForm(view, hasBundle ? "Renew the preview" : "Create the preview")}
      ${
        job &&
        hasBundle &&
        safeHtml`<a class="button" href="${addresses.export(project.id, job.jobId)}/preview"
          >Open the older preview</a
        >`
      }
    </div>`;
}

function sentence({ preview: { job }, hasBundle }: BranchPreviewView): SafeHtml {
  if (!job) return safeHtml`<p class="notice">There is no preview of this branch yet.</p>`;
  if (job.status === "failed") {
    return safeHtml`<p class="notice danger" role="status">The last preview failed: ${job.error}</p>`;
  }
  if (!hasBundle) {
    return safeHtml`<p class="notice">
      The last preview, of ${renderRelativeTime(job.createdAt)}, was removed after its retention time.
    </p>`;
  }
  return safeHtml`<p class="notice">
    The last preview is of the commit <code>${formatShortCommit(job.commit ?? "")}</code>; the branch has
    newer commits.
  </p>`;
}

function startForm({ holder, address }: BranchPreviewView, text: string): SafeHtml {
  if (!canExport(holder.plan)) {
    return safeHtml`<p class="soft">
      A preview is a static export, which requires the enterprise plan, but
      ${holder.organizationName} is on the ${holder.plan} plan.
    </p>`;
  }
  return safeHtml`<form method="post" action="${address}">
    <button class="primary" type="submit">${text}</button>
  </form>`;
}
