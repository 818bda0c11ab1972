import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { getHostedRepositoryUrl, hasRight, hostedRepository } from "../../core/index.ts";
import type { AgentJob, StaticExportJob } from "../../jobs/index.ts";
import type { ActiveProject, SignedInUser, Project, ProjectSource } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { renderRelativeTime } from "../format.ts";
import { createPageOptions } from "../page-rights.ts";
import { renderAgentJobList } from "../pages/agent-job-list.ts";
import type { ListedAgentJob } from "../pages/agent-job-list.ts";
import {
  formatActor,
  maxSearchLength,
  renderCopyableText,
  renderLiveRegion,
  renderStatusBadge,
  renderEmptyNote,
  renderPageHead,
  renderSearchForm,
  hasUnfinishedDeployment,
} from "../pages/parts.ts";
import { renderAgentJobForm } from "../pages/prompt-form.ts";
import { renderSiteSection, readSiteView } from "./deployments.ts";
import type { PublishedSiteView } from "./deployments.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import type { DashboardServices } from "../services.ts";
import { getSignedInUser } from "../session/sessions.ts";
import { addPrompts } from "./agent-jobs.ts";
import { sendProjectPage, findProject, toProjectScope } from "./project-page.ts";

const pageSize = 20;
/** The number of deployments and of agent jobs on the first page of a project. */
const overviewSize = 3;

const ListQuery = z.object({
  search: z.string().trim().max(maxSearchLength).catch(""),
  page: z.coerce.number().int().min(1).max(10_000).catch(1),
});

export function addProjectPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, listActiveProjects, deployments, agentJobs, addresses, sendPage } = services;

  app.get("/projects", createPageOptions("projects.read"), async (request, reply) => {
    const user = getSignedInUser(request);
    const { search, page } = ListQuery.parse(request.query);
    const active = await listActiveProjects(user, { search, page, pageSize });
    const listed = await describeProjects(services, active.projects);
    const canAdd = user.projectId === null && hasRight(user, "projects.write");
    const view = { listed, search, page, hasMore: active.hasMore, canAdd };
    const main = renderProjectsPage(addresses, view);
    return sendPage(request, reply, { title: "Projects", section: "projects", main });
  });

  app.get("/projects/:projectId", createPageOptions("projects.read"), async (request, reply) => {
    const { project, user } = await findProject(projects, request);
    const scope = toProjectScope(project);
    const [newestDeployments, newestJobs] = await Promise.all([
      deployments.list(scope, { limit: overviewSize }),
      agentJobs.list(scope, { limit: overviewSize }),
    ]);
    const view: ProjectView = {
      project,
      user,
      site: await readSiteView(services, { project, user, deployments: newestDeployments.jobs }),
      agentJobs: await addPrompts(services, project, newestJobs.jobs),
      model: project.model ?? agentJobs.defaultModel,
      cloneUrl:
        project.repository === hostedRepository
          ? getHostedRepositoryUrl(services.baseUrl(), project.id)
          : undefined,
    };
    return sendProjectPage(services, request, reply, {
      project,
      tab: "overview",
      title: project.name,
      main: await renderProjectPage(addresses, view),
      isLive: isProjectLive(view),
    });
  });
}

/** Reads the site and the latest jobs of each project. */
async function describeProjects(
  { findJobs, publishedSites, deployments }: DashboardServices,
  active: readonly ActiveProject[],
): Promise<readonly ListedProject[]> {
  const { exports, agentJobs } = await findJobs({
    exports: active.flatMap(({ lastExportId }) => lastExportId ?? []),
    agentJobs: active.flatMap(({ lastAgentJobId }) => lastAgentJobId ?? []),
  });
  const listedProjects = active.map(async ({ project, lastExportId, lastAgentJobId }) => ({
    project,
    siteUrl: (await deployments.findLive(project.id)) && (await publishedSites.read(project)).url,
    lastExport: exports.get(lastExportId ?? ""),
    lastAgentJob: agentJobs.get(lastAgentJobId ?? ""),
  }));
  return await Promise.all(listedProjects);
}

