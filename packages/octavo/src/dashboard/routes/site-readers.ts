import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import { maxLinkDays, maxLinkNoteLength } from "../../publish/index.ts";
import { parseForm, tryForm } from "../form.ts";
import { createPageOptions } from "../page-rights.ts";
import type { DashboardServices } from "../services.ts";
import { getSignedInUser, sendClientRedirect } from "../session/sessions.ts";
import { findProject, toProjectScope } from "./scope.ts";
import { sendSiteSettings } from "./site-settings.ts";

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
export function addSiteReaderPages(app: FastifyInstance, services: DashboardServices): void {
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
