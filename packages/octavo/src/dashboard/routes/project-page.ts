import type { FastifyReply, FastifyRequest } from "fastify";
import { isOwnCodeHost } from "../../core/index.ts";
import type { Project } from "../../projects/index.ts";
import type { DashboardPage } from "../layout.ts";
import { maxCountedPulls, renderProjectFrame, type ProjectTab } from "../pages/project-frame.ts";
import type { DashboardServices } from "../services.ts";
import { getSignedInUser } from "../session/sessions.ts";

export interface ProjectPage extends Omit<
  DashboardPage,
  "holder" | "isOperator" | "section" | "frame" | "projectId"
> {
  readonly project: Project;
  readonly tab: ProjectTab;
}

/** Sends a page of a project, below the project's state and tabs. */
export async function sendProjectPage(
  services: DashboardServices,
  request: FastifyRequest,
  reply: FastifyReply,
  { project, tab, title, ...page }: ProjectPage,
): Promise<FastifyReply> {
  const { deployments, publishedSites, addresses } = services;
  const [site, live, newest, openPulls] = await Promise.all([
    publishedSites.read(project),
    deployments.findLive(project.id),
    deployments.findNewest(project.id),
    countOpenPulls(services, project),
  ]);
  return services.sendPage(request, reply, {
    ...page,
    title: tab === "overview" ? title : `${title} · ${project.name}`,
    section: "projects",
    projectId: project.id,
    frame: renderProjectFrame(addresses, {
      project,
      tab,
      site,
      holder: getSignedInUser(request),
      live: live?.job,
      latest: newest?.job,
      openPulls,
    }),
  });
}

/** Returns the number of open pull requests, or undefined if pull requests are on another host. */
async function countOpenPulls(
  { reviews }: DashboardServices,
  { id, codeHost }: Project,
): Promise<number | undefined> {
  if (!isOwnCodeHost(codeHost)) return undefined;
  return (await reviews.list(id, { state: "open", limit: maxCountedPulls })).length;
}