interface ProjectView {
  readonly project: Project;
  readonly user: SignedInUser;
  readonly site: PublishedSiteView;
  /** The newest agent jobs. */
  readonly agentJobs: readonly ListedAgentJob[];
  /** The model for new agent jobs. */
  readonly model: string;
  /** The clone URL of a repository that the service hosts. */
  readonly cloneUrl: string | undefined;
}

/** Reports whether a job is in progress, in which case the page must refresh. */
function isProjectLive({ agentJobs, site }: ProjectView): boolean {
  return hasUnfinishedDeployment(site) || agentJobs.some(({ job }) => job.status === "active");
}

async function renderProjectPage(addresses: Addresses, view: ProjectView): Promise<SafeHtml> {
  const { project, agentJobs, model } = view;
  const address = addresses.project(project.id);
  // A new repository is empty until the first push, so an agent would find nothing there.
  const isEmpty = view.cloneUrl !== undefined && view.site.deployments.length === 0;
  const canAsk = !isEmpty && hasRight(view.user, "agent.run");
  const jobs = safeHtml`${renderSiteSection(addresses, view.site)}
    ${
      agentJobs.length > 0 &&
      safeHtml`<section aria-labelledby="agent-jobs">
        <h2 id="agent-jobs">Last agent jobs</h2>
        ${await renderAgentJobList(addresses, project.id, agentJobs)}
        <p class="older"><a href="${addresses.agent(project.id)}">All agent jobs</a></p>
      </section>`
    }`;
  return safeHtml`${renderLiveRegion(address, isProjectLive(view), jobs)}
    ${canAsk && renderAgentJobForm(addresses, project, { model })}
    ${hasRight(view.user, "exports.run") && renderPushCommands(view)} ${renderFacts(addresses, view)}`;
}

function renderFacts(addresses: Addresses, { project, user }: ProjectView): SafeHtml {
  const canChange = hasRight(user, "projects.write");
  return safeHtml`<dl class="facts">
    <div>
      <dt>Domain</dt>
      <dd>${project.domain}</dd>
    </div>
    <div>
      <dt>Repository</dt>
      <dd>${formatRepository(project)}</dd>
    </div>
    <div>
      <dt>Branch</dt>
      <dd>${project.ref ?? "the repository's default"}</dd>
    </div>
    <div>
      <dt>Sources</dt>
      <dd>
        ${
          project.sources.length > 0 &&
          safeHtml`<ul class="sources">
            ${project.sources.map(renderSourceItem)}
          </ul>`
        }
        ${
          canChange
            ? safeHtml`<a href="${addresses.projectSources(project.id)}"
                >${project.sources.length === 0 ? "Add sources" : "Change"}</a
              >`
            : project.sources.length === 0 && "none"
        }
      </dd>
    </div>
    <div>
      <dt>Added</dt>
      <dd>${renderRelativeTime(project.createdAt)}${formatActor(project.createdBy)}</dd>
    </div>
    <div>
      <dt>Project ID</dt>
      <dd>${renderCopyableText(project.id, "the project's ID")}</dd>
    </div>
  </dl>`;
}

/**
 * Renders the commands that push a site to a repository on this service. The section is expanded until something is
 * published.
 */
function renderPushCommands({ project, cloneUrl, site }: ProjectView): SafeHtml | false {
  if (cloneUrl === undefined) return false;
  const commands = `git remote add octavo ${cloneUrl}\ngit push octavo HEAD:refs/heads/${project.ref ?? "main"}`;
  return safeHtml`<details class="card push" id="push" ${!site.live && safeHtml`open`}>
    <summary><h2>Push to this repository</h2></summary>
    <p>In the folder of your site, which must be a Git repository:</p>
    <pre tabindex="0">${commands}</pre>
    <p class="faint">
      Git asks for a username, which can be anything, and a password: use an API key of this project
      or organization. To get a copy: <code>git clone ${cloneUrl}</code>
    </p>
  </details>`;
}

function renderSourceItem({ repository, ref, directory }: ProjectSource): SafeHtml {
  return safeHtml`<li>
    ${repository}${ref !== null && safeHtml` at <code>${ref}</code>`}${
      directory !== "." && safeHtml`, folder <code>${directory}</code>`
    }
  </li>`;
}

