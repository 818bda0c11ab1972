import type { FastifyRequest } from "fastify";
import { toPublicActor } from "../../core/index.ts";
import type { Project, PullRequestSettings } from "../../projects/index.ts";
import type { Api, ApiServices } from "../api.ts";
import { requireWholeOrganization } from "../../projects/index.ts";
import { parseBasePath } from "../base-path.ts";
import { toCursor } from "../cursor.ts";
import { expectNoBody } from "../json-body.ts";
import { declareRight } from "../route-rights.ts";
import { projectOperations as operations } from "../schemas/project.ts";

const path = "/v2/projects";

export function addProjectRoutes(api: Api, { projects, baseUrl }: ApiServices): void {
  /** A 404 takes precedence over every error in the body. */
  async function findProject(request: FastifyRequest): Promise<void> {
    const { projectId } = request.params as { projectId: string };
    await projects.get(request.caller, projectId);
  }

  api.post(
    path,
    { schema: operations.create, ...declareRight("projects.write") },
    async ({ caller, body }, reply) => {
      const checked = projects.check(body);
      requireWholeOrganization(caller, "create projects");
      const made = await projects.create(caller.organizationId, checked, caller.actor);
      const location = `${parseBasePath(baseUrl())}${path}/${made.id}`;
      return reply.code(201).header("location", location).send(toBody(made));
    },
  );

  api.get(
    path,
    { schema: operations.list, ...declareRight("projects.read") },
    async ({ caller, query: { limit, cursor } }) => {
      const { items, next } = await projects.list(caller, { limit, before: cursor });
      return { projects: items.map(toBody), nextCursor: toCursor(next) };
    },
  );

  api.get(
    `${path}/:projectId`,
    { schema: operations.get, ...declareRight("projects.read") },
    async ({ caller, params }) => toBody(await projects.get(caller, params.projectId)),
  );

  const update = {
    schema: operations.update,
    ...declareRight("projects.write"),
    onRequest: findProject,
  };
  api.patch(`${path}/:projectId`, update, async ({ caller, params, body }) =>
    toBody(await projects.update(caller, params.projectId, body)),
  );

  const remove = {
    schema: operations.remove,
    ...declareRight("projects.write"),
    onRequest: findProject,
    preValidation: expectNoBody,
  };
  api.delete(`${path}/:projectId`, remove, async ({ caller, params }, reply) => {
    await projects.remove(caller, params.projectId);
    return reply.code(204).send();
  });
}

function toBody(project: Project) {
  return {
    id: project.id,
    name: project.name,
    domain: project.domain,
    repository: project.repository,
    ref: project.ref,
    directory: project.directory,
    codeHost: project.codeHost,
    model: project.model,
    remoteScripts: [...project.remoteScripts],
    pullRequests: toPullRequests(project.pullRequests),
    signingPublicKey: project.signingPublicKey,
    sources: [...project.sources],
    createdBy: toPublicActor(project.createdBy),
    createdAt: project.createdAt.toISOString(),
  };
}

function toPullRequests({ labels, reviewers, ...settings }: PullRequestSettings) {
  return { ...settings, labels: [...labels], reviewers: [...reviewers] };
}
