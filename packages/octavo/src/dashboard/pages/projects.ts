import { hostedRepository } from "../../core/index.ts";
import type { AgentJob, StaticExportJob } from "../../jobs/index.ts";
import type { Project } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import { renderRelativeTime } from "../format.ts";
import { renderStatusBadge, renderEmptyNote, renderPageHead, renderSearchForm } from "./parts.ts";

export interface ListedProject {
  readonly project: Project;
  /** The newest export; undefined if the project was never exported. */
  readonly lastExport: StaticExportJob | undefined;
  readonly lastAgentJob: AgentJob | undefined;
}

export interface ProjectsView {
  readonly listed: readonly ListedProject[];
  readonly search: string;
  /** The page number, starting at 1. */
  readonly page: number;
  readonly hasMore: boolean;
  /** Whether the key may add projects. */
  readonly canAdd: boolean;
}

export function renderProjectsPage(addresses: Addresses, view: ProjectsView): SafeHtml {
  const { listed, search, canAdd } = view;
  const add =
    canAdd && safeHtml`<a class="button primary" href="${addresses.newProject}">Add a project</a>`;
  const none =
    search === "" ? "No projects yet." : "No project matches this name, domain or repository.";
  return safeHtml`${renderPageHead([], "Projects", add)}
    ${renderSearchForm(addresses.projects, { search, placeholder: "Name, domain or repository" })}
    ${listed.length === 0 && renderEmptyNote(none)}
    <ul class="rows">
      ${listed.map((one) => listedProject(addresses, one))}
    </ul>
    ${pager(addresses, view)}`;
}

function listedProject(addresses: Addresses, listed: ListedProject): SafeHtml {
  const { project, lastExport, lastAgentJob } = listed;
  return safeHtml`<li class="row project">
    <div class="project-name">
      <a class="row-title" href="${addresses.project(project.id)}">${project.name}</a>
      <span class="faint">${project.domain}</span>
      <span class="faint">${formatRepository(project)}</span>
    </div>
    <dl class="project-facts">
      <div>
        <dt>Export</dt>
        <dd>${lastExport ? exportLine(addresses, project, lastExport) : safeHtml`<span class="faint">never</span>`}</dd>
      </div>
      <div>
        <dt>Agent job</dt>
        <dd>${lastAgentJob ? agentLine(addresses, project, lastAgentJob) : safeHtml`<span class="faint">none</span>`}</dd>
      </div>
    </dl>
  </li>`;
}

export function formatRepository({ repository }: Pick<Project, "repository">): string {
  return repository === hostedRepository ? "hosted by this service" : repository;
}

function exportLine(addresses: Addresses, { id }: Project, job: StaticExportJob): SafeHtml {
  return safeHtml`<a class="plain" href="${addresses.export(id, job.jobId)}"
      >${renderStatusBadge(job.status)}</a
    >
    ${renderRelativeTime(job.createdAt)}`;
}

function agentLine(addresses: Addresses, project: Project, job: AgentJob): SafeHtml {
  return safeHtml`<a class="plain" href="${addresses.agentJob(project.id, job.id)}"
      >${renderStatusBadge(job.status)}</a
    >
    ${renderRelativeTime(job.createdAt)}${job.prLink !== null && safeHtml`, <a href="${job.prLink}">pull request</a>`}`;
}

function pager(addresses: Addresses, { search, page, hasMore }: ProjectsView): SafeHtml | false {
  if (page === 1 && !hasMore) return false;
  const link = (number: number, text: string) => {
    const query = search === "" ? "" : `search=${encodeURIComponent(search)}&`;
    return safeHtml`<a href="${addresses.projects}?${query}page=${number}">${text}</a>`;
  };
  return safeHtml`<p class="older">
    ${page > 1 && link(page - 1, "Newer activity")} ${hasMore && link(page + 1, "Older activity")}
  </p>`;
}