interface ListedProject {
  readonly project: Project;
  /** The address of the site; undefined if readers do not see a site yet. */
  readonly siteUrl: string | undefined;
  /** The newest export; undefined if the project was never exported. */
  readonly lastExport: StaticExportJob | undefined;
  readonly lastAgentJob: AgentJob | undefined;
}

interface ProjectsView {
  readonly listed: readonly ListedProject[];
  readonly search: string;
  /** The page number, starting at 1. */
  readonly page: number;
  readonly hasMore: boolean;
  /** Whether the user may add projects. */
  readonly canAdd: boolean;
}

function renderProjectsPage(addresses: Addresses, view: ProjectsView): SafeHtml {
  const { listed, search, canAdd } = view;
  const addButton =
    canAdd && safeHtml`<a class="button primary" href="${addresses.newProject}">Add a project</a>`;
  const emptyText =
    search === "" ? "No projects yet." : "No project matches this name, domain or repository.";
  return safeHtml`${renderPageHead([], "Projects", addButton)}
    ${renderSearchForm(addresses.projects, { search, placeholder: "Name, domain or repository" })}
    ${listed.length === 0 && renderEmptyNote(emptyText)}
    <ul class="rows">
      ${listed.map((one) => renderListedProject(addresses, one))}
    </ul>
    ${renderPager(addresses, view)}`;
}

function renderListedProject(addresses: Addresses, listed: ListedProject): SafeHtml {
  const { project, siteUrl, lastExport, lastAgentJob } = listed;
  return safeHtml`<li class="row project">
    <div class="project-name">
      <a class="row-title" href="${addresses.project(project.id)}">${project.name}</a>
      <span class="faint">${project.domain}</span>
      <span class="faint">${formatRepository(project)}</span>
    </div>
    <dl class="project-facts">
      <div>
        <dt>Site</dt>
        <dd>
          ${
            siteUrl === undefined
              ? safeHtml`<span class="faint">not published yet</span>`
              : safeHtml`<a href="${siteUrl}/">${siteUrl.replace(/^https?:\/\//, "")}</a>`
          }
        </dd>
      </div>
      <div>
        <dt>Export</dt>
        <dd>${lastExport ? renderExportLine(addresses, project, lastExport) : safeHtml`<span class="faint">never</span>`}</dd>
      </div>
      <div>
        <dt>Agent job</dt>
        <dd>${lastAgentJob ? renderAgentLine(addresses, project, lastAgentJob) : safeHtml`<span class="faint">none</span>`}</dd>
      </div>
    </dl>
  </li>`;
}

function formatRepository({ repository }: Pick<Project, "repository">): string {
  return repository === hostedRepository ? "hosted by this service" : repository;
}

function renderExportLine(addresses: Addresses, { id }: Project, job: StaticExportJob): SafeHtml {
  return safeHtml`<a class="plain" href="${addresses.export(id, job.jobId)}"
      >${renderStatusBadge(job.status)}</a
    >
    ${renderRelativeTime(job.createdAt)}`;
}

function renderAgentLine(addresses: Addresses, project: Project, job: AgentJob): SafeHtml {
  return safeHtml`<a class="plain" href="${addresses.agentJob(project.id, job.id)}"
      >${renderStatusBadge(job.status)}</a
    >
    ${renderRelativeTime(job.createdAt)}${job.prLink !== null && safeHtml`, <a href="${job.prLink}">pull request</a>`}`;
}

function renderPager(
  addresses: Addresses,
  { search, page, hasMore }: ProjectsView,
): SafeHtml | false {
  if (page === 1 && !hasMore) return false;
  const renderPageLink = (number: number, text: string) => {
    const query = search === "" ? "" : `search=${encodeURIComponent(search)}&`;
    return safeHtml`<a href="${addresses.projects}?${query}page=${number}">${text}</a>`;
  };
  return safeHtml`<p class="older">
    ${page > 1 && renderPageLink(page - 1, "Newer activity")} ${hasMore && renderPageLink(page + 1, "Older activity")}
  </p>`;
}
