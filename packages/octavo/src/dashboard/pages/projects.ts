import type { AgentJob, StaticExportJob } from "../../jobs/index.ts";
import type { Project } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import { relativeTime } from "../words.ts";
import { statusBadge, copyable, emptyNote, olderLink, pageHead } from "./parts.ts";

export interface ListedProject {
  readonly project: Project;
  /** Undefined if it was never exported. */
  readonly lastExport: StaticExportJob | undefined;
  readonly lastAgentJob: AgentJob | undefined;
}

export interface ProjectsView {
  readonly listed: readonly ListedProject[];
  readonly next: string | null;
}

export function projectsPage(addresses: Addresses, { listed, next }: ProjectsView): SafeHtml {
  return safeHtml`${pageHead([], "Projects")} ${listed.length === 0 && emptyNote("No projects yet.")}
    <ul class="projects">
      ${listed.map((one) => listedProject(addresses, one))}
    </ul>
    ${olderLink(addresses.projects, next, "Older projects")}
    <p class="soft">
      Add a project with <code>POST /v2/projects</code>; see
      <a href="${addresses.apiDocs}">the API's documentation</a>.
    </p>`;
}

function listedProject(addresses: Addresses, listed: ListedProject): SafeHtml {
  const { project, lastExport, lastAgentJob } = listed;
  return safeHtml`<li class="card project">
    <h2><a href="${addresses.project(project.id)}">${project.name}</a></h2>
    <p class="domain">${project.domain}</p>
    <dl class="facts">
      <div>
        <dt>Repository</dt>
        <dd>${repositoryName(project)}</dd>
      </div>
      <div>
        <dt>Last export</dt>
        <dd>${lastExport ? exportLine(addresses, project, lastExport) : "never"}</dd>
      </div>
      <div>
        <dt>Last agent job</dt>
        <dd>${lastAgentJob ? agentLine(addresses, project, lastAgentJob) : "none"}</dd>
      </div>
      <div>
        <dt>Project ID</dt>
        <dd>${copyable(project.id, `the ID of ${project.name}`)}</dd>
      </div>
    </dl>
  </li>`;
}

export function repositoryName({ repository }: Pick<Project, "repository">): string {
  return repository === "local" ? "hosted by this service" : repository;
}

function exportLine(addresses: Addresses, { id }: Project, job: StaticExportJob): SafeHtml {
  return safeHtml`<a class="plain" href="${addresses.export(id, job.jobId)}"
      >${statusBadge(job.status)}</a
    >
    ${relativeTime(job.createdAt)}`;
}

function agentLine(addresses: Addresses, project: Project, job: AgentJob): SafeHtml {
  return safeHtml`<a class="plain" href="${addresses.agentJob(project.id, job.id)}"
      >${statusBadge(job.status)}</a
    >
    ${relativeTime(job.createdAt)}${job.prLink !== null && safeHtml`, <a href="${job.prLink}">pull request</a>`}`;
}
