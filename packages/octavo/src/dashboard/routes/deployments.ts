import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Project, SignedInUser } from "../../projects/index.ts";
import { hasRight, hostedRepository } from "../../core/index.ts";
import { parseForm } from "../form.ts";
import { createPageOptions } from "../page-rights.ts";
import { renderDeploymentPage } from "../pages/deployment.ts";
import { renderHookPage } from "../pages/hook.ts";
import type { PublishedSiteView } from "../pages/site.ts";
import type { DashboardServices } from "../services.ts";
import { getSignedInUser } from "../session/sessions.ts";
import { findProject, toProjectScope } from "./scope.ts";

const maxDeployments = 10;

const Change = z.object({
  slug: z.string().trim().max(100).optional(),
  visibility: z.enum(["public", "members", "password"]).optional(),
  password: z.string().max(1_000).optional(),
  isAutomatic: z.literal("on").optional(),
  /** Empty for none. */
  canonicalDomain: z.string().max(300).optional(),
});

/** Adds what people can do with the site of a project. Its state stands on the project's page. */
export function addDeploymentPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, deployments, publishedSites, addresses } = services;
  const path = "/projects/:projectId";

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
    return services.sendPage(request, reply, {
      title: `${deployment.subject ?? "Deployment"} · ${project.name}`,
      section: "projects",
      main: renderDeploymentPage(addresses, {
        project,
        deployment,
        details,
        toOrigin: (label) => publishedSites.toOrigin(label),
      }),
    });
  });

  app.post(`${path}/site`, createPageOptions("projects.write"), async (request, reply) => {
    const { project } = await findProject(projects, request);
    const scope = toProjectScope(project, getSignedInUser(request));
    const { isAutomatic, password, canonicalDomain, ...changes } = parseForm(Change, request.body);
    const isResumed = isAutomatic === "on";
    await publishedSites.change(scope, project, {
      ...changes,
      ...(password !== "" && { password }),
      ...(isResumed && { isAutomatic: true }),
      ...(canonicalDomain !== undefined && { canonicalDomain: canonicalDomain || null }),
    });
    if (isResumed) await deployments.resume(scope);
    return reply.redirect(addresses.project(project.id), 303);
  });
}

/** Adds the page on which people connect the code host of a project. */
export function addHookPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, hooks, addresses } = services;
  const path = "/projects/:projectId/hook";

  app.get(path, createPageOptions("deployments.read"), (request, reply) =>
    sendHook(services, request, { reply }),
  );
  app.post(path, createPageOptions("projects.write"), async (request, reply) => {
    const { project, holder } = await findProject(projects, request);
    const { secret } = await hooks.renew(toProjectScope(project, holder), project);
    // This response cannot be a redirect because only it contains the secret.
    return sendHook(services, request, { reply, secret });
  });
  app.post(`${path}/delete`, createPageOptions("projects.write"), async (request, reply) => {
    const { project, holder } = await findProject(projects, request);
    await hooks.remove(toProjectScope(project, holder), project);
    return reply.redirect(addresses.hook(project.id), 303);
  });
}

async function sendHook(
  { projects, hooks, addresses, baseUrl, sendPage }: DashboardServices,
  request: FastifyRequest,
  { reply, secret }: { readonly reply: FastifyReply; readonly secret?: string },
) {
  const { project, holder } = await findProject(projects, request);
  const hook = await hooks.find(project.id);
  return sendPage(request, reply, {
    title: `Pushes · ${project.name}`,
    section: "projects",
    main: renderHookPage(addresses, {
      project,
      hook,
      url: hook && `${baseUrl()}/hooks/${hook.id}`,
      secret,
      canChange: hasRight(holder, "projects.write"),
    }),
  });
}

/** Reads what a project's page shows of its site. */
export async function readSiteView(
  { deployments, publishedSites, siteReaders, domains: siteDomains }: DashboardServices,
  project: Project,
  holder: SignedInUser,
): Promise<PublishedSiteView> {
  const scope = toProjectScope(project);
  const canChange = hasRight(holder, "projects.write");
  const [site, links, domains, live, { jobs }] = await Promise.all([
    publishedSites.read(project),
    canChange ? siteReaders.listLinks(project) : [],
    siteDomains.list(project.id),
    deployments.findLive(project.id),
    deployments.list(scope, { limit: maxDeployments }),
  ]);
  return {
    project,
    site,
    domains,
    links,
    live: live?.job,
    deployments: jobs.map(({ job }) => job),
    toOrigin: (label) => publishedSites.toOrigin(label),
    isHosted: project.repository === hostedRepository,
    canRun: hasRight(holder, "deployments.run"),
    canChange,
  };
}
