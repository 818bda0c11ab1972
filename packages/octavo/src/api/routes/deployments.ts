import type { FastifyRequest } from "fastify";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import { z } from "zod";
import { addAddress, maxUploadBytes, deploymentStatuses } from "../../jobs/index.ts";
import type { AddressedDeployment, DeploymentSnapshot } from "../../jobs/index.ts";
import { checkRef } from "../../projects/index.ts";
import type { Project, Projects } from "../../projects/index.ts";
import type { Api, ApiServices } from "../api.ts";
import { acceptArchives, archiveTypes, expectNoBody } from "../request-body.ts";
import type { ArchiveBody } from "../request-body.ts";
import { parseBasePath } from "../base-path.ts";
import { checkPreconditions } from "../conditional.ts";
import { toCursor, createPageQuery, nextCursor } from "../cursor.ts";
import { sendEvents } from "../event-streams.ts";
import type { ServerEvent } from "../event-streams.ts";
import { respondOnce, sendResponse, idempotencyHeaders } from "../idempotency.ts";
import { createKeyLimit } from "../key-limit.ts";
import type { RequestTimeouts } from "../request-clock.ts";
import { declareRight } from "../route-rights.ts";
import {
  preconditionHeaders,
  describeEmptyResponse,
  describeErrorResponses,
  describeEventStream,
  describeJsonResponse,
  locationHeader,
  eventStreamHeaders,
  entityTagHeader,
} from "../schemas/responses.ts";
import { deployment } from "../schemas/deployment.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The deployment in the path, on routes whose path names a deployment. */
    deployment: DeploymentSnapshot;
    /** The project in the path, on routes whose path names a project. */
    project: Project;
  }
}

const startDeployment = z
  .strictObject({
    ref: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .meta({
        description:
          "A branch, tag or commit, which becomes a preview at an address of its own. Omit it to deploy the project's " +
          "branch, which the site shows.",
        example: "new-navigation",
      }),
  })
  .meta({ id: "StartDeployment" });

const startQuery = z.strictObject({
  commit: z
    .string()
    .regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, "must be the full hash of a commit")
    .optional()
    .meta({ description: "The commit from which the files of an archive were built." }),
});

const projectPath = z.object({ projectId: z.string().meta({ description: "The project's ID." }) });
const deploymentPath = z.object({
  deploymentId: z.string().meta({ description: "The deployment's ID." }),
});
const deploymentQuery = z.object({
  status: z
    .enum(deploymentStatuses)
    .optional()
    .meta({ description: "Only deployments in this state." }),
  ...createPageQuery("deployment"),
});
const deploymentList = z
  .object({ deployments: z.array(deployment), nextCursor })
  .meta({ id: "DeploymentList", description: "Newest first." });

const tags = ["Publishing"];

