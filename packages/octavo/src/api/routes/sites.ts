import { z } from "zod";
import { addAddress } from "../../jobs/index.ts";
import { maxLinkDays, maxLinkNoteLength, maxPreviewPatterns } from "../../publish/index.ts";
import type { Site, SiteDomain, SiteLink } from "../../publish/index.ts";
import type { Api, ApiServices } from "../api.ts";
import { expectNoBody } from "../request-body.ts";
import { declareRight } from "../route-rights.ts";
import {
  createdBy,
  describeEmptyResponse,
  describeErrorResponses,
  describeJsonResponse,
  describeTimestamp,
} from "../schemas/responses.ts";
import { deployment } from "../schemas/deployment.ts";
import { createProjectFinder } from "./deployments.ts";

const domainName = z.string().meta({
  description: "The host name; international names are in punycode.",
  example: "docs.example.com",
});

const siteDomain = z
  .object({
    name: domainName,
    isCanonical: z
      .boolean()
      .meta({ description: "Whether the site's other hosts redirect to this domain." }),
    record: z
      .object({ type: z.literal("TXT"), name: z.string(), value: z.string() })
      .meta({ description: "The DNS record that proves ownership of the domain." }),
    provenAt: describeTimestamp("When the domain was proven; null until then.").nullable(),
    provenBy: z.enum(["dns", "operator"]).nullable().meta({
      description: "How the domain was proven: by its DNS record, or by the operator.",
    }),
    checkedAt: describeTimestamp("When its DNS record was last checked.").nullable(),
    problem: z.string().nullable().meta({
      description: "Why the last check did not prove the domain.",
    }),
    createdAt: describeTimestamp("When the project claimed the domain."),
    createdBy,
  })
  .meta({ id: "SiteDomain", description: "A domain of a project, served once it is proven." });

const newDomain = z
  .strictObject({ name: domainName.max(300) })
  .meta({ id: "AddSiteDomain", description: "A domain to add to the site." });

const siteFields = {
  slug: z.string().meta({
    description:
      "The site's name below the domain of sites: 1 to 40 of `a-z`, `0-9` and single hyphens.",
    example: "acme",
  }),
  isAutomatic: z.boolean().meta({
    description:
      "Whether changes to the project's branch are published automatically. Publishing an older deployment turns this off.",
  }),
  visibility: z.enum(["public", "members", "password"]).meta({
    description:
      "Who may read the site: everybody, members of the organization who sign in, or readers who know its password. The " +
      "default is `members` if its repository cannot be read without credentials.",
  }),
};

const versionRule = z
  .strictObject({
    type: z
      .enum(["branch", "tag"])
      .meta({ description: "The kind of refs to which the rule applies." }),
    pattern: z.string().min(1).max(255).optional().meta({
      description:
        "A name, in which `*` stands for any characters. Set either `pattern` or `range`.",
      example: "release/*",
    }),
    range: z.string().min(1).max(255).optional().meta({
      description: "A SemVer range. Names without a version do not match it.",
      example: ">=2",
    }),
    action: z.enum(["publish", "hide", "default", "remove"]).meta({
      description:
        "`publish` shows the version; `hide` shows it but omits it from lists; `default` shows it at the root of the " +
        "site; `remove` does not publish it.",
    }),
  })
  .meta({ id: "VersionRule", description: "A rule that turns branches or tags into versions." });

const siteVersion = z
  .object({
    slug: z.string().nullable().meta({
      description: "The path of the version below the site; null if it has a problem.",
      example: "v2.1",
    }),
    ref: z.string().meta({ description: "The name of the branch or tag." }),
    type: z.enum(["branch", "tag"]),
    isDefault: z
      .boolean()
      .meta({ description: "Whether readers get this version at the root of the site." }),
    isHidden: z
      .boolean()
      .meta({ description: "Whether lists and search engines omit this version." }),
    problem: z.string().nullable().meta({ description: "Why the version is not published." }),
    deploymentId: z.string().nullable().meta({
      description: "The deployment that readers of this version see; null until there is one.",
    }),
  })
  .meta({ id: "SiteVersion", description: "A branch or tag beside the project's own branch." });

const versionRules = z.array(versionRule).max(50).readonly().meta({
  description:
    "The rules for versions, in order: the first one that matches a branch or tag decides.",
});

const previewBranches = z
  .array(z.string().trim().min(1).max(255))
  .max(maxPreviewPatterns)
  .readonly()
  .meta({
    description:
      "Branches whose pushes are previewed: names, in which `*` stands for any characters. The branch of the site and " +
      "branches that are versions never match.",
    example: ["docs/*"],
  });

const previewPullRequests = z.enum(["none", "members", "all"]).meta({
  description:
    "Which open pull requests are previewed: none, those of people who may write to the repository, or all, including " +
    "those from forks.",
});

