import type { FastifyInstance } from "fastify";
import type { DeploymentSnapshot } from "../../jobs/index.ts";
import type { Project, SignedInUser } from "../../projects/index.ts";
import { hasRight, hostedRepository } from "../../core/index.ts";
import { createPageOptions } from "../page-rights.ts";
import {
  renderDeploymentPage,
  isDeploying,
  renderDeploymentsPage,
  type PublishedSiteView,
} from "../pages/deployments.ts";
import { renderLiveRegion } from "../pages/parts.ts";
import type { DashboardServices } from "../services.ts";
import { sendProjectPage, findProject, readBefore, toProjectScope } from "./project-page.ts";

const pageSize = 30;

/** Adds the deployments of a project, and what people can do with its site. */
export function addDeploymentPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, deployments, publishedSites, addresses } = services;
  const path = "/projects/:projectId";

  app.get(`${path}/deployments`, createPageOptions("deployments.read"), async (request, reply) => {
    const { project, holder } = await findProject(projects, request);
    const { jobs, nextCursor } = await deployments.list(toProjectScope(project), {
      limit: pageSize,
      cursor: readBefore(request),
    });
    const view = await readSiteView(services, { project, holder, deployments: jobs });
    return sendProjectPage(services, request, reply, {
      project,
      tab: "deployments",
      title: "Deployments",
      main: renderLiveRegion(
        addresses.deployments(project.id),
        isDeploying(view),
        renderDeploymentsPage(addresses, view, nextCursor),
      ),
      isLive: isDeploying(view),
    });
  });

  app.post(`${path}/deployments`, createPageOptions("deployments.run"), async (request, reply) => {
    const { project, holder } = await findProject(projects, request);
    await deployments.start(toProjectScope(project, holder), { trigger: "dashboard" });
    return reply.redirect(addresses.project(project.id), 303);
  });

  const act = createPageOptions("deployments.run");
  app.post(`${path}/deployments/:deploymentId/publish`, act, async (request, reply) => {
    const { project, holder } = await findProject(projects, request);
    const { deploymentId } = request.params as { readonly deploymentId: string };
    await deployments.publish(toProjectScope(project, holder), deploymentId);
    return reply.redirect(addresses.project(project.id), 303);
  });

  const read = createPageOptions("deployments.read");
  app.get(`${path}/deployments/:deploymentId`, read, async (request, reply) => {
    const { project } = await findProject(projects, request);
    const { deploymentId } = request.params as { readonly deploymentId: string };
    const { job: deployment } = await deployments.get(toProjectScope(project), deploymentId);
    const details = await deployments.readDetails(deploymentId);
    return sendProjectPage(services, request, reply, {
      project,
      tab: "deployments",
      title: deployment.subject ?? "Deployment",
      main: renderDeploymentPage(addresses, {
        project,
        deployment,
        details,
        toOrigin: (label) => publishedSites.toOrigin(label),
      }),
    });
  });
}

interface SiteViewInput {
  readonly project: Project;
  readonly holder: SignedInUser;
  readonly deployments: readonly DeploymentSnapshot[];
}

/** Reads what the pages of a project show of its site besides the deployments. */
export async function readSiteView(
  services: DashboardServices,
  { project, holder, deployments }: SiteViewInput,
): Promise<PublishedSiteView> {
  const [site, live] = await Promise.all([
    services.publishedSites.read(project),
    services.deployments.findLive(project.id),
  ]);
  return {
    project,
    site,
    live: live?.job,
    deployments: deployments.map(({ job }) => job),
    toOrigin: (label) => services.publishedSites.toOrigin(label),
    isHosted: project.repository === hostedRepository,
    canRun: hasRight(holder, "deployments.run"),
    canChange: hasRight(holder, "projects.write"),
  };
}
