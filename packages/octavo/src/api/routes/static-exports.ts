import type { FastifyRequest } from "fastify";
import { OctavoError, isOctavoError, addressForms } from "@octavo/site/core";
import { z } from "zod";
import { staticExportStatuses } from "../../jobs/index.ts";
import type { StaticExportSnapshot } from "../../jobs/index.ts";
import { checkRef, requireExports } from "../../projects/index.ts";
import type { Api, ApiServices } from "../api.ts";
import { parseBasePath } from "../base-path.ts";
import { signBundleLink } from "./bundles.ts";
import { checkPreconditions } from "../conditional.ts";
import { toCursor, nextCursor, createPageQuery } from "../cursor.ts";
import { sendEvents } from "../event-streams.ts";
import type { ServerEvent } from "../event-streams.ts";
import { respondOnce, sendResponse, idempotencyHeaders } from "../idempotency.ts";
import { expectNoBody } from "../request-body.ts";
import { declareRight } from "../route-rights.ts";
import { toHostName } from "../../core/index.ts";
import {
  describeErrorResponses,
  describeEventStream,
  describeJsonResponse,
  locationHeader,
  eventStreamHeaders,
  preconditionHeaders,
  describeEmptyResponse,
  entityTagHeader,
  describeTimestamp,
} from "../schemas/responses.ts";
import { staticExportJob, remoteScripts } from "../schemas/static-export.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The export in the path, on routes whose path names an export. */
    staticExport: StaticExportSnapshot;
  }
}

const startStaticExport = z
  .strictObject({
    domain: z
      .string()
      .refine((text) => toHostName(text) !== undefined, {
        error: "must be a host name without scheme, port, path or slash",
      })
      .meta({
        description: "Host name of a project of your organization.",
        example: "docs.example.com",
      }),
    version: z.string().min(1).max(100).optional().meta({
      description: "A label for this export. Defaults to the short commit ID.",
      example: "v2.1",
    }),
    paths: z
      .array(z.string().min(1).max(500))
      .min(1)
      .max(10_000)
      .optional()
      .meta({
        description:
          "Pages to include, as in the navigation, without extension. Defaults to all pages.",
        example: ["index", "guides/start"],
      }),
    ref: z.string().min(1).max(255).optional().meta({
      description: "Branch, tag or commit to export. Defaults to the project's branch.",
      example: "main",
    }),
    addresses: z.enum(addressForms).optional().meta({
      description:
        "`file` writes `guides/start.html`; `folder` writes `guides/start/index.html`; `clean` writes `guides/start.html` and links to `guides/start`, for hosts that serve the file there. Defaults to `file`.",
    }),
    format: z.enum(["tar.gz", "zip"]).optional().meta({ description: "Defaults to `tar.gz`." }),
    remoteScripts: remoteScripts.optional().meta({
      description:
        "Hosts from which pages may load scripts, styles, fonts, frames and data. Defaults to the project's hosts.",
      example: ["plausible.io", "*.example.com"],
    }),
  })
  .meta({ id: "StartStaticExport" });

const staticExportPath = z.object({
  jobId: z.string().meta({ description: "The ID returned when the job was started." }),
});

const pageQuery = createPageQuery("staticExport");
const staticExportQuery = z.object({
  domain: z.string().max(253).optional().meta({ description: "Only exports of this domain." }),
  status: z
    .enum(staticExportStatuses)
    .optional()
    .meta({ description: "Only exports in this state." }),
  ...pageQuery,
});

const staticExportList = z
  .object({ jobs: z.array(staticExportJob), nextCursor })
  .meta({ id: "StaticExportList", description: "Newest first." });

const staticExportBundle = z
  .object({
    jobId: z.string(),
    bundleUrl: z.url().meta({
      description: "A signed link that requires no key. It supports `HEAD`, `Range` and `ETag`.",
    }),
    sizeBytes: z.int().min(0),
    expiresAt: describeTimestamp("When the link expires. Repeat the call for a new one."),
  })
  .meta({ id: "StaticExportBundle", description: "A download link for the exported site." });

const tags = ["Static export"];

