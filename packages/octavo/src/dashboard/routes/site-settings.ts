import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { maxPreviewPatterns } from "../../publish/index.ts";
import type { Project } from "../../projects/index.ts";
import { parseForm, tryForm, type RefusedForm } from "../form.ts";
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
    .pipe(
      z
        .array(z.string().max(255, "A pattern has at most 255 characters."))
        .max(maxPreviewPatterns, `Enter at most ${maxPreviewPatterns} patterns.`),
    )
    .optional(),
  previewPullRequests: z.enum(["none", "members", "all"]).optional(),
});

/** Adds the page with the settings of a project's site. */
export function addSiteSettingsPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, deployments, publishedSites, addresses } = services;
  const path = "/projects/:projectId";

  app.get(`${path}/site`, createPageOptions("projects.write"), async (request, reply) => {
    const { project } = await findProject(projects, request);
    return sendSiteSettings(services, request, { reply, project });
  });

  app.post(`${path}/site`, createPageOptions("projects.write"), async (request, reply) => {
    const { project } = await findProject(projects, request);
    const scope = toProjectScope(project, getSignedInUser(request));
    const attempt = { request, reply, field: "slug" };
    const { result: changes, refused } = await tryForm(services, attempt, async () => {
      const form = parseForm(Change, request.body);
      const { isAutomatic, password, canonicalDomain, ...others } = form;
      await publishedSites.change(scope, project, {
        ...others,
        ...(password !== "" && { password }),
        ...(isAutomatic === "on" && { isAutomatic: true }),
        ...(canonicalDomain !== undefined && { canonicalDomain: canonicalDomain || null }),
      });
      return form;
    });
    if (refused) return sendSiteSettings(services, request, { reply, project, refused });
    if (changes.previewBranches) await deployments.followVersions(project.id);
    if (changes.previewPullRequests) await deployments.followPullRequests(project.id);
    if (changes.isAutomatic !== "on") return reply.redirect(addresses.site(project.id), 303);
    await deployments.resume(scope);
    return reply.redirect(addresses.project(project.id), 303);
  });
}

interface SiteSettingsAnswer {
  readonly reply: FastifyReply;
  readonly project: Project;
  readonly refused?: RefusedForm | undefined;
}

/** Sends the settings of a site, which show a form again that was not accepted. */
export async function sendSiteSettings(
  services: DashboardServices,
  request: FastifyRequest,
  { reply, project, refused }: SiteSettingsAnswer,
): Promise<FastifyReply> {
  const { deployments, publishedSites, siteReaders, domains: siteDomains, addresses } = services;
  const [site, links, domains, reviewProblems] = await Promise.all([
    publishedSites.read(project),
    siteReaders.listLinks(project),
    siteDomains.list(project.id),
    deployments.listReviewProblems(project.id),
  ]);
  const siteHost = new URL(publishedSites.toOrigin(site.slug)).hostname;
  return sendProjectPage(services, request, reply, {
    project,
    tab: "settings",
    title: "Site",
    main: renderSiteSettings(addresses, {
      project,
      site,
      links,
      domains,
      reviewProblems,
      siteHost,
      refused,
    }),
  });
}
