import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import type { Project } from "../../projects/index.ts";
import { maxPreviewPatterns, maxLinkDays, maxLinkNoteLength } from "../../publish/index.ts";
import { parseForm, tryForm } from "../form.ts";
import type { RefusedForm } from "../form.ts";
import { createPageOptions } from "../page-rights.ts";
import { renderSiteSettings } from "../pages/site-settings.ts";
import type { DashboardServices } from "../services.ts";
import { getSignedInUser, sendClientRedirect } from "../session/sessions.ts";
import { sendProjectPage, findProject, toProjectScope } from "./project-page.ts";

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

/** Adds the settings of a project's site: its address, its domains and its readers. */
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

  addSiteDomainPages(app, services);
  addSiteReaderPages(app, services);
}

interface SiteSettingsAnswer {
  readonly reply: FastifyReply;
  readonly project: Project;
  readonly refused?: RefusedForm | undefined;
}

/** Sends the settings of a site, which show a form again that was not accepted. */
async function sendSiteSettings(
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

const Add = z.object({ domain: z.string().trim().max(300) });

/** Adds what people can do with the domains of a site, which stand on the project's page. */
function addSiteDomainPages(app: FastifyInstance, services: DashboardServices): void {
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

const linkDaysRule = `Enter 1 to ${maxLinkDays} days.`;
const Link = z.object({
  note: z.string().trim().min(1, "Enter whom the link is for.").max(maxLinkNoteLength),
  days: z.coerce
    .number(linkDaysRule)
    .int(linkDaysRule)
    .min(1, linkDaysRule)
    .max(maxLinkDays, linkDaysRule),
});

/** The query with which a closed site sends its readers here. */
const Opening = z.object({
  host: z.string().min(1).max(253),
  state: z.string().regex(/^[0-9a-f]{32}$/),
  to: z.string().max(8_000).catch("/"),
});

/** Adds what lets people read a closed site: the sign-in of members, and links. */
function addSiteReaderPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, siteReaders, addresses } = services;

  app.get("/open-site", createPageOptions("projects.read"), async (request, reply) => {
    const holder = getSignedInUser(request);
    const opening = Opening.safeParse(request.query).data;
    const site = opening && (await siteReaders.findSite(opening.host));
    if (!opening || site?.visibility !== "members") {
      throw new OctavoError("not_found", "This address does not belong to a site for members.");
    }
    const { id: projectId } = await projects.get(holder, site.projectId);
    // Not a redirect, which browsers refuse to follow to another host after the form of the sign-in.
    return sendClientRedirect(reply, siteReaders.createMemberAddress({ ...opening, projectId }));
  });

  const change = createPageOptions("projects.write");
  app.post("/projects/:projectId/links", change, async (request, reply) => {
    const { project, holder } = await findProject(projects, request);
    const { refused } = await tryForm(services, { request, reply, field: "note" }, async () => {
      const link = parseForm(Link, request.body);
      return await siteReaders.createLink(toProjectScope(project, holder), project, link);
    });
    if (refused) return sendSiteSettings(services, request, { reply, project, refused });
    return reply.redirect(addresses.site(project.id), 303);
  });

  app.post("/projects/:projectId/links/:linkId/revoke", change, async (request, reply) => {
    const { project, holder } = await findProject(projects, request);
    const { linkId } = request.params as { readonly linkId: string };
    await siteReaders.revokeLink(toProjectScope(project, holder), project, linkId);
    return reply.redirect(addresses.site(project.id), 303);
  });
}
