import { z } from "zod";
import { deploymentKinds, deploymentStatuses, deploymentTriggers } from "../../jobs/index.ts";
import { archiveTypes } from "../archive-body.ts";
import { createPageQuery, nextCursor } from "../cursor.ts";
import { idempotencyHeaders } from "../idempotency.ts";
import {
  createdBy,
  conditionHeaders,
  describeEmptyResponse,
  describeErrorResponses,
  describeEventStream,
  describeJsonResponse,
  describeTimestamp,
  locationHeader,
  streamHeaders,
  tagHeader,
} from "./responses.ts";

const status = z.enum(deploymentStatuses);

export const deployment = z
  .object({
    id: z.string().meta({ description: "Unique ID of the deployment.", example: "dp_06f4k2…" }),
    projectId: z.string(),
    kind: z.enum(deploymentKinds).meta({
      description:
        "`production` for the project's branch, `version` for a branch or tag that is published beside it, `preview` for " +
        "another ref, `upload` for an uploaded site.",
    }),
    status: status.meta({
      description:
        "`queued` → `building` → `ready` or `failed`. `superseded` if a newer one came before it was built, and " +
        "`removed` once its bundle has been deleted.",
    }),
    progress: z.number().min(0).max(100).meta({ description: "Percentage that never decreases." }),
    trigger: z.enum(deploymentTriggers).meta({ description: "What started the deployment." }),
    ref: z.string().nullable().meta({
      description: "The branch or tag; null for the repository's default branch.",
    }),
    pullRequest: z.int().nullable().meta({ description: "The number of its pull request." }),
    commit: z.string().nullable().meta({ description: "The full hash; null until it is known." }),
    subject: z.string().nullable().meta({
      description: "The first line of the commit's message; null until it is known.",
    }),
    author: z.string().nullable().meta({ description: "The name of the commit's author." }),
    createdBy,
    createdAt: describeTimestamp("When the deployment was created."),
    updatedAt: describeTimestamp("When the deployment last changed."),
    endedAt: describeTimestamp("When it became ready, failed or was superseded.").nullable(),
    pages: z.int().min(0).meta({ description: "Number of pages so far; never decreases." }),
    problems: z
      .object({ errors: z.int(), warnings: z.int() })
      .nullable()
      .meta({ description: "Number of problems in the report; null until it is known." }),
    sizeBytes: z.int().nullable().meta({ description: "Size of the bundle." }),
    url: z.url().nullable().meta({
      description: "The address that always shows this deployment; null unless it is ready.",
      example: "https://0123456789ab--acme.sites.example.com",
    }),
    isLive: z.boolean().meta({ description: "Whether the site shows this deployment now." }),
    publishedAt: describeTimestamp("When the site last began to show it.").nullable(),
    publishedBy: createdBy.meta({
      description: "Who chose to publish it; null if it went live by itself.",
    }),
    error: z.string().optional().meta({ description: "Present only when `status` is `failed`." }),
    waitingFor: z.string().optional().meta({
      description: "What the deployment is waiting for. Present only while it waits.",
    }),
  })
  .meta({ id: "Deployment", description: "One export of a project, for its readers." });

const startDeployment = z
  .strictObject({
    ref: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .meta({
        description:
          "A branch, tag or commit, which becomes a preview at an address of its own. Omit it for the project's branch, " +
          "which the site shows.",
        example: "new-navigation",
      }),
  })
  .meta({ id: "StartDeployment" });

const startQuery = z.strictObject({
  commit: z
    .string()
    .regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, "must be the full hash of a commit")
    .optional()
    .meta({ description: "The commit of which the files of an archive were made." }),
});

const projectPath = z.object({ projectId: z.string().meta({ description: "The project's ID." }) });
const deploymentPath = z.object({
  deploymentId: z.string().meta({ description: "The deployment's ID." }),
});
const deploymentQuery = z.object({
  status: status.optional().meta({ description: "Only deployments in this state." }),
  ...createPageQuery("deployment"),
});
const deploymentList = z
  .object({ deployments: z.array(deployment), nextCursor })
  .meta({ id: "DeploymentList", description: "Newest first." });

const tags = ["Publishing"];

/** The requests, responses and descriptions of the routes. */
export const deploymentOperations = {
  start: {
    operationId: "startDeployment",
    summary: "Deploy a project",
    description:
      "Builds the site and, if it is the project's branch, shows it to readers. Pushes to hosted repositories do this " +
      "by themselves. What still waits for the same branch is superseded.\n\n" +
      "The body can also be an archive with the files of a site: an unpacked bundle, or what another generator wrote, " +
      "with `index.html` at its root. Such a deployment is `ready` at once.",
    tags,
    params: projectPath,
    headers: idempotencyHeaders,
    querystring: startQuery,
    body: startDeployment,
    consumes: ["application/json", ...Object.keys(archiveTypes)],
    response: {
      202: describeJsonResponse(
        "The deployment is queued; `Location` names it.",
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
    headers: conditionHeaders,
    response: {
      200: describeJsonResponse("The current deployment.", deployment, tagHeader),
      304: describeEmptyResponse("The deployment has not changed.", tagHeader),
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
    headers: streamHeaders,
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
      200: describeJsonResponse("The deployment, which is live.", deployment),
      ...describeErrorResponses(400, 401, 403, 404, 409, 413, 415, 503),
    },
  },
  cancel: {
    operationId: "cancelDeployment",
    summary: "Cancel a deployment",
    tags,
    params: deploymentPath,
    response: {
      200: describeJsonResponse("The deployment, cancelled.", deployment),
      ...describeErrorResponses(400, 401, 403, 404, 409, 413, 415, 503),
    },
  },
  remove: {
    operationId: "removeDeployment",
    summary: "Remove the bundle of a deployment",
    description: "Frees its space. Responds with 409 for the deployment that readers see.",
    tags,
    params: deploymentPath,
    response: {
      204: describeEmptyResponse("The bundle is removed."),
      ...describeErrorResponses(400, 401, 403, 404, 409, 413, 415, 503),
    },
  },
};
