import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { isOctavoError } from "@octavo/site/core";
import type { StaticExportJob } from "../../jobs/index.ts";
import {
  hasRight,
  hostedRepository,
  getHostedRepositoryUrl,
  isOwnCodeHost,
} from "../../core/index.ts";
import type { ActiveProject, Project } from "../../projects/index.ts";
import type { DashboardServices } from "../services.ts";
import { createPageOptions } from "../page-rights.ts";
import { isProjectLive, renderProjectPage, maxCountedPulls } from "../pages/project.ts";
import type { ProjectView } from "../pages/project.ts";
import { maxSearchLength, renderProjectsPage } from "../pages/projects.ts";
import type { ListedProject } from "../pages/projects.ts";
import { getHolder } from "../session/sessions.ts";
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
    const holder = getHolder(request);
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
    const [reported, openPulls, asked] = await Promise.all([
      readLastReport(services, project, jobs),
      countOpenPulls(services, project),
      agentJobs.list(toProjectScope(project), { limit: maxAgentJobs }),
    ]);
    const view: ProjectView = {
      project,
      holder,
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
      main: renderProjectPage(addresses, view),
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
    // The bundle was removed or cannot be read, so there is no report to show.
    if (isOctavoError(error)) return undefined;
    throw error;
  }
}

/** Returns undefined if pull requests are on another host. */
async function countOpenPulls(
  { reviews }: DashboardServices,
  { id, codeHost }: Project,
): Promise<number | undefined> {
  if (!isOwnCodeHost(codeHost)) return undefined;
  return (await reviews.list(id, { state: "open", limit: maxCountedPulls })).length;
}
