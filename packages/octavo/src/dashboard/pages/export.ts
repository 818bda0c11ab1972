import type { ExportProgress, StaticExportJob } from "../../jobs/index.ts";
import type { Project } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import type { ExportReport } from "../../bundles/index.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import { liveInterval } from "../layout.ts";
import { formatCount, formatFileSize, formatShortCommit, renderRelativeTime } from "../format.ts";
import { getExportName, isInProgress } from "./export-list.ts";
import { renderExportLog, renderExportStages } from "./export-progress.ts";
import {
  formatActor,
  renderStatusBadge,
  renderCopyableText,
  renderPageHead,
  createProjectBreadcrumbs,
} from "./parts.ts";
import { renderProblemList } from "./problems.ts";
import type { ProblemFilter } from "./problems.ts";
import { renderWaitingNote } from "./waiting-note.ts";

export interface ExportView {
  readonly project: Project;
  readonly job: StaticExportJob;
  /** Undefined until there is a bundle, and after retention has removed it. */
  readonly bundle: { readonly bytes: number } | undefined;
  readonly report: ExportReport | undefined;
  /** Whether the user may cancel the export. */
  readonly canRun: boolean;
  readonly progress: ExportProgress;
  /** The filter of the shown problems. */
  readonly filter: ProblemFilter;
  /** The model of the project's agents; undefined if the user may not start agent jobs. */
  readonly model: string | undefined;
}

export function renderExportPage(addresses: Addresses, view: ExportView): SafeHtml {
  const { project, job, report, progress, filter, model } = view;
  const address = addresses.export(project.id, job.jobId);
  const live =
    isInProgress(job.status) &&
    safeHtml`hx-get="${address}" hx-select="#live" hx-trigger="every ${liveInterval}"
    hx-swap="outerMorph"`;
  return safeHtml`<div id="live" ${live}>
    ${renderPageHead(createProjectBreadcrumbs(addresses, project), safeHtml`Export of ${getExportName(job)}`, renderStatusBadge(job.status))}
    ${isInProgress(job.status) && runningCard(address, view)}
    ${job.status === "completed" && completed(address, view)}
    ${job.error !== undefined && safeHtml`<p class="notice danger" role="status">${job.error}</p>`}
    ${facts(view)} ${renderExportLog(progress, job.status !== "completed")}
    ${
      report &&
      safeHtml`<section aria-labelledby="problems">
        <h2 id="problems">Problems</h2>
        ${renderProblemList(addresses, { project, report, commit: job.commit, filter, address, model })}
      </section>`
    }
  </div>`;
}

function runningCard(address: string, { job, progress, canRun }: ExportView): SafeHtml {
  return safeHtml`<div class="card">
    ${renderExportStages(job, progress)}
    ${renderWaitingNote(job)}
    ${
      canRun &&
      safeHtml`<form method="post" action="${address}/cancel">
        <button type="submit">Cancel</button>
      </form>`
    }
  </div>`;
}

function completed(address: string, { bundle }: ExportView): SafeHtml {
  if (!bundle) {
    return safeHtml`<p class="notice">
      The bundle was removed after its retention time; start the export again.
    </p>`;
  }
  return safeHtml`<p class="actions">
    <a class="button primary" href="${address}/download">Download, ${formatFileSize(bundle.bytes)}</a>
    <a class="button" href="${address}/preview">Preview</a>
  </p>`;
}

function facts({ job }: ExportView): SafeHtml {
  const { ref, commit, pageCount, format, createdAt, updatedAt, status } = job;
  return safeHtml`<dl class="facts">
    <div>
      <dt>Branch, tag or commit</dt>
      <dd>${ref ?? "the repository's default branch"}</dd>
    </div>
    ${
      commit !== null &&
      safeHtml`<div>
        <dt>Commit</dt>
        <dd><code title="${commit}">${formatShortCommit(commit)}</code></dd>
      </div>`
    }
    <div>
      <dt>Pages</dt>
      <dd>${formatCount(pageCount, "page")}</dd>
    </div>
    <div>
      <dt>Format</dt>
      <dd>${format}</dd>
    </div>
    <div>
      <dt>Started</dt>
      <dd>${renderRelativeTime(createdAt)}${formatActor(job.createdBy)}</dd>
    </div>
    ${
      !isInProgress(status) &&
      safeHtml`<div>
        <dt>Ended</dt>
        <dd>${renderRelativeTime(updatedAt)}</dd>
      </div>`
    }
    <div>
      <dt>Job ID</dt>
      <dd>${renderCopyableText(job.jobId, "the job's ID")}</dd>
    </div>
  </dl>`;
}
