import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { isOctavoError } from "@octavo/site/core";
import type { StaticExportJob } from "../../jobs/index.ts";
import {
  getHostedRepositoryUrl,
  hasRight,
  hostedRepository,
  isOwnCodeHost,
} from "../../core/index.ts";
import {
  canExport,
  type ActiveProject,
  type SignedInUser,
  type Project,
  type ProjectSource,
} from "../../projects/index.ts";
import type { DashboardServices } from "../services.ts";
import { createPageOptions } from "../page-rights.ts";
import {
  formatRepository,
  maxSearchLength,
  renderProjectsPage,
  type ListedProject,
} from "../pages/projects.ts";
import { getSignedInUser } from "../session/sessions.ts";
import type { Addresses } from "../addresses.ts";
import type { ExportReport } from "../../bundles/index.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";
import { liveInterval } from "../layout.ts";
import { renderRelativeTime } from "../format.ts";
import { renderAgentJobList, type ListedAgentJob } from "../pages/agent-job-list.ts";
import { isInProgress, renderExportList } from "../pages/export-list.ts";
import {
  formatActor,
  renderCopyableText,
  renderEmptyNote,
  renderOlderLink,
  renderPageHead,
} from "../pages/parts.ts";
import { renderAgentJobForm } from "../pages/prompt-form.ts";
import { renderProblemList } from "../pages/problems.ts";
import { isDeploying, renderSiteSection, type PublishedSiteView } from "../pages/site.ts";
import { readSiteView } from "./deployments.ts";
import { addPrompts } from "./agent-jobs.ts";
import { findProject, readBefore, toProjectScope } from "./scope.ts";

const pageSize = 20;
const exportPageSize = 20;
const maxAgentJobs = 10;

const Listed = z.object({
  search: z.string().trim().max(maxSearchLength).catch(""),
  page: z.coerce.number().int().min(1).max(10_000).catch(1),
});

export function addProjectPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, listActiveProjects, staticExports, agentJobs, addresses, sendPage } = services;

  app.get("/projects", createPageOptions("projects.read"), async (request, reply) => {
    const holder = getSignedInUser(request);
    const { search, page } = Listed.parse(request.query);
    const active = await listActiveProjects(holder, { search, page, pageSize });
    const listed = await withLastJobs(services, active.projects);
    const canAdd = holder.projectId === null && hasRight(holder, "projects.write");
    const view = { listed, search, page, hasMore: active.hasMore, canAdd };
    const main = renderProjectsPage(addresses, view);
    return sendPage(request, reply, { title: "Projects", section: "projects", main });
  });

  app.get("/projects/:projectId", createPageOptions("projects.read"), async (request, reply) => {
    const { project, holder } = await findProject(projects, request);
    const { jobs: snapshots, nextCursor } = await staticExports.list(toProjectScope(project), {
      limit: exportPageSize,
      cursor: readBefore(request),
    });
    const jobs = snapshots.map(({ job }) => job);
    const [reported, openPulls, asked, site] = await Promise.all([
      readLastReport(services, project, jobs),
      countOpenPulls(services, project),
      agentJobs.list(toProjectScope(project), { limit: maxAgentJobs }),
      readSiteView(services, project, holder),
    ]);
    const view: ProjectView = {
      project,
      holder,
      site,
      jobs,
      agentJobs: await addPrompts(services, project, asked.jobs),
      model: project.model ?? agentJobs.defaultModel,
      next: nextCursor,
      lastReport: reported,
      openPulls,
      cloneUrl:
        project.repository === hostedRepository
          ? getHostedRepositoryUrl(services.baseUrl(), project.id)
          : undefined,
    };
    return sendPage(request, reply, {
      title: project.name,
      section: "projects",
      main: await renderProjectPage(addresses, view),
      isLive: isProjectLive(view),
    });
  });
}

async function withLastJobs(
  { findJobs }: DashboardServices,
  active: readonly ActiveProject[],
): Promise<readonly ListedProject[]> {
  const { exports, agentJobs } = await findJobs({
    exports: active.flatMap(({ lastExportId }) => lastExportId ?? []),
    agentJobs: active.flatMap(({ lastAgentJobId }) => lastAgentJobId ?? []),
  });
  return active.map(({ project, lastExportId, lastAgentJobId }) => ({
    project,
    lastExport: exports.get(lastExportId ?? ""),
    lastAgentJob: agentJobs.get(lastAgentJobId ?? ""),
  }));
}

