import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { isOwnCodeHost } from "../../core/index.ts";
import type { Project, Projects, SignedInUser } from "../../projects/index.ts";
import type { DashboardPage } from "../layout.ts";
import { maxCountedPulls, renderProjectFrame } from "../pages/project-frame.ts";
import type { ProjectTab } from "../pages/project-frame.ts";
import type { DashboardServices } from "../services.ts";
import { getSignedInUser } from "../session/sessions.ts";

interface ProjectPage extends Omit<
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

/**
 * Returns the project in the path and the signed-in user. Throws `not_found` if the project is outside the user's
 * scope.
 */
export async function findProject(
  projects: Projects,
  request: FastifyRequest,
): Promise<{ readonly project: Project; readonly holder: SignedInUser }> {
  const holder = getSignedInUser(request);
  const { projectId } = request.params as { readonly projectId: string };
  return { project: await projects.get(holder, projectId), holder };
}

/** Returns a scope that is limited to one project, for the user's actions in that project. */
export function toProjectScope({ organizationId, id }: Project, holder?: SignedInUser) {
  return { organizationId, projectId: id, actor: holder?.actor };
}

const Before = z.object({ before: z.string().max(40).optional().catch(undefined) });

/** Returns the `before` parameter of the request, which selects a later page of a list. */
export function readBefore(request: FastifyRequest): string | undefined {
  return Before.parse(request.query).before;
}
