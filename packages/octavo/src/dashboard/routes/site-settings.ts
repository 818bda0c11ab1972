import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { maxPreviewPatterns } from "../../publish/index.ts";
import { parseForm } from "../form.ts";
import { createPageOptions } from "../page-rights.ts";
import { renderSiteSettings } from "../pages/site-settings.ts";
import type { DashboardServices } from "../services.ts";
import { getSignedInUser } from "../session/sessions.ts";
import { sendProjectPage } from "./project-page.ts";
import { findProject, toProjectScope } from "./scope.ts";

const Change = z.object({
  slug: z.string().trim().max(100).optional(),
  visibility: z.enum(["public", "members", "password"]).optional(),
  password: z.string().max(1_000).optional(),
  isAutomatic: z.literal("on").optional(),
  /** Empty for none. */
  canonicalDomain: z.string().max(300).optional(),
  /** Patterns with commas or spaces between them. */
  previewBranches: z
    .string()
    .max(5_000)
    .transform((text) => text.split(/[\s,]+/).filter((pattern) => pattern !== ""))
    .pipe(z.array(z.string().max(255)).max(maxPreviewPatterns))
    .optional(),
});

/** Adds the page with the settings of a project's site. */
export function addSiteSettingsPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, deployments, publishedSites, siteReaders, addresses } = services;
  const path = "/projects/:projectId";

  app.get(`${path}/site`, createPageOptions("projects.write"), async (request, reply) => {
    const { project } = await findProject(projects, request);
    const [site, links, domains] = await Promise.all([
      publishedSites.read(project),
      siteReaders.listLinks(project),
      services.domains.list(project.id),
    ]);
    const siteHost = new URL(publishedSites.toOrigin(site.slug)).hostname;
    return sendProjectPage(services, request, reply, {
      project,
      tab: "settings",
      title: "Site",
      main: renderSiteSettings(addresses, { project, site, links, domains, siteHost }),
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
    if (changes.previewBranches) await deployments.followVersions(project.id);
    if (!isResumed) return reply.redirect(addresses.site(project.id), 303);
    await deployments.resume(scope);
    return reply.redirect(addresses.project(project.id), 303);
  });
}
