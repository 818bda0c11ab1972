import type { StaticExportJob, StaticExportStatus } from "../../jobs/index.ts";
import type { Addresses } from "../addresses.ts";
import { html } from "../html.ts";
import type { Html } from "../html.ts";
import { count, shortCommit, time } from "../words.ts";
import { statusBadge } from "./parts.ts";

export function isUnderWay(status: StaticExportStatus): boolean {
  return status === "queued" || status === "running";
}

/** A list of exports, newest first, in which what is under way shows how far it is. */
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
        ${isUnderWay(job.status) && progressBar(job)}
      </li>`;
    })}
  </ul>`;
}

/** What a person called it: the label, else the branch. A label that nobody gave is the commit. */
export function exportName({ version, commit, ref, domain }: StaticExportJob): string {
  const isLabel = version !== null && !commit?.startsWith(version);
  return (isLabel ? version : ref) ?? domain;
}

function exportFacts(job: StaticExportJob): Html {
  const { ref, commit, pageCount, format, createdAt } = job;
  const isNamedByRef = exportName(job) === ref;
  return html`${ref !== null && !isNamedByRef && html`<span>${ref}</span>`}
    ${commit !== null && html`<code>${shortCommit(commit)}</code>`}
    ${pageCount > 0 && html`<span>${count(pageCount, "page")}</span>`}
    <span>${format}</span>
    <span>${time(createdAt)}</span>`;
}

export function progressBar({ progress, pageCount, status }: StaticExportJob): Html {
  const text =
    status === "queued"
      ? "Waiting for a worker"
      : `${progress} %, ${count(pageCount, "page")} done`;
  return html`<div class="progress">
    <progress max="100" value="${progress}" aria-label="Progress of the export">
      ${progress} %
    </progress>
    <span>${text}</span>
  </div>`;
}
