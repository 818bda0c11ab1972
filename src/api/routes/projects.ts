import type { FastifyRequest } from "fastify";
import type { Project } from "../../projects/index.ts";
import type { Api, ApiServices } from "../api.ts";
import { requireWholeOrganization } from "../authentication.ts";
import { nextCursorOf } from "../cursor.ts";
import {
  createProject,
  project,
  projectList,
  projectPath,
  projectQuery,
  updateProject,
} from "../schemas/project.ts";
import { errorAnswers, jsonAnswer, noAnswer } from "../schemas/responses.ts";

const path = "/v2/projects";
const tags = ["Projects"];

export function addProjectRoutes(api: Api, { projects }: ApiServices): void {
  /** An `onRequest` hook: 404 comes before anything that the body could be refused for. */
  async function findProject(request: FastifyRequest): Promise<void> {
    const { projectId } = request.params as { projectId: string };
    await projects.get(request.caller, projectId);
  }

  api.route({
    method: "POST",
    url: path,
    schema: {
      operationId: "createProject",
      summary: "Create a project",
      tags,
      body: createProject,
      response: {
        201: jsonAnswer("The new project; `Location` names it.", project),
        ...errorAnswers(400, 401, 403, 409, 413, 415, 503),
      },
    },
    async handler({ caller, body }, reply) {
      const checked = projects.check(body);
      requireWholeOrganization(caller, "make projects");
      const made = await projects.create(caller.organizationId, checked);
      return reply.code(201).header("location", `${path}/${made.id}`).send(toBody(made));
    },
  });

  api.route({
    method: "GET",
    url: path,
    schema: {
      operationId: "listProjects",
      summary: "List projects",
      tags,
      querystring: projectQuery,
      response: {
        200: jsonAnswer("Projects that the key may see, newest first.", projectList),
        ...errorAnswers(400, 401, 503),
      },
    },
    async handler({ caller, query: { limit, cursor } }) {
      const page = await projects.list(caller, { limit, before: cursor });
      return { projects: page.items.map(toBody), nextCursor: nextCursorOf(page) };
    },
  });

  api.route({
    method: "GET",
    url: `${path}/:projectId`,
    schema: {
      operationId: "getProject",
      summary: "Get a project",
      tags,
      params: projectPath,
      response: { 200: jsonAnswer("The project.", project), ...errorAnswers(401, 404, 503) },
    },
    async handler({ caller, params }) {
      return toBody(await projects.get(caller, params.projectId));
    },
  });

  api.route({
    method: "PATCH",
    url: `${path}/:projectId`,
    onRequest: findProject,
    schema: {
      operationId: "updateProject",
      summary: "Change a project",
      tags,
      params: projectPath,
      body: updateProject,
      response: {
        200: jsonAnswer("The project as it is now.", project),
        ...errorAnswers(400, 401, 404, 409, 413, 415, 503),
      },
    },
    async handler({ caller, params, body }) {
      return toBody(await projects.update(caller, params.projectId, body));
    },
  });

  api.route({
    method: "DELETE",
    url: `${path}/:projectId`,
    onRequest: findProject,
    schema: {
      operationId: "deleteProject",
      summary: "Delete a project",
      description: "Its jobs and the API keys that are limited to it go with it. The repository stays.",
      tags,
      params: projectPath,
      response: { 204: noAnswer("The project is gone."), ...errorAnswers(401, 404, 503) },
    },
    async handler({ caller, params }, reply) {
      await projects.remove(caller, params.projectId);
      return reply.code(204).send();
    },
  });
}

function toBody({ organizationId: _, createdAt, ...fields }: Project) {
  return { ...fields, createdAt: createdAt.toISOString() };
}
