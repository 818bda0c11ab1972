import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import type { Project } from "../../projects/index.ts";
import { maxPreviewPatterns, maxLinkDays, maxLinkNoteLength } from "../../publish/index.ts";
import { parseForm, tryForm } from "../form.ts";
import type { RefusedForm } from "../form.ts";
import { createPageOptions } from "../page-rights.ts";
import type { DashboardServices } from "../services.ts";
import { getSignedInUser, sendClientRedirect } from "../session/sessions.ts";
import { sendProjectPage, findProject, toProjectScope, renderSettingsNav } from "./project-page.ts";
import type { ReviewProblem } from "../../jobs/index.ts";
import type { Site, SiteDomain, SiteLink } from "../../publish/index.ts";
import type { Addresses } from "../addresses.ts";
import { renderRelativeTime, renderDay } from "../format.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import {
  renderField,
  renderPageHead,
  renderCopyableText,
  renderStatusBadge,
  formatActor,
} from "../pages/parts.ts";

const SiteChangeForm = z.object({
  slug: z.string().trim().max(100).optional(),
  visibility: z.enum(["public", "members", "password"]).optional(),
  password: z.string().max(1_000).optional(),
  isAutomatic: z.literal("on").optional(),
  /** Empty if the site has no canonical domain. */
  canonicalDomain: z.string().max(300).optional(),
  /** Patterns separated by commas or spaces. */
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
      const form = parseForm(SiteChangeForm, request.body);
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

/** Sends the settings of a site, which show a form again if it was not accepted. */
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

const NewDomainForm = z.object({ domain: z.string().trim().max(300) });

/** Adds the actions on a site's domains. */
function addSiteDomainPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, domains, addresses } = services;
  const path = "/projects/:projectId/domains";
  const changeOptions = createPageOptions("projects.write");
  const findDomain = async (request: FastifyRequest) => {
    const { project, user } = await findProject(projects, request);
    const { domainName = "" } = request.params as { readonly domainName?: string };
    return { project, scope: toProjectScope(project, user), domainName };
  };

  app.post(path, changeOptions, async (request, reply) => {
    const { project, scope } = await findDomain(request);
    const { refused } = await tryForm(services, { request, reply, field: "domain" }, () =>
      domains.add(scope, project, parseForm(NewDomainForm, request.body).domain),
    );
    if (refused) return sendSiteSettings(services, request, { reply, project, refused });
    return reply.redirect(addresses.site(project.id), 303);
  });

  app.post(`${path}/:domainName/check`, changeOptions, async (request, reply) => {
    const { project, scope, domainName } = await findDomain(request);
    await domains.check(scope, project, domainName);
    return reply.redirect(addresses.site(project.id), 303);
  });

  app.post(`${path}/:domainName/remove`, changeOptions, async (request, reply) => {
    const { project, scope, domainName } = await findDomain(request);
    await domains.remove(scope, project, domainName);
    return reply.redirect(addresses.site(project.id), 303);
  });
}

const linkDaysRule = `Enter 1 to ${maxLinkDays} days.`;
const NewLinkForm = z.object({
  note: z.string().trim().min(1, "Enter whom the link is for.").max(maxLinkNoteLength),
  days: z.coerce
    .number(linkDaysRule)
    .int(linkDaysRule)
    .min(1, linkDaysRule)
    .max(maxLinkDays, linkDaysRule),
});

/** The query of the address to which a closed site redirects its readers. */
const OpenSiteQuery = z.object({
  host: z.string().min(1).max(253),
  state: z.string().regex(/^[0-9a-f]{32}$/),
  to: z.string().max(8_000).catch("/"),
});

/** Adds the access to closed sites: the sign-in of members, and the links to share. */
function addSiteReaderPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, siteReaders, addresses } = services;

  app.get("/open-site", createPageOptions("projects.read"), async (request, reply) => {
    const user = getSignedInUser(request);
    const openQuery = OpenSiteQuery.safeParse(request.query).data;
    const site = openQuery && (await siteReaders.findSite(openQuery.host));
    if (!openQuery || site?.visibility !== "members") {
      throw new OctavoError("not_found", "This address does not belong to a site for members.");
    }
    const { id: projectId } = await projects.get(user, site.projectId);
    // The response is not a redirect, because after the sign-in form, browsers refuse to follow a redirect to another
    // host.
    return sendClientRedirect(reply, siteReaders.createMemberAddress({ ...openQuery, projectId }));
  });

  const changeOptions = createPageOptions("projects.write");
  app.post("/projects/:projectId/links", changeOptions, async (request, reply) => {
    const { project, user } = await findProject(projects, request);
    const { refused } = await tryForm(services, { request, reply, field: "note" }, async () => {
      const link = parseForm(NewLinkForm, request.body);
      return await siteReaders.createLink(toProjectScope(project, user), project, link);
    });
    if (refused) return sendSiteSettings(services, request, { reply, project, refused });
    return reply.redirect(addresses.site(project.id), 303);
  });

  app.post("/projects/:projectId/links/:linkId/revoke", changeOptions, async (request, reply) => {
    const { project, user } = await findProject(projects, request);
    const { linkId } = request.params as { readonly linkId: string };
    await siteReaders.revokeLink(toProjectScope(project, user), project, linkId);
    return reply.redirect(addresses.site(project.id), 303);
  });
}