/** The requests, responses and descriptions of the routes. */
const operations = {
  start: {
    operationId: "startDeployment",
    summary: "Deploy a project",
    description:
      "Builds the site and, if `ref` is the project's branch or omitted, shows it to readers. Pushes to hosted " +
      "repositories do this automatically. Deployments of the same branch that are still queued are superseded.\n\n" +
      "The body can also be an archive with the files of a site: an unpacked bundle, or the output of another generator, " +
      "with `index.html` at its root. Such a deployment is `ready` at once.",
    tags,
    params: projectPath,
    headers: idempotencyHeaders,
    querystring: startQuery,
    body: startDeployment,
    consumes: ["application/json", ...Object.keys(archiveTypes)],
    response: {
      202: describeJsonResponse(
        "The deployment is queued; `Location` contains its path.",
        deployment,
        locationHeader,
      ),
      ...describeErrorResponses(400, 401, 403, 404, 409, 413, 415, 422, 429, 503),
    },
  },
  list: {
    operationId: "listDeployments",
    summary: "List deployments of a project",
    tags,
    params: projectPath,
    querystring: deploymentQuery,
    response: {
      200: describeJsonResponse("Deployments of the project, newest first.", deploymentList),
      ...describeErrorResponses(400, 401, 403, 404, 503),
    },
  },
  get: {
    operationId: "getDeployment",
    summary: "Get a deployment",
    tags,
    params: deploymentPath,
    headers: preconditionHeaders,
    response: {
      200: describeJsonResponse("The current deployment.", deployment, entityTagHeader),
      304: describeEmptyResponse("The deployment has not changed.", entityTagHeader),
      ...describeErrorResponses(401, 403, 404, 412, 503),
    },
  },
  watch: {
    operationId: "watchDeployment",
    summary: "Follow a deployment",
    description:
      "Server-sent events named `deployment`, each with the whole Deployment. One is sent at once and one after each " +
      "change, until the deployment ends. A client that reconnects with `Last-Event-ID` gets the events it missed.",
    tags,
    params: deploymentPath,
    headers: eventStreamHeaders,
    response: {
      200: describeEventStream("Events, until the deployment ends.", deployment),
      ...describeErrorResponses(401, 403, 404, 503),
    },
  },
  publish: {
    operationId: "publishDeployment",
    summary: "Show a deployment to readers",
    description:
      "Shows a deployment that is ready, without building it again. Publishing an older one is a rollback: the site then " +
      "no longer follows its branch until `isAutomatic` is set again.",
    tags,
    params: deploymentPath,
    response: {
      200: describeJsonResponse("The live deployment.", deployment),
      ...describeErrorResponses(400, 401, 403, 404, 409, 413, 415, 503),
    },
  },
  cancel: {
    operationId: "cancelDeployment",
    summary: "Cancel a deployment",
    tags,
    params: deploymentPath,
    response: {
      200: describeJsonResponse("The cancelled deployment.", deployment),
      ...describeErrorResponses(400, 401, 403, 404, 409, 413, 415, 503),
    },
  },
  remove: {
    operationId: "removeDeployment",
    summary: "Remove the bundle of a deployment",
    description:
      "Frees the space that the bundle takes up. Responds with 409 for the deployment that readers see.",
    tags,
    params: deploymentPath,
    response: {
      204: describeEmptyResponse("The bundle is removed."),
      ...describeErrorResponses(400, 401, 403, 404, 409, 413, 415, 503),
    },
  },
};

const deploymentsPath = "/v2/deployments";

type ToBody = (snapshot: DeploymentSnapshot) => AddressedDeployment;

/** Creates the hook that finds the project in the path before the body is checked, so that a 404 takes precedence. */
export function createProjectFinder(projects: Pick<Projects, "get">) {
  return async (request: FastifyRequest): Promise<void> => {
    const { projectId } = request.params as { projectId: string };
    request.project = await projects.get(request.caller, projectId);
  };
}

export function addDeploymentRoutes(api: Api, services: ApiServices, clock: RequestTimeouts): void {
  const { deployments, publishedSites: sites, projects, streams } = services;
  api.decorateRequest("deployment");
  api.decorateRequest("project");
  const findProject = createProjectFinder(projects);
  const toBody: ToBody = ({ job }) => addAddress(job, (label) => sites.toOrigin(label));
  async function findDeployment(request: FastifyRequest): Promise<void> {
    const { deploymentId } = request.params as { deploymentId: string };
    request.deployment = await deployments.get(request.caller, deploymentId);
  }

  void api.register(async (uploadApi: Api) => {
    acceptArchives(uploadApi);
    addStartRoute(uploadApi, services, { findProject, toBody, clock });
  });

  const listOptions = {
    schema: operations.list,
    ...declareRight("deployments.read"),
    onRequest: findProject,
  };
  api.get(
    "/v2/projects/:projectId/deployments",
    listOptions,
    async ({ caller, project, query }) => {
      const scope = { ...caller, projectId: project.id };
      const { jobs, nextCursor } = await deployments.list(scope, query);
      return { deployments: jobs.map(toBody), nextCursor: toCursor(nextCursor) };
    },
  );

  const readOptions = { ...declareRight("deployments.read"), onRequest: findDeployment };
  api.get(
    `${deploymentsPath}/:deploymentId`,
    { schema: operations.get, ...readOptions },
    async (request, reply) => {
      const tag = `"${request.deployment.revision}"`;
      reply.header("cache-control", "private, no-cache");
      return checkPreconditions(request, reply, tag) ?? reply.send(toBody(request.deployment));
    },
  );

  const watchOptions = { schema: operations.watch, ...readOptions, exposeHeadRoute: false };
  api.get(`${deploymentsPath}/:deploymentId/events`, watchOptions, (request, reply) => {
    sendEvents({ request, reply, streams }, ({ signal, after }) =>
      toEvents(deployments.watch(request.caller, request.params.deploymentId, signal), {
        after,
        toBody,
      }),
    );
  });
  addChangeRoutes(api, services, { findDeployment, toBody });
}