const canonicalDomain = z.string().nullable().meta({
  description:
    "The project's own domain to which the site's other hosts redirect, with path and query; null if none redirects.",
});

const site = z
  .object({
    ...siteFields,
    canonicalDomain,
    domains: z.array(siteDomain).meta({ description: "The project's own domains." }),
    versionRules,
    previewBranches,
    previewPullRequests,
    versions: z.array(siteVersion).readonly().meta({
      description: "Versions beside the project's own branch, which is the version `latest`.",
    }),
    url: z.url().meta({ description: "The address of the site." }),
    live: deployment
      .nullable()
      .meta({ description: "The deployment that readers see; null if nothing is published yet." }),
  })
  .meta({ id: "Site", description: "The published site of a project." });

const siteChanges = z
  .strictObject({
    slug: siteFields.slug.max(100).optional(),
    isAutomatic: siteFields.isAutomatic.optional(),
    visibility: siteFields.visibility.optional(),
    canonicalDomain: canonicalDomain.optional(),
    versionRules: versionRules.optional(),
    previewBranches: previewBranches.optional(),
    previewPullRequests: previewPullRequests.optional(),
    password: z.string().max(1_000).optional().meta({
      description:
        "The password of a site with the visibility `password`: 8 or more characters. It is stored as a hash, and a new one ends the access of readers who entered the previous one.",
    }),
  })
  .meta({ id: "ChangeSite", description: "Omitted fields keep their values." });

const siteLink = z
  .object({
    id: z.string().meta({ description: "Unique ID of the link.", example: "sl_06f4k2…" }),
    note: z.string().meta({ description: "Whom or what the link is for." }),
    url: z.url().meta({ description: "The link. Everybody who has it may read the site." }),
    expiresAt: describeTimestamp("When the link expires."),
    createdAt: describeTimestamp("When the link was created."),
    createdBy,
  })
  .meta({ id: "SiteLink", description: "A link that opens a closed site until it expires." });

const newLink = z
  .strictObject({
    note: z.string().trim().min(1).max(maxLinkNoteLength).meta({
      description: "Whom or what the link is for.",
    }),
    days: z.int().min(1).max(maxLinkDays).default(7).meta({
      description: "The number of days after which the link expires.",
    }),
  })
  .meta({ id: "CreateSiteLink" });

const projectPath = z.object({ projectId: z.string().meta({ description: "The project's ID." }) });
const domainPath = projectPath.extend({
  domainName: z.string().meta({ description: "The domain." }),
});
const linkPath = projectPath.extend({ linkId: z.string().meta({ description: "The link's ID." }) });
const tags = ["Publishing"];

/** The requests, responses and descriptions of the routes. */
const operations = {
  get: {
    operationId: "getSite",
    summary: "Get the site of a project",
    tags,
    params: projectPath,
    response: {
      200: describeJsonResponse("The site, with the deployment that readers see.", site),
      ...describeErrorResponses(401, 403, 404, 503),
    },
  },
  change: {
    operationId: "changeSite",
    summary: "Change the site of a project",
    description:
      "Setting `isAutomatic` to `true` also publishes what was pushed to a hosted repository while it was `false`.",
    tags,
    params: projectPath,
    body: siteChanges,
    response: {
      200: describeJsonResponse("The changed site.", site),
      ...describeErrorResponses(400, 401, 403, 404, 409, 413, 415, 503),
    },
  },
  addDomain: {
    operationId: "addSiteDomain",
    summary: "Add a domain to the site of a project",
    description:
      "The site is served at the domain once its ownership is proven. Create the DNS record in the response, then check the domain.",
    tags,
    params: projectPath,
    body: newDomain,
    response: {
      201: describeJsonResponse("The domain, which is not proven yet.", siteDomain),
      ...describeErrorResponses(400, 401, 403, 404, 409, 413, 415, 503),
    },
  },
  checkDomain: {
    operationId: "checkSiteDomain",
    summary: "Look for the DNS record of a domain",
    description:
      "Proves the domain if its record is found; otherwise `problem` says what was found. Responds with 409 if the domain " +
      "belongs to another project.",
    tags,
    params: domainPath,
    response: {
      200: describeJsonResponse("The domain after the check.", siteDomain),
      ...describeErrorResponses(400, 401, 403, 404, 409, 413, 415, 503),
    },
  },
  removeDomain: {
    operationId: "removeSiteDomain",
    summary: "Remove a domain from the site of a project",
    description: "A domain that is added again requires a new DNS record.",
    tags,
    params: domainPath,
    response: {
      204: describeEmptyResponse("The site is no longer served at the domain."),
      ...describeErrorResponses(400, 401, 403, 404, 413, 415, 503),
    },
  },
  listLinks: {
    operationId: "listSiteLinks",
    summary: "List the links that open a closed site",
    tags,
    params: projectPath,
    response: {
      200: describeJsonResponse(
        "The links that have not expired, newest first.",
        z.object({ links: z.array(siteLink) }).meta({ id: "SiteLinkList" }),
      ),
      ...describeErrorResponses(401, 403, 404, 503),
    },
  },
  createLink: {
    operationId: "createSiteLink",
    summary: "Create a link that opens a closed site",
    tags,
    params: projectPath,
    body: newLink,
    response: {
      201: describeJsonResponse("The link.", siteLink),
      ...describeErrorResponses(400, 401, 403, 404, 409, 413, 415, 503),
    },
  },
  revokeLink: {
    operationId: "revokeSiteLink",
    summary: "Revoke a link that opens a closed site",
    description: "Also ends the access of readers who have used it.",
    tags,
    params: linkPath,
    response: {
      204: describeEmptyResponse("The link no longer opens the site."),
      ...describeErrorResponses(400, 401, 403, 404, 413, 415, 503),
    },
  },
};

