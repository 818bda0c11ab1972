import { z } from "zod";
import { addressForms } from "@octavo/site/core";
import { toHostName } from "../../core/index.ts";
import { staticExportStatuses } from "../../jobs/index.ts";
import { nextCursor, createPageQuery } from "../cursor.ts";
import { idempotencyHeaders } from "../idempotency.ts";
import {
  createdBy,
  describeErrorResponses,
  describeEventStream,
  describeJsonResponse,
  locationHeader,
  streamHeaders,
  conditionHeaders,
  describeEmptyResponse,
  tagHeader,
  describeTimestamp,
} from "./responses.ts";

/** Hosts as people type them; `projects/` and `jobs/` parse and check them. */
export const remoteScripts = z.array(z.string().min(1).max(300)).max(100);

const status = z.enum(staticExportStatuses);
const format = z.enum(["tar.gz", "zip"]);

export const staticExportJob = z
  .object({
    jobId: z.string().meta({ description: "Unique ID of the job.", example: "se_06f4k2…" }),
    status: status.meta({
      description:
        "`queued` → `running` → `completed` or `failed`. Poll until the status is one of the last two.",
    }),
    progress: z.number().min(0).max(100).meta({
      description:
        "Percentage that never decreases and is 100 only when the status is `completed`.",
    }),
    pageCount: z
      .int()
      .min(0)
      .meta({ description: "Number of pages exported so far; never decreases." }),
    createdBy,
    createdAt: describeTimestamp("When the job was created."),
    updatedAt: describeTimestamp("When the job last changed."),
    error: z
      .string()
      .nullable()
      .optional()
      .meta({ description: "Why the job failed. Present only when `status` is `failed`." }),
    waitingFor: z.string().optional().meta({
      description:
        "What the job is waiting for, e.g. its storage or code host; it continues automatically. Present only while it waits.",
    }),
    domain: z.string().meta({ description: "Host name of the exported project." }),
    version: z.string().nullable().meta({
      description:
        "The label, or the short commit if there is no label; null until the commit is known.",
    }),
    ref: z.string().nullable().meta({
      description:
        "The branch, tag or commit to export; null means the repository's default branch.",
    }),
    commit: z.string().nullable().meta({ description: "The exported commit; null until known." }),
    format: format.meta({ description: "Format of the bundle." }),
  })
  .meta({ id: "StaticExportJob", description: "An export of a documentation site." });

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
    format: format.optional().meta({ description: "Defaults to `tar.gz`." }),
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

const page = createPageQuery("staticExport");
const staticExportQuery = z.object({
  domain: z.string().max(253).optional().meta({ description: "Only exports of this domain." }),
  status: status.optional().meta({ description: "Only exports in this state." }),
  ...page,
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
export const staticExportOperations = {
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
        "The job is queued; `Location` names it.",
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
    headers: conditionHeaders,
    response: {
      200: describeJsonResponse("The current job.", staticExportJob, tagHeader),
      304: describeEmptyResponse("The job has not changed.", tagHeader),
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
      200: describeJsonResponse("The job, cancelled.", staticExportJob),
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
    headers: streamHeaders,
    response: {
      200: describeEventStream("Events, until the job ends.", staticExportJob),
      ...describeErrorResponses(401, 403, 404, 503),
    },
  },
};