/** The maximum number of archives that a key can upload at the same time. */
const maxConcurrentUploads = 4;

/** Adds the route that starts a deployment, or creates one from the archive in the request's body. */
function addStartRoute(
  api: Api,
  services: ApiServices,
  {
    findProject,
    toBody,
    clock,
  }: {
    readonly findProject: (request: FastifyRequest) => Promise<void>;
    readonly toBody: ToBody;
    readonly clock: RequestTimeouts;
  },
): void {
  const { deployments, database, uploads } = services;
  const uploadLimit = createKeyLimit("uploads", () => maxConcurrentUploads);
  const right = declareRight("deployments.run");
  const startOptions = {
    schema: operations.start,
    config: { ...right.config, maxArchiveBytes: maxUploadBytes },
    onRequest: findProject,
  };

  async function receiveArchive(request: FastifyRequest, archive: ArchiveBody) {
    const { caller, project } = request;
    const release = uploadLimit.enter(caller);
    const disconnection = new AbortController();
    request.raw.once("close", () => {
      if (request.raw.complete) return;
      disconnection.abort(
        new OctavoError("invalid_input", "The archive was not received completely."),
      );
    });
    try {
      clock.allowTransfer(request);
      const { format, content } = archive;
      // No byte moves in either direction while the archive is unpacked, so the idle limit is
      // lifted.
      content.once("end", () => content.socket.setTimeout(0));
      const { signal } = disconnection;
      const upload = await uploads.receive(content, { format, projectId: project.id, signal });
      archive.sha256 = upload.sha256;
      return upload;
    } finally {
      release();
    }
  }

  api.post("/v2/projects/:projectId/deployments", startOptions, async (request, reply) => {
    const { caller, body, query, project, archive } = request;
    const { commit } = query;
    if (commit !== undefined && !archive) {
      throw new OctavoError(
        "invalid_input",
        "`commit` is allowed only with an archive; use `ref` instead.",
      );
    }
    if (body.ref !== undefined) checkRef(body.ref);
    const upload = archive && (await receiveArchive(request, archive));
    const result = await respondOnce(database.kysely, request, async (handle) => {
      const scope = { ...caller, projectId: project.id };
      const startedDeployment = toBody(
        upload
          ? await deployments.upload(scope, { ...upload, commit }, handle)
          : await deployments.start(scope, { ref: body.ref, trigger: "api" }, handle),
      );
      const location = `${parseBasePath(services.baseUrl())}${deploymentsPath}/${startedDeployment.id}`;
      return { status: 202 as const, headers: { location }, body: startedDeployment };
    });
    return sendResponse(reply, result);
  });
}

/** Adds the routes that change a deployment. */
function addChangeRoutes(
  api: Api,
  { deployments }: ApiServices,
  {
    findDeployment,
    toBody,
  }: {
    readonly findDeployment: (request: FastifyRequest) => Promise<void>;
    readonly toBody: ToBody;
  },
): void {
  const actOptions = {
    ...declareRight("deployments.run"),
    onRequest: findDeployment,
    preValidation: expectNoBody,
  };
  const publishOptions = { schema: operations.publish, ...actOptions };
  api.post(`${deploymentsPath}/:deploymentId/publish`, publishOptions, async ({ caller, params }) =>
    toBody(await deployments.publish(caller, params.deploymentId)),
  );
  const cancelOptions = { schema: operations.cancel, ...actOptions };
  api.post(`${deploymentsPath}/:deploymentId/cancel`, cancelOptions, async ({ caller, params }) =>
    toBody(await deployments.cancel(caller, params.deploymentId)),
  );
  const removeOptions = { schema: operations.remove, ...actOptions };
  api.delete(
    `${deploymentsPath}/:deploymentId`,
    removeOptions,
    async ({ caller, params }, reply) => {
      await deployments.remove(caller, params.deploymentId);
      return reply.code(204).send();
    },
  );
}

async function* toEvents(
  snapshots: AsyncIterable<DeploymentSnapshot>,
  {
    after,
    toBody,
  }: {
    readonly after: number | undefined;
    readonly toBody: ToBody;
  },
): AsyncIterable<ServerEvent> {
  try {
    for await (const snapshot of snapshots) {
      const { revision } = snapshot;
      if (revision !== after) yield { id: revision, event: "deployment", data: toBody(snapshot) };
    }
  } catch (error) {
    // The project was deleted in the meantime, so the stream ends.
    if (!isOctavoError(error, "not_found")) throw error;
  }
}