/** The requests, responses and descriptions of the routes. */
const operations = {
  start: {
    operationId: "startStaticExportJob",
    summary: "Start a static export",
    description:
      "Exports a documentation site into one bundle that works without a server or a network. The export runs as a " +
      "job: poll it, or follow its events. Requires the plan `enterprise`.",
    tags,
    headers: idempotencyHeaders,
    body: startStaticExport,
    response: {
      202: describeJsonResponse(
        "The job is queued; `Location` contains its path.",
        staticExportJob,
        locationHeader,
      ),
      ...describeErrorResponses(400, 401, 403, 409, 413, 415, 422, 429, 503),
    },
  },
  list: {
    operationId: "listStaticExportJobs",
    summary: "List static exports",
    tags,
    querystring: staticExportQuery,
    response: {
      200: describeJsonResponse("Exports of your organization, newest first.", staticExportList),
      ...describeErrorResponses(400, 401, 403, 503),
    },
  },
  get: {
    operationId: "getStaticExportJob",
    summary: "Get the state of a static export",
    description:
      "Poll until `status` is `completed` or `failed`. With `If-None-Match`, the response has no body if the job " +
      "has not changed.",
    tags,
    params: staticExportPath,
    headers: preconditionHeaders,
    response: {
      200: describeJsonResponse("The current job.", staticExportJob, entityTagHeader),
      304: describeEmptyResponse("The job has not changed.", entityTagHeader),
      ...describeErrorResponses(401, 403, 404, 412, 503),
    },
  },
  cancel: {
    operationId: "cancelStaticExportJob",
    summary: "Cancel a static export",
    description: "The job ends as `failed`, with an error that begins with `Cancelled`.",
    tags,
    params: staticExportPath,
    response: {
      200: describeJsonResponse("The cancelled job.", staticExportJob),
      ...describeErrorResponses(400, 401, 403, 404, 409, 413, 415, 503),
    },
  },
  bundle: {
    operationId: "generateStaticExportBundle",
    summary: "Get a link to the bundle",
    description: "Each call returns a new link to the same bytes.",
    tags,
    params: staticExportPath,
    response: {
      200: describeJsonResponse("A link that is valid until `expiresAt`.", staticExportBundle),
      ...describeErrorResponses(400, 401, 403, 404, 409, 410, 413, 415, 503),
    },
  },
  watch: {
    operationId: "watchStaticExportJob",
    summary: "Follow a static export",
    description:
      "Server-sent events named `job`, each with the whole StaticExportJob. One is sent at once and one after each " +
      "change, until the job ends. A client that reconnects with `Last-Event-ID` gets the events it missed.",
    tags,
    params: staticExportPath,
    headers: eventStreamHeaders,
    response: {
      200: describeEventStream("Events, until the job ends.", staticExportJob),
      ...describeErrorResponses(401, 403, 404, 503),
    },
  },
};

const jobsPath = "/v1/static-export/jobs";
/** The maximum size of a body, which is enough for 10,000 paths of maximum length. */
const maxBodyBytes = 8 * 1024 * 1024;

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
  const readOptions = { ...declareRight("exports.read"), onRequest: findJob };

  api.post(
    jobsPath,
    { schema: operations.start, ...declareRight("exports.run"), bodyLimit: maxBodyBytes },
    async (request, reply) => {
      const { caller, body } = request;
      if (body.ref !== undefined) checkRef(body.ref);
      if (!(await projects.findByDomain(caller, body.domain)))
        throw createUnknownDomainError(body.domain);
      requireExports(caller.plan);
      const result = await respondOnce(database.kysely, request, async (handle) => {
        const { job } = await staticExports.start(caller, body, handle);
        const location = `${parseBasePath(services.baseUrl())}${jobsPath}/${job.jobId}`;
        return { status: 202 as const, headers: { location }, body: job };
      });
      return sendResponse(reply, result);
    },
  );

  api.get(
    jobsPath,
    { schema: operations.list, ...declareRight("exports.read") },
    async ({ caller, query }) => {
      const { jobs, nextCursor } = await staticExports.list(caller, query);
      return { jobs: jobs.map(({ job }) => job), nextCursor: toCursor(nextCursor) };
    },
  );

  const getOptions = { schema: operations.get, ...readOptions };
  api.get(`${jobsPath}/:jobId`, getOptions, async (request, reply) => {
    const { job, revision } = request.staticExport;
    const tag = `"${revision}"`;
    reply.header("cache-control", "private, no-cache");
    return checkPreconditions(request, reply, tag) ?? reply.send(job);
  });

  const cancelOptions = {
    schema: operations.cancel,
    ...declareRight("exports.run"),
    onRequest: findJob,
    preValidation: expectNoBody,
  };
  api.post(`${jobsPath}/:jobId/cancel`, cancelOptions, async (request) => {
    const { job } = await staticExports.cancel(request.caller, request.params.jobId);
    return job;
  });

  const bundleOptions = { schema: operations.bundle, ...readOptions, preValidation: expectNoBody };
  api.post(`${jobsPath}/:jobId/bundle`, bundleOptions, async (request) => {
    const { jobId } = request.params;
    const storedBundle = await staticExports.getBundle(request.caller, jobId);
    return { jobId, sizeBytes: storedBundle.bytes, ...signBundleLink(services, storedBundle) };
  });

  const watchOptions = { schema: operations.watch, ...readOptions, exposeHeadRoute: false };
  api.get(`${jobsPath}/:jobId/events`, watchOptions, (request, reply) => {
    sendEvents({ request, reply, streams }, ({ signal, after }) =>
      toServerEvents(staticExports.watch(request.caller, request.params.jobId, signal), after),
    );
  });
}

async function* toServerEvents(
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

function createUnknownDomainError(domain: string): OctavoError {
  return new OctavoError(
    "invalid_input",
    `domain ${JSON.stringify(domain)} does not belong to a project that this API key can export.`,
  );
}
