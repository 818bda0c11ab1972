import { formatCount } from "../../core/index.ts";
import type { StaticExportJob, StaticExportStatus } from "../../jobs/index.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import { formatShortCommit, renderRelativeTime } from "../format.ts";
import { renderStatusBadge } from "./parts.ts";

export function isInProgress(status: StaticExportStatus): boolean {
  return status === "queued" || status === "running";
}

/** Renders a list of exports, newest first, with the progress of unfinished exports. */
export function renderExportList(
  addresses: Addresses,
  projectId: string,
  jobs: readonly StaticExportJob[],
): SafeHtml {
  return safeHtml`<ul class="rows">
    ${jobs.map((job) => {
      const address = addresses.export(projectId, job.jobId);
      return safeHtml`<li class="row" id="${job.jobId}">
        <a class="row-main" href="${address}">
          ${renderStatusBadge(job.status)}
          <span class="row-title">${getListTitle(job)}</span>
        </a>
        <span class="row-facts">${renderExportFacts(job)}</span>
        ${isInProgress(job.status) && renderProgressBar(job)}
      </li>`;
    })}
  </ul>`;
}

const defaultBranch = "the default branch";

/**
 * Returns the export's label, or its branch, tag or commit if it has no label. A version that equals the short commit
 * is not a label.
 */
export function getExportName({ version, commit, ref }: StaticExportJob): string {
  const isLabel = version !== null && !commit?.startsWith(version);
  return (isLabel ? version : ref) ?? defaultBranch;
}

function getListTitle(job: StaticExportJob): string {
  const name = getExportName(job);
  return name === defaultBranch ? "The default branch" : name;
}

function renderExportFacts(job: StaticExportJob): SafeHtml {
  const { ref, commit, pageCount, format, createdAt, createdBy } = job;
  const isNamedByRef = getExportName(job) === ref;
  return safeHtml`${ref !== null && !isNamedByRef && safeHtml`<span>${ref}</span>`}
    ${commit !== null && safeHtml`<code>${formatShortCommit(commit)}</code>`}
    ${createdBy !== null && safeHtml`<span>${createdBy.name}</span>`}
    ${pageCount > 0 && safeHtml`<span>${formatCount(pageCount, "page")}</span>`}
    <span>${format}</span>
    <span>${renderRelativeTime(createdAt)}</span>`;
}

export function renderProgressBar({ progress, pageCount, status }: StaticExportJob): SafeHtml {
  const text =
    status === "queued"
      ? "Waiting for a worker"
      : `${progress} %, ${formatCount(pageCount, "page")} done`;
  return safeHtml`<div class="progress">
    <progress max="100" value="${progress}" aria-label="Progress of the export">
      ${progress} %
    </progress>
    <span>${text}</span>
  </div>`;
}