interface SiteSettingsView {
  readonly project: Pick<Project, "id">;
  readonly site: Site;
  readonly domains: readonly SiteDomain[];
  /** The links that open the site. */
  readonly links: readonly SiteLink[];
  /** The site's host under the sites' domain, to which a domain's DNS record can point. */
  readonly siteHost: string;
  /** The failures of the last attempts to review pull requests. */
  readonly reviewProblems: readonly ReviewProblem[];
  /** The form that was sent last, if it was not accepted. */
  readonly refused: RefusedForm | undefined;
}

/** Renders the settings of a site: its address, its readers and its domains. */
function renderSiteSettings(addresses: Addresses, view: SiteSettingsView): SafeHtml {
  return safeHtml`${renderSettingsNav(addresses, view.project, "site")} ${renderPageHead([], "Site")}
    ${renderSiteForm(addresses, view)}
    ${renderSiteLinks(addresses, view)} ${renderSiteDomains(addresses, view)}`;
}

function renderSiteForm(
  addresses: Addresses,
  { project, site, reviewProblems, refused }: SiteSettingsView,
): SafeHtml {
  const chosenVisibility = refused?.sentFields["visibility"] ?? site.visibility;
  const renderVisibilityOption = (value: Site["visibility"], text: string) =>
    safeHtml`<option value="${value}" ${chosenVisibility === value && safeHtml`selected`}>
      ${text}
    </option>`;
  const renderPreviewOption = (value: Site["previewPullRequests"], text: string) =>
    safeHtml`<option value="${value}" ${site.previewPullRequests === value && safeHtml`selected`}>
      ${text}
    </option>`;
  return safeHtml`<section class="card" aria-labelledby="address">
    <h2 id="address">Address and readers</h2>
    <form class="inline" method="post" action="${addresses.site(project.id)}">
      ${renderField({ name: "slug", label: "Name in the address", value: site.slug, maxLength: 40, refused })}
      <div class="narrow">
        <label for="visibility">Readers</label>
        <select id="visibility" name="visibility">
          ${renderVisibilityOption("public", "everybody")} ${renderVisibilityOption("members", "members of the organization")}
          ${renderVisibilityOption("password", "anyone who knows the password")}
        </select>
      </div>
      ${renderField({ name: "password", label: "Password", type: "password", placeholder: site.visibility === "password" ? "unchanged" : "only for a closed site", maxLength: 1_000, refused })}
      <button class="primary" type="submit">Save</button>
    </form>
  </section>
  <section class="card" aria-labelledby="previews">
    <h2 id="previews">Previews</h2>
    <p>
      Each open pull request gets a preview at its own address, which a comment on the code host shows with the
      changes. Pushes to the branches below also get previews. A <code>*</code> stands for any characters.
    </p>
    ${reviewProblems.map(
      ({ number, reason }) =>
        safeHtml`<p class="notice danger">
          ${number === null ? "The open pull requests could not be listed" : `The preview of pull request ${number} could not be reported to the code host`}: ${reason}
          The service will try again.
        </p>`,
    )}
    <form class="inline" method="post" action="${addresses.site(project.id)}">
      ${renderField({ name: "previewBranches", label: "Branches", value: site.previewBranches.join(", "), placeholder: "none, such as docs/*, redesign", maxLength: 5_000, refused })}
      <div class="narrow">
        <label for="preview-pull-requests">Pull requests</label>
        <select id="preview-pull-requests" name="previewPullRequests">
          ${renderPreviewOption("all", "of everybody")}
          ${renderPreviewOption("members", "of people who may write")} ${renderPreviewOption("none", "none")}
        </select>
      </div>
      <button class="primary" type="submit">Save</button>
    </form>
  </section>`;
}

/** Renders the domains of a site, with the DNS records to create and the result of the last check. */
function renderSiteDomains(addresses: Addresses, view: SiteSettingsView): SafeHtml {
  const { project, domains, refused } = view;
  return safeHtml`<section class="card" aria-labelledby="domains">
    <h2 id="domains">Domains</h2>
    ${
      domains.length > 0 &&
      safeHtml`<ul class="rows">
        ${domains.map((domain) => renderDomain(addresses, view, domain))}
      </ul>`
    }
    <form class="inline" method="post" action="${addresses.siteDomains(project.id)}">
      ${renderField({ name: "domain", label: "Your own domain", placeholder: "docs.example.com", maxLength: 300, isRequired: true, refused })}
      <button type="submit">Add</button>
    </form>
  </section>`;
}