/** Returns the report of the newest completed export, if its bundle still exists. */
async function readLastReport(
  { staticExports, readReport }: DashboardServices,
  project: Project,
  jobs: readonly StaticExportJob[],
): Promise<ProjectView["lastReport"]> {
  const job = jobs.find(({ status }) => status === "completed");
  if (!job) return undefined;
  try {
    const report = await readReport(await staticExports.bundle(toProjectScope(project), job.jobId));
    return report && { job, report };
  } catch (error) {
    // The bundle was removed or cannot be read, so there is no report.
    if (isOctavoError(error)) return undefined;
    throw error;
  }
}

/** Returns the number of open pull requests, or undefined if pull requests are on another host. */
async function countOpenPulls(
  { reviews }: DashboardServices,
  { id, codeHost }: Project,
): Promise<number | undefined> {
  if (!isOwnCodeHost(codeHost)) return undefined;
  return (await reviews.list(id, { state: "open", limit: maxCountedPulls })).length;
}

interface ProjectView {
  readonly project: Project;
  readonly holder: SignedInUser;
  readonly site: PublishedSiteView;
  readonly jobs: readonly StaticExportJob[];
  /** The newest agent jobs. */
  readonly agentJobs: readonly ListedAgentJob[];
  /** The model for new agent jobs. */
  readonly model: string;
  readonly next: string | null;
  /** The newest completed export with its report; undefined if there is no readable report. */
  readonly lastReport?:
    | { readonly job: StaticExportJob; readonly report: ExportReport }
    | undefined;
  /** The number of open pull requests; undefined if pull requests are on another host. */
  readonly openPulls: number | undefined;
  /** The clone URL of a repository that the service hosts. */
  readonly cloneUrl: string | undefined;
}

/** The number up to which open pull requests are counted. */
const maxCountedPulls = 20;

/** Reports whether a job is in progress, in which case the page must refresh. */
function isProjectLive({ jobs, agentJobs, site }: ProjectView): boolean {
  return (
    isDeploying(site) ||
    jobs.some(({ status }) => isInProgress(status)) ||
    agentJobs.some(({ job }) => job.status === "active")
  );
}

async function renderProjectPage(addresses: Addresses, view: ProjectView): Promise<SafeHtml> {
  const { project, jobs, agentJobs, model, next, lastReport } = view;
  const address = addresses.project(project.id);
  const canExport = hasRight(view.holder, "exports.run");
  const canAsk = hasRight(view.holder, "agent.run");
  const isLive = isProjectLive(view);
  return safeHtml`${renderPageHead([["Projects", addresses.projects]], project.name)}
    <div id="site-live" ${isLive && refresh(address, "site-live")}>
      ${renderSiteSection(addresses, view.site)}
    </div>
    ${facts(addresses, view)} ${canExport && pushCommands(view)}
    ${canExport && startForm(addresses, view)}
    ${canAsk && renderAgentJobForm(addresses, project, { model })}
    <div id="live" ${isLive && refresh(address, "live")}>
      <section aria-labelledby="exports">
        <h2 id="exports">Exports</h2>
        ${jobs.length === 0 && renderEmptyNote(canExport ? "No exports yet. Start the first one above." : "No exports yet.")}
        ${renderExportList(addresses, project.id, jobs)} ${renderOlderLink(address, next, "Older exports")}
      </section>
      <section aria-labelledby="agent-jobs">
        <h2 id="agent-jobs">Agent jobs</h2>
        ${agentJobs.length === 0 && renderEmptyNote(canAsk ? "No agent jobs yet. Start the first one above." : "No agent jobs yet.")}
        ${await renderAgentJobList(addresses, project.id, agentJobs)}
        ${
          agentJobs.length > 0 &&
          safeHtml`<p class="older"><a href="${addresses.agent(project.id)}">All agent jobs</a></p>`
        }
      </section>
      ${
        lastReport &&
        safeHtml`<section aria-labelledby="problems">
          <h2 id="problems">Problems</h2>
          <p class="soft">
            In the
            <a href="${addresses.export(project.id, lastReport.job.jobId)}">last completed export</a
            >, ${renderRelativeTime(lastReport.job.updatedAt)}.
          </p>
          ${renderProblemList(addresses, {
            project,
            model,
            report: lastReport.report,
            commit: lastReport.job.commit,
            filter: {},
            address: addresses.export(project.id, lastReport.job.jobId),
          })}
        </section>`
      }
    </div>`;
}

