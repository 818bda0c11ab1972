import type { FastifyRequest } from "fastify";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import type { StaticExportSnapshot } from "../../jobs/index.ts";
import { checkRef, requireExports } from "../../projects/index.ts";
import type { Api, ApiServices } from "../api.ts";
import { parseBasePath } from "../base-path.ts";
import { signBundleLink } from "../bundle-link.ts";
import { checkPreconditions } from "../conditional.ts";
import { toCursor } from "../cursor.ts";
import { sendEvents } from "../event-stream.ts";
import type { ServerEvent } from "../event-stream.ts";
import { respondOnce, sendResponse } from "../idempotency.ts";
import { expectNoBody } from "../json-body.ts";
import { declareRight } from "../route-rights.ts";
import { staticExportOperations as operations } from "../schemas/static-export.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The export in the path, on routes that have one. */
    staticExport: StaticExportSnapshot;
  }
}

const path = "/v1/static-export/jobs";
/** Large enough for 10,000 paths of maximum length. */
const bodyLimit = 8 * 1024 * 1024;

export function addStaticExportRoutes(api: Api, services: ApiServices): void {
  const { staticExports, database, projects, streams } = services;
  api.decorateRequest("staticExport");

  /**
   * Finds the export in the path before the body is checked, so that a 404 takes precedence over every error in the
   * body.
   */
  async function findJob(request: FastifyRequest): Promise<void> {
    const { jobId } = request.params as { jobId: string };
    request.staticExport = await staticExports.get(request.caller, jobId);
  }
  const read = { ...declareRight("exports.read"), onRequest: findJob };

  api.post(
    path,
    { schema: operations.start, ...declareRight("exports.run"), bodyLimit },
    async (request, reply) => {
      const { caller, body } = request;
      if (body.ref !== undefined) checkRef(body.ref);
      if (!(await projects.findByDomain(caller, body.domain))) throw unknownDomain(body.domain);
      requireExports(caller.plan);
      const result = await respondOnce(database.kysely, request, async (handle) => {
        const { job } = await staticExports.start(caller, body, handle);
        const location = `${parseBasePath(services.baseUrl())}${path}/${job.jobId}`;
        return { status: 202 as const, headers: { location }, body: job };
      });
      return sendResponse(reply, result);
    },
  );

  api.get(
    path,
    { schema: operations.list, ...declareRight("exports.read") },
    async ({ caller, query }) => {
      const { jobs, nextCursor } = await staticExports.list(caller, query);
      return { jobs: jobs.map(({ job }) => job), nextCursor: toCursor(nextCursor) };
    },
  );

  const get = { schema: operations.get, ...read };
  api.get(`${path}/:jobId`, get, async (request, reply) => {
    const { job, revision } = request.staticExport;
    const tag = `"${revision}"`;
    reply.header("cache-control", "private, no-cache");
    return checkPreconditions(request, reply, tag) ?? reply.send(job);
  });

  const cancel = {
    schema: operations.cancel,
    ...declareRight("exports.run"),
    onRequest: findJob,
    preValidation: expectNoBody,
  };
  api.post(`${path}/:jobId/cancel`, cancel, async (request) => {
    const { job } = await staticExports.cancel(request.caller, request.params.jobId);
    return job;
  });

  const bundle = { schema: operations.bundle, ...read, preValidation: expectNoBody };
  api.post(`${path}/:jobId/bundle`, bundle, async (request) => {
    const { jobId } = request.params;
    const stored = await staticExports.bundle(request.caller, jobId);
    return { jobId, sizeBytes: stored.bytes, ...signBundleLink(services, stored) };
  });

  const watch = { schema: operations.watch, ...read, exposeHeadRoute: false };
  api.get(`${path}/:jobId/events`, watch, (request, reply) => {
    sendEvents({ request, reply, streams }, ({ signal, after }) =>
      jobEvents(staticExports.watch(request.caller, request.params.jobId, signal), after),
    );
  });
}

async function* jobEvents(
  snapshots: AsyncIterable<StaticExportSnapshot>,
  after: number | undefined,
): AsyncIterable<ServerEvent> {
  try {
    for await (const { job, revision } of snapshots) {
      if (revision !== after) yield { id: revision, event: "job", data: job };
    }
  } catch (error) {
    // The project was deleted in the meantime, so the stream ends.
    if (!isOctavoError(error, "not_found")) throw error;
  }
}

function unknownDomain(domain: string): OctavoError {
  return new OctavoError(
    "invalid_input",
    `domain ${JSON.stringify(domain)} does not belong to a project that this API key can export.`,
  );
}