const sitePath = "/v2/projects/:projectId/site";

/** Adds the routes of projects' published sites, and of their domains and links. */
export function addSiteRoutes(api: Api, services: ApiServices): void {
  const { deployments, publishedSites: sites, domains, siteReaders, projects } = services;
  const onRequest = createProjectFinder(projects);
  const toBody = async (projectId: string, site: Site) => {
    const [live, ownDomains, versions] = await Promise.all([
      deployments.findLive(projectId),
      domains.list(projectId),
      sites.listVersions(projectId),
    ]);
    return {
      ...site,
      domains: ownDomains.map(toDomainBody),
      versions,
      live: live ? addAddress(live.job, (label) => sites.toOrigin(label)) : null,
    };
  };

  const getOptions = { schema: operations.get, ...declareRight("deployments.read"), onRequest };
  api.get(sitePath, getOptions, async ({ project }) =>
    toBody(project.id, await sites.read(project)),
  );

  const changeOptions = { ...declareRight("projects.write"), onRequest };
  api.put(
    sitePath,
    { ...changeOptions, schema: operations.change },
    async ({ caller, project, body }) => {
      const site = await sites.change(caller, project, body);
      if (body.versionRules ?? body.previewBranches) await deployments.followVersions(project.id);
      if (body.previewPullRequests) await deployments.followPullRequests(project.id);
      if (body.isAutomatic === true) await deployments.resume({ ...caller, projectId: project.id });
      return await toBody(project.id, site);
    },
  );

  const addOptions = { ...changeOptions, schema: operations.addDomain };
  api.post(`${sitePath}/domains`, addOptions, async ({ caller, project, body }, reply) =>
    reply.code(201).send(toDomainBody(await domains.add(caller, project, body.name))),
  );

  const actOptions = { ...changeOptions, preValidation: expectNoBody };
  const checkOptions = { ...actOptions, schema: operations.checkDomain };
  api.post(
    `${sitePath}/domains/:domainName/check`,
    checkOptions,
    async ({ caller, project, params }) =>
      toDomainBody(await domains.check(caller, project, params.domainName)),
  );
  const removeOptions = { ...actOptions, schema: operations.removeDomain };
  api.delete(
    `${sitePath}/domains/:domainName`,
    removeOptions,
    async ({ caller, project, params }, reply) => {
      await domains.remove(caller, project, params.domainName);
      return reply.code(204).send();
    },
  );

  const listOptions = { ...changeOptions, schema: operations.listLinks };
  api.get(`${sitePath}/links`, listOptions, async ({ project }) => ({
    links: (await siteReaders.listLinks(project)).map(toLinkBody),
  }));
  const createOptions = { ...changeOptions, schema: operations.createLink };
  api.post(`${sitePath}/links`, createOptions, async ({ caller, project, body }, reply) =>
    reply.code(201).send(toLinkBody(await siteReaders.createLink(caller, project, body))),
  );
  const revokeOptions = { ...actOptions, schema: operations.revokeLink };
  api.delete(
    `${sitePath}/links/:linkId`,
    revokeOptions,
    async ({ caller, project, params }, reply) => {
      await siteReaders.revokeLink(caller, project, params.linkId);
      return reply.code(204).send();
    },
  );
}

function toLinkBody(link: SiteLink) {
  const { createdAt, expiresAt } = link;
  return { ...link, createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() };
}

function toDomainBody(domain: SiteDomain) {
  return {
    ...domain,
    createdAt: domain.createdAt.toISOString(),
    provenAt: domain.provenAt?.toISOString() ?? null,
    checkedAt: domain.checkedAt?.toISOString() ?? null,
  };
}