function renderDomain(
  addresses: Addresses,
  { project, site, siteHost }: SiteSettingsView,
  domain: SiteDomain,
): SafeHtml {
  const { name, isCanonical, provenAt, provenBy } = domain;
  const badge = provenAt
    ? renderStatusBadge("completed", "proven")
    : renderStatusBadge("queued", "not proven");
  const proofText = provenBy === "operator" ? "by the operator" : "by its DNS record";
  return safeHtml`<li class="row">
    <span class="row-main">${badge} <span class="row-title">${name}</span></span>
    <span class="row-facts">
      ${isCanonical && safeHtml`<span>the site's address</span>`}
      ${provenAt !== null && safeHtml`<span>${proofText} ${renderRelativeTime(provenAt)}</span>`}
      ${provenAt !== null && renderCanonicalForm(addresses.site(project.id), name, isCanonical)}
      <form method="post" action="${addresses.removeSiteDomain(project.id, name)}">
        <button type="submit">Remove</button>
      </form>
    </span>
    ${provenAt === null && renderProof(addresses.checkSiteDomain(project.id, name), { domain, siteHost })}
    ${
      isCanonical &&
      safeHtml`<p class="soft">The site's other hosts redirect to ${site.url.replace(/^https?:\/\//, "")}.</p>`
    }
  </li>`;
}

function renderCanonicalForm(address: string, name: string, isCanonical: boolean): SafeHtml {
  return safeHtml`<form method="post" action="${address}">
    <input type="hidden" name="canonicalDomain" value="${isCanonical ? "" : name}" />
    <button type="submit">${isCanonical ? "Stop redirecting" : "Make it the site's address"}</button>
  </form>`;
}

interface ProofView {
  readonly domain: SiteDomain;
  readonly siteHost: string;
}

/** Renders the records that a person enters at the DNS provider. */
function renderProof(
  checkAddress: string,
  { domain: { name, record, checkedAt, problem }, siteHost }: ProofView,
): SafeHtml {
  return safeHtml`<div class="notice">
    <p>Enter these records at the DNS provider of ${name}:</p>
    <dl class="facts">
      <div>
        <dt>${record.type}</dt>
        <dd>${renderCopyableText(record.name, "the record's name")}</dd>
        <dd>${renderCopyableText(record.value, "the record's value")}</dd>
      </div>
      <div>
        <dt>CNAME</dt>
        <dd>${renderCopyableText(name, "the domain")}</dd>
        <dd>${renderCopyableText(siteHost, "the site's host")}</dd>
      </div>
    </dl>
    <p class="soft">
      The first one proves that the domain is yours. The second one leads readers to this service; if
      the provider does not accept it, enter the service's addresses as A and AAAA records.
    </p>
    ${
      problem !== null &&
      checkedAt !== null &&
      safeHtml`<p>${problem} Checked ${renderRelativeTime(checkedAt)}.</p>`
    }
    <form method="post" action="${checkAddress}">
      <button class="primary" type="submit">Check</button>
    </form>
  </div>`;
}

/** Renders the links that open a closed site, which only people who may change the site can see. */
function renderSiteLinks(
  addresses: Addresses,
  { project, site, links, refused }: SiteSettingsView,
): SafeHtml | false {
  if (site.visibility === "public" && links.length === 0) return false;
  return safeHtml`<section class="card" aria-labelledby="links">
    <h2 id="links">Links to share</h2>
    ${
      links.length > 0 &&
      safeHtml`<ul class="rows">
        ${links.map((link) => renderLink(addresses.revokeSiteLink(project.id, link.id), link))}
      </ul>`
    }
    <form class="inline" method="post" action="${addresses.siteLinks(project.id)}">
      ${renderField({ name: "note", label: "For", maxLength: maxLinkNoteLength, isRequired: true, refused })}
      ${renderField({ name: "days", label: "Days", type: "number", value: 7, isRequired: true, isNarrow: true, attributes: safeHtml`min="1" max="${maxLinkDays}"`, refused })}
      <button type="submit">Create link</button>
    </form>
  </section>`;
}

function renderLink(
  revokeAddress: string,
  { note, url, expiresAt, createdAt, createdBy }: SiteLink,
): SafeHtml {
  return safeHtml`<li class="row">
    <span class="row-main"><span class="row-title">${note}</span></span>
    <span class="row-facts">
      <span>created ${renderRelativeTime(createdAt)}${formatActor(createdBy)}</span>
      <span>expires on ${renderDay(expiresAt)}</span>
      <form method="post" action="${revokeAddress}">
        <button type="submit">Revoke</button>
      </form>
    </span>
    <p>${renderCopyableText(url, "the link")}</p>
  </li>`;
}
