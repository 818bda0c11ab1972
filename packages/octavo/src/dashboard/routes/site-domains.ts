import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { parseForm, tryForm } from "../form.ts";
import { createPageOptions } from "../page-rights.ts";
import type { DashboardServices } from "../services.ts";
import { findProject, toProjectScope } from "./scope.ts";
import { sendSiteSettings } from "./site-settings.ts";

const Add = z.object({ domain: z.string().trim().max(300) });

/** Adds what people can do with the domains of a site, which stand on the project's page. */
export function addSiteDomainPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, domains, addresses } = services;
  const path = "/projects/:projectId/domains";
  const change = createPageOptions("projects.write");
  const find = async (request: FastifyRequest) => {
    const { project, holder } = await findProject(projects, request);
    const { domainName = "" } = request.params as { readonly domainName?: string };
    return { project, scope: toProjectScope(project, holder), domainName };
  };

  app.post(path, change, async (request, reply) => {
    const { project, scope } = await find(request);
    const { refused } = await tryForm(services, { request, reply, field: "domain" }, () =>
      domains.add(scope, project, parseForm(Add, request.body).domain),
    );
    if (refused) return sendSiteSettings(services, request, { reply, project, refused });
    return reply.redirect(addresses.site(project.id), 303);
  });

  app.post(`${path}/:domainName/check`, change, async (request, reply) => {
    const { project, scope, domainName } = await find(request);
    await domains.check(scope, project, domainName);
    return reply.redirect(addresses.site(project.id), 303);
  });

  app.post(`${path}/:domainName/remove`, change, async (request, reply) => {
    const { project, scope, domainName } = await find(request);
    await domains.remove(scope, project, domainName);
    return reply.redirect(addresses.site(project.id), 303);
  });
}
