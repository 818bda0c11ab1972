import type { StaticExportJob, StaticExportStatus } from "../../jobs/index.ts";
import type { Addresses } from "../addresses.ts";
import { html } from "../html.ts";
import type { Html } from "../html.ts";
import { formatCount, shortCommit, relativeTime } from "../words.ts";
import { statusBadge } from "./parts.ts";

export function isInProgress(status: StaticExportStatus): boolean {
  return status === "queued" || status === "running";
}

/** A list of exports, newest first, with the progress of unfinished ones. */
export function exportList(
  addresses: Addresses,
  projectId: string,
  jobs: readonly StaticExportJob[],
): Html {
  return html`<ul class="rows">
    ${jobs.map((job) => {
      const address = addresses.export(projectId, job.jobId);
      return html`<li class="row" id="${job.jobId}">
        <a class="row-main" href="${address}">
          ${statusBadge(job.status)}
          <span class="row-title">${exportName(job)}</span>
        </a>
        <span class="row-facts">${exportFacts(job)}</span>
        ${isInProgress(job.status) && progressBar(job)}
      </li>`;
    })}
  </ul>`;
}

/** The label, else the branch. A version that is the short commit is not a label. */
export function exportName({ version, commit, ref, domain }: StaticExportJob): string {
  const isLabel = version !== null && !commit?.startsWith(version);
  return (isLabel ? version : ref) ?? domain;
}

function exportFacts(job: StaticExportJob): Html {
  const { ref, commit, pageCount, format, createdAt } = job;
  const isNamedByRef = exportName(job) === ref;
  return html`${ref !== null && !isNamedByRef && html`<span>${ref}</span>`}
    ${commit !== null && html`<code>${shortCommit(commit)}</code>`}
    ${pageCount > 0 && html`<span>${formatCount(pageCount, "page")}</span>`}
    <span>${format}</span>
    <span>${relativeTime(createdAt)}</span>`;
}

export function progressBar({ progress, pageCount, status }: StaticExportJob): Html {
  const text =
    status === "queued"
      ? "Waiting for a worker"
      : `${progress} %, ${formatCount(pageCount, "page")} done`;
  return html`<div class="progress">
    <progress max="100" value="${progress}" aria-label="Progress of the export">
      ${progress} %
    </progress>
    <span>${text}</span>
  </div>`;
}
