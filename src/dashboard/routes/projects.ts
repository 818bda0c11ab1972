import type { FastifyInstance } from "fastify";
import { isOctavoError } from "../../core/index.ts";
import type { StaticExportJob } from "../../jobs/index.ts";
import type { Project } from "../../projects/index.ts";
import type { DashboardServices } from "../dashboard.ts";
import { hidden } from "../hidden.ts";
import { isUnderWay } from "../pages/export-list.ts";
import { projectPage, pullsCounted } from "../pages/project.ts";
import type { ProjectView } from "../pages/project.ts";
import { projectsPage } from "../pages/projects.ts";
import { holderOf } from "../session/sessions.ts";
import { findProject, readBefore, within } from "./scope.ts";

const projectsShown = 20;
const exportsShown = 20;

export function addProjectRoutes(app: FastifyInstance, services: DashboardServices): void {
  const { projects, staticExports, addresses, sendPage } = services;

  async function lastExport(project: Project): Promise<StaticExportJob | undefined> {
    const { jobs } = await staticExports.list(within(project), { limit: 1 });
    return jobs[0]?.job;
  }

  app.get("/projects", hidden, async (request, reply) => {
    const page = { limit: projectsShown, before: readBefore(request) };
    const { items, next } = await projects.list(holderOf(request), page);
    const listed = await Promise.all(
      items.map(async (project) => ({ project, lastExport: await lastExport(project) })),
    );
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
    const [reported, openPulls] = await Promise.all([
      readLastReport(services, project, jobs),
      countOpenPulls(services, project),
    ]);
    const view: ProjectView = { project, holder, jobs, next: nextCursor, reported, openPulls };
    return sendPage(request, reply, {
      title: project.name,
      section: "projects",
      main: projectPage(addresses, view),
      isLive: jobs.some(({ status }) => isUnderWay(status)),
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
  { codeHost }: DashboardServices,
  { id, codeHost: name }: Project,
): Promise<number | undefined> {
  if (name !== "local") return undefined;
  return (await codeHost.list(id, { state: "open", limit: pullsCounted })).length;
}
