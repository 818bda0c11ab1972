import type { FastifyRequest } from "fastify";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import {
  addAddress,
  maxUploadBytes,
  type AddressedDeployment,
  type DeploymentSnapshot,
} from "../../jobs/index.ts";
import { checkRef, type Project, type Projects } from "../../projects/index.ts";
import type { Api, ApiServices } from "../api.ts";
import { acceptArchives, type ArchiveBody } from "../archive-body.ts";
import { parseBasePath } from "../base-path.ts";
import { checkPreconditions } from "../conditional.ts";
import { toCursor } from "../cursor.ts";
import { sendEvents, type ServerEvent } from "../event-stream.ts";
import { respondOnce, sendResponse } from "../idempotency.ts";
import { expectNoBody } from "../json-body.ts";
import { createKeyLimit } from "../key-limit.ts";
import type { RequestTimeouts } from "../request-clock.ts";
import { declareRight } from "../route-rights.ts";
import { deploymentOperations as operations } from "../schemas/deployment.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The deployment in the path, on routes that have one. */
    deployment: DeploymentSnapshot;
    /** The project in the path, on routes that have one. */
    project: Project;
  }
}

const path = "/v2/deployments";

type ToBody = (snapshot: DeploymentSnapshot) => AddressedDeployment;

/** Creates the hook that finds the project in the path before the body is checked, so that a 404 takes precedence. */
export function createProjectHook(projects: Pick<Projects, "get">) {
  return async (request: FastifyRequest): Promise<void> => {
    const { projectId } = request.params as { projectId: string };
    request.project = await projects.get(request.caller, projectId);
  };
}

/** Adds the routes of deployments. */
export function addDeploymentRoutes(api: Api, services: ApiServices, clock: RequestTimeouts): void {
  const { deployments, publishedSites: sites, projects, streams } = services;
  api.decorateRequest("deployment");
  api.decorateRequest("project");
  const findProject = createProjectHook(projects);
  const toBody: ToBody = ({ job }) => addAddress(job, (label) => sites.toOrigin(label));
  async function findDeployment(request: FastifyRequest): Promise<void> {
    const { deploymentId } = request.params as { deploymentId: string };
    request.deployment = await deployments.get(request.caller, deploymentId);
  }

  void api.register(async (uploading: Api) => {
    acceptArchives(uploading);
    addStart(uploading, services, { findProject, toBody, clock });
  });

  const list = {
    schema: operations.list,
    ...declareRight("deployments.read"),
    onRequest: findProject,
  };
  api.get("/v2/projects/:projectId/deployments", list, async ({ caller, project, query }) => {
    const scope = { ...caller, projectId: project.id };
    const { jobs, nextCursor } = await deployments.list(scope, query);
    return { deployments: jobs.map(toBody), nextCursor: toCursor(nextCursor) };
  });

  const read = { ...declareRight("deployments.read"), onRequest: findDeployment };
  api.get(`${path}/:deploymentId`, { schema: operations.get, ...read }, async (request, reply) => {
    const tag = `"${request.deployment.revision}"`;
    reply.header("cache-control", "private, no-cache");
    return checkPreconditions(request, reply, tag) ?? reply.send(toBody(request.deployment));
  });

  const watch = { schema: operations.watch, ...read, exposeHeadRoute: false };
  api.get(`${path}/:deploymentId/events`, watch, (request, reply) => {
    sendEvents({ request, reply, streams }, ({ signal, after }) =>
      toEvents(deployments.watch(request.caller, request.params.deploymentId, signal), {
        after,
        toBody,
      }),
    );
  });
  addActs(api, services, { findDeployment, toBody });
}

/** The number of archives that a key can send at the same time. */
const maxUploads = 4;

/** Adds the route that starts a deployment, or makes one of the archive in its body. */
function addStart(
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
  const uploadLimit = createKeyLimit("uploads", () => maxUploads);
  const right = declareRight("deployments.run");
  const start = {
    schema: operations.start,
    config: { ...right.config, maxArchiveBytes: maxUploadBytes },
    onRequest: findProject,
  };

  async function receive(request: FastifyRequest, archive: ArchiveBody) {
    const { caller, project } = request;
    const leave = uploadLimit.enter(caller);
    const gone = new AbortController();
    request.raw.once("close", () => {
      if (request.raw.complete) return;
      gone.abort(new OctavoError("invalid_input", "The archive did not arrive whole."));
    });
    try {
      clock.allowTransfer(request);
      const { format, content } = archive;
      // While the archive is unpacked, no byte moves in either direction.
      content.once("end", () => content.socket.setTimeout(0));
      const { signal } = gone;
      const upload = await uploads.receive(content, { format, projectId: project.id, signal });
      archive.sha256 = upload.sha256;
      return upload;
    } finally {
      leave();
    }
  }

  api.post("/v2/projects/:projectId/deployments", start, async (request, reply) => {
    const { caller, body, query, project, archive } = request;
    const { commit } = query;
    if (commit !== undefined && !archive) {
      throw new OctavoError("invalid_input", "`commit` belongs to an archive; use `ref` instead.");
    }
    if (body.ref !== undefined) checkRef(body.ref);
    const upload = archive && (await receive(request, archive));
    const result = await respondOnce(database.kysely, request, async (handle) => {
      const scope = { ...caller, projectId: project.id };
      const started = toBody(
        upload
          ? await deployments.upload(scope, { ...upload, commit }, handle)
          : await deployments.start(scope, { ref: body.ref, trigger: "api" }, handle),
      );
      const location = `${parseBasePath(services.baseUrl())}${path}/${started.id}`;
      return { status: 202 as const, headers: { location }, body: started };
    });
    return sendResponse(reply, result);
  });
}

/** Adds the routes that change a deployment. */
function addActs(
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
  const act = {
    ...declareRight("deployments.run"),
    onRequest: findDeployment,
    preValidation: expectNoBody,
  };
  const publish = { schema: operations.publish, ...act };
  api.post(`${path}/:deploymentId/publish`, publish, async ({ caller, params }) =>
    toBody(await deployments.publish(caller, params.deploymentId)),
  );
  const cancel = { schema: operations.cancel, ...act };
  api.post(`${path}/:deploymentId/cancel`, cancel, async ({ caller, params }) =>
    toBody(await deployments.cancel(caller, params.deploymentId)),
  );
  const remove = { schema: operations.remove, ...act };
  api.delete(`${path}/:deploymentId`, remove, async ({ caller, params }, reply) => {
    await deployments.remove(caller, params.deploymentId);
    return reply.code(204).send();
  });
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