/** Requests the page again while a job is in progress, and replaces one part of it. */
function refresh(address: string, id: string): SafeHtml {
  return safeHtml`hx-get="${address}" hx-select="#${id}" hx-trigger="every ${liveInterval}"
    hx-swap="outerMorph"`;
}

function facts(addresses: Addresses, { project, holder, openPulls }: ProjectView): SafeHtml {
  const canChange = hasRight(holder, "projects.write");
  const isFull = openPulls !== undefined && openPulls >= maxCountedPulls;
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
            ${project.sources.map(sourceItem)}
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
    ${
      openPulls !== undefined &&
      safeHtml`<div>
        <dt>Pull requests</dt>
        <dd>
          <a href="${addresses.pulls(project.id)}"
            >${isFull ? `${openPulls} or more` : openPulls} open</a
          >
        </dd>
      </div>`
    }
    <div>
      <dt>Added</dt>
      <dd>${renderRelativeTime(project.createdAt)}${formatActor(project.createdBy)}</dd>
    </div>
    <div>
      <dt>Project ID</dt>
      <dd>${renderCopyableText(project.id, "the project's ID")}</dd>
    </div>
    ${
      canChange &&
      safeHtml`<div>
        <dt>Settings</dt>
        <dd><a href="${addresses.projectSettings(project.id)}">Change</a></dd>
      </div>`
    }
  </dl>`;
}

/**
 * Renders the commands that push a site to a repository on this service. The section is expanded until there is an
 * export.
 */
function pushCommands({ project, cloneUrl, jobs }: ProjectView): SafeHtml | false {
  if (cloneUrl === undefined) return false;
  const commands = `git remote add octavo ${cloneUrl}\ngit push octavo HEAD:refs/heads/${project.ref ?? "main"}`;
  return safeHtml`<details class="card push" ${jobs.length === 0 && safeHtml`open`}>
    <summary><h2>Push to this repository</h2></summary>
    <p>In the folder of your site, which is a Git repository:</p>
    <pre tabindex="0">${commands}</pre>
    <p class="faint">
      Git asks for a username, which can be anything, and a password: use an API key of this project
      or organization. To get a copy: <code>git clone ${cloneUrl}</code>
    </p>
  </details>`;
}

function sourceItem({ repository, ref, directory }: ProjectSource): SafeHtml {
  return safeHtml`<li>
    ${repository}${ref !== null && safeHtml` at <code>${ref}</code>`}${
      directory !== "." && safeHtml`, folder <code>${directory}</code>`
    }
  </li>`;
}

function startForm(addresses: Addresses, { project, holder }: ProjectView): SafeHtml {
  if (!canExport(holder.plan)) {
    return safeHtml`<p class="notice">
      Static export requires the enterprise plan, but ${holder.organizationName} is on the
      ${holder.plan} plan. The operator can change it with <code>octavo orgs set-plan</code>.
    </p>`;
  }
  return safeHtml`<section class="card" aria-labelledby="start">
    <h2 id="start">Start an export</h2>
    <form class="inline" method="post" action="${addresses.exports(project.id)}">
      <div>
        <label for="ref">Branch, tag or commit</label>
        <input
          id="ref"
          name="ref"
          autocomplete="off"
          spellcheck="false"
          maxlength="250"
          placeholder="${project.ref ?? "the repository's default branch"}"
        />
      </div>
      <div class="narrow">
        <label for="format">Format</label>
        <select id="format" name="format">
          <option value="tar.gz">tar.gz</option>
          <option value="zip">zip</option>
        </select>
      </div>
      <button class="primary" type="submit">Start</button>
    </form>
  </section>`;
}
