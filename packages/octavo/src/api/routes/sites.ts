import { addAddress } from "../../jobs/index.ts";
import type { Site, SiteDomain, SiteLink } from "../../publish/index.ts";
import type { Api, ApiServices } from "../api.ts";
import { expectNoBody } from "../json-body.ts";
import { declareRight } from "../route-rights.ts";
import { siteOperations as operations } from "../schemas/site.ts";
import { createProjectHook } from "./deployments.ts";

const path = "/v2/projects/:projectId/site";

/** Adds the routes of the sites that show deployments, and of their domains. */
export function addSiteRoutes(api: Api, services: ApiServices): void {
  const { deployments, publishedSites: sites, domains, siteReaders, projects } = services;
  const onRequest = createProjectHook(projects);
  const toBody = async (projectId: string, site: Site) => {
    const [live, own, versions] = await Promise.all([
      deployments.findLive(projectId),
      domains.list(projectId),
      sites.listVersions(projectId),
    ]);
    return {
      ...site,
      domains: own.map(toDomainBody),
      versions,
      live: live ? addAddress(live.job, (label) => sites.toOrigin(label)) : null,
    };
  };

  const get = { schema: operations.get, ...declareRight("deployments.read"), onRequest };
  api.get(path, get, async ({ project }) => toBody(project.id, await sites.read(project)));

  const change = { ...declareRight("projects.write"), onRequest };
  api.put(path, { ...change, schema: operations.change }, async ({ caller, project, body }) => {
    const site = await sites.change(caller, project, body);
    if (body.versionRules ?? body.previewBranches) await deployments.followVersions(project.id);
    if (body.previewPullRequests) await deployments.followPullRequests(project.id);
    if (body.isAutomatic === true) await deployments.resume({ ...caller, projectId: project.id });
    return await toBody(project.id, site);
  });

  const add = { ...change, schema: operations.addDomain };
  api.post(`${path}/domains`, add, async ({ caller, project, body }, reply) =>
    reply.code(201).send(toDomainBody(await domains.add(caller, project, body.name))),
  );

  const act = { ...change, preValidation: expectNoBody };
  const check = { ...act, schema: operations.checkDomain };
  api.post(`${path}/domains/:domainName/check`, check, async ({ caller, project, params }) =>
    toDomainBody(await domains.check(caller, project, params.domainName)),
  );
  const remove = { ...act, schema: operations.removeDomain };
  api.delete(`${path}/domains/:domainName`, remove, async ({ caller, project, params }, reply) => {
    await domains.remove(caller, project, params.domainName);
    return reply.code(204).send();
  });

  const list = { ...change, schema: operations.listLinks };
  api.get(`${path}/links`, list, async ({ project }) => ({
    links: (await siteReaders.listLinks(project)).map(toLinkBody),
  }));
  const create = { ...change, schema: operations.createLink };
  api.post(`${path}/links`, create, async ({ caller, project, body }, reply) =>
    reply.code(201).send(toLinkBody(await siteReaders.createLink(caller, project, body))),
  );
  const revoke = { ...act, schema: operations.revokeLink };
  api.delete(`${path}/links/:linkId`, revoke, async ({ caller, project, params }, reply) => {
    await siteReaders.revokeLink(caller, project, params.linkId);
    return reply.code(204).send();
  });
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
