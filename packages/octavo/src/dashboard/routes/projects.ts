import type { FastifyInstance } from "fastify";
import { isOctavoError } from "@octavo/site/core";
import type { StaticExportJob } from "../../jobs/index.ts";
import type { Project } from "../../projects/index.ts";
import type { DashboardServices } from "../services.ts";
import { hidden } from "../hidden.ts";
import { isProjectLive, projectPage, pullsCounted } from "../pages/project.ts";
import type { ProjectView } from "../pages/project.ts";
import { projectsPage } from "../pages/projects.ts";
import type { ListedProject } from "../pages/projects.ts";
import { holderOf } from "../session/sessions.ts";
import { withPrompts } from "./agent-jobs.ts";
import { findProject, readBefore, within } from "./scope.ts";

const projectsShown = 20;
const exportsShown = 20;
const agentJobsShown = 10;

export function addProjectPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, staticExports, agentJobs, addresses, sendPage } = services;

  async function withLastJobs(project: Project): Promise<ListedProject> {
    const newest = { limit: 1 };
    const [exported, asked] = await Promise.all([
      staticExports.list(within(project), newest),
      agentJobs.list(within(project), newest),
    ]);
    return {
      project,
      lastExport: exported.jobs[0]?.job,
      lastAgentJob: asked.jobs[0]?.job,
    };
  }

  app.get("/projects", hidden, async (request, reply) => {
    const page = { limit: projectsShown, before: readBefore(request) };
    const { items, next } = await projects.list(holderOf(request), page);
    const listed = await Promise.all(items.map(withLastJobs));
    const main = projectsPage(addresses, { listed, next });
    return sendPage(request, reply, { title: "Projects", section: "projects", main });
  });

  app.get("/projects/:projectId", hidden, async (request, reply) => {
    const { project, holder } = await findProject(projects, request);
    const { jobs: snapshots, nextCursor } = await staticExports.list(within(project), {
      limit: exportsShown,
      cursor: readBefore(request),
    });
    const jobs = snapshots.map(({ job }) => job);
    const [reported, openPulls, asked] = await Promise.all([
      readLastReport(services, project, jobs),
      countOpenPulls(services, project),
      agentJobs.list(within(project), { limit: agentJobsShown }),
    ]);
    const view: ProjectView = {
      project,
      holder,
      jobs,
      agentJobs: await withPrompts(services, project, asked.jobs),
      model: project.model ?? agentJobs.defaultModel,
      next: nextCursor,
      reported,
      openPulls,
    };
    return sendPage(request, reply, {
      title: project.name,
      section: "projects",
      main: projectPage(addresses, view),
      isLive: isProjectLive(view),
    });
  });
}

/** Of the newest export that was completed, where its bundle is still there. */
async function readLastReport(
  { staticExports, readReport }: DashboardServices,
  project: Project,
  jobs: readonly StaticExportJob[],
): Promise<ProjectView["reported"]> {
  const job = jobs.find(({ status }) => status === "completed");
  if (!job) return undefined;
  try {
    const report = await readReport(await staticExports.bundle(within(project), job.jobId));
    return report && { job, report };
  } catch (error) {
    // Retention took the bundle, or it cannot be read here: there is nothing to show of it.
    if (isOctavoError(error)) return undefined;
    throw error;
  }
}

/** Undefined where pull requests are on another host. */
async function countOpenPulls(
  { localHost }: DashboardServices,
  { id, codeHost }: Project,
): Promise<number | undefined> {
  if (codeHost !== "local") return undefined;
  return (await localHost.list(id, { state: "open", limit: pullsCounted })).length;
}
