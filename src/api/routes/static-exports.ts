import type { FastifyReply, FastifyRequest } from "fastify";
import { OctavoError, isOctavoError } from "../../core/index.ts";
import type { StaticExportSnapshot } from "../../jobs/index.ts";
import { checkRef } from "../../projects/index.ts";
import type { Caller } from "../../projects/index.ts";
import type { Api, ApiServices } from "../api.ts";
import { signBundleLink } from "../bundle-link.ts";
import { matchesTag } from "../conditional.ts";
import { nextCursorOf } from "../cursor.ts";
import { sendEvents } from "../event-stream.ts";
import type { ServerEvent } from "../event-stream.ts";
import { answerOnce, idempotencyHeaders, sendAnswer } from "../idempotency.ts";
import { expectNoBody } from "../json-body.ts";
import { errorAnswers, jsonAnswer } from "../schemas/responses.ts";
import {
  staticExportBundle,
  staticExportJob,
  staticExportList,
  staticExportPath,
  staticExportQuery,
  startStaticExport,
} from "../schemas/static-export.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The export that the path names, on routes that name one. */
    staticExport: StaticExportSnapshot;
  }
}

const path = "/v1/static-export/jobs";
const tags = ["Static export"];
/** 10,000 paths of the longest kind. */
const startBodyBytes = 8 * 1024 * 1024;

export function addStaticExportRoutes(api: Api, services: ApiServices): void {
  const { staticExports, database, projects, streams } = services;
  api.decorateRequest("staticExport");

  /** An `onRequest` hook: 404 comes before anything that the body could be refused for. */
  async function findJob(request: FastifyRequest): Promise<void> {
    const { jobId } = request.params as { jobId: string };
    request.staticExport = await staticExports.get(request.caller, jobId);
  }

  api.route({
    method: "POST",
    url: path,
    bodyLimit: startBodyBytes,
    schema: {
      operationId: "startStaticExportJob",
      summary: "Start a static export",
      description:
        "Exports a documentation site into one bundle that works without a server and without network. The " +
        "export runs as a job: poll it, or follow its events. Needs the plan `enterprise`.",
      tags,
      headers: idempotencyHeaders,
      body: startStaticExport,
      response: {
        202: jsonAnswer("The job is queued; `Location` names it.", staticExportJob),
        ...errorAnswers(400, 401, 403, 409, 413, 415, 422, 503),
      },
    },
    async handler(request, reply) {
      const { caller, body } = request;
      if (body.ref !== undefined) checkRef(body.ref);
      if (!(await projects.findByDomain(caller, body.domain))) throw unknownDomain(body.domain);
      requireEnterprise(caller);
      const answer = await answerOnce(database.kysely, request, async (handle) => {
        const { job } = await staticExports.start(caller, body, handle);
        return { status: 202 as const, headers: { location: `${path}/${job.jobId}` }, body: job };
      });
      return sendAnswer(reply, answer);
    },
  });

  api.route({
    method: "GET",
    url: path,
    schema: {
      operationId: "listStaticExportJobs",
      summary: "List static exports",
      tags,
      querystring: staticExportQuery,
      response: {
        200: jsonAnswer("Exports of your organization, newest first.", staticExportList),
        ...errorAnswers(400, 401, 503),
      },
    },
    async handler({ caller, query }) {
      const { jobs, nextCursor: next } = await staticExports.list(caller, query);
      return { jobs: jobs.map(({ job }) => job), nextCursor: nextCursorOf({ items: jobs, next }) };
    },
  });

  api.route({
    method: "GET",
    url: `${path}/:jobId`,
    onRequest: findJob,
    schema: {
      operationId: "getStaticExportJob",
      summary: "Get the state of a static export",
      description: "Poll until `status` is `completed` or `failed`. `If-None-Match` saves the body.",
      tags,
      params: staticExportPath,
      response: {
        200: jsonAnswer("The job as it is now.", staticExportJob),
        ...errorAnswers(401, 404, 503),
      },
    },
    async handler(request, reply) {
      return sendSnapshot(request, reply);
    },
  });

  api.route({
    method: "POST",
    url: `${path}/:jobId/cancel`,
    onRequest: findJob,
    preValidation: expectNoBody,
    schema: {
      operationId: "cancelStaticExportJob",
      summary: "Cancel a static export",
      description: "The job ends as `failed`, with an error that begins with “Cancelled”.",
      tags,
      params: staticExportPath,
      response: {
        200: jsonAnswer("The job, cancelled.", staticExportJob),
        ...errorAnswers(400, 401, 404, 409, 503),
      },
    },
    async handler({ caller, params }) {
      return (await staticExports.cancel(caller, params.jobId)).job;
    },
  });

  api.route({
    method: "POST",
    url: `${path}/:jobId/bundle`,
    onRequest: findJob,
    preValidation: expectNoBody,
    schema: {
      operationId: "generateStaticExportBundle",
      summary: "Get a link to the bundle",
      description: "Each call gives a fresh link to the same bytes.",
      tags,
      params: staticExportPath,
      response: {
        200: jsonAnswer("A link that works until `expiresAt`.", staticExportBundle),
        ...errorAnswers(400, 401, 404, 409, 410, 503),
      },
    },
    async handler({ caller, params: { jobId } }) {
      const bundle = await staticExports.bundle(caller, jobId);
      return { jobId, sizeBytes: bundle.bytes, ...signBundleLink(services, bundle) };
    },
  });

  api.route({
    method: "GET",
    url: `${path}/:jobId/events`,
    exposeHeadRoute: false,
    onRequest: findJob,
    schema: {
      operationId: "watchStaticExportJob",
      summary: "Follow a static export",
      description:
        "Server-sent events named `job`, each with the whole StaticExportJob: one now and one at each change, " +
        "until the job has ended. A client that comes back with `Last-Event-ID` gets what it has not seen.",
      tags,
      params: staticExportPath,
      produces: ["text/event-stream"],
    },
    handler(request, reply) {
      const { caller, params } = request;
      return sendEvents({ request, reply, streams }, ({ signal, after }) =>
        jobEvents(staticExports.watch(caller, params.jobId, signal), after),
      );
    },
  });
}

function sendSnapshot(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { job, revision } = request.staticExport;
  const tag = `"${revision}"`;
  reply.headers({ etag: tag, "cache-control": "private, no-cache" });
  if (matchesTag(request.headers["if-none-match"], tag)) return reply.code(304).send();
  return reply.send(job);
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
    // Its project was deleted while somebody watched: there is nothing more to tell.
    if (!isOctavoError(error, "not_found")) throw error;
  }
}

function unknownDomain(domain: string): OctavoError {
  return new OctavoError(
    "invalid_input",
    `domain ${JSON.stringify(domain)} is not that of a project that this API key can export.`,
  );
}

function requireEnterprise({ plan }: Caller): void {
  if (plan === "enterprise") return;
  throw new OctavoError(
    "forbidden",
    `Static export needs the plan enterprise; this organization has the plan ${plan}. The operator changes it ` +
      "with `octavo orgs set-plan`.",
  );
}
