import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { formatCount } from "../../core/index.ts";
import type { DeploymentDetails, DeploymentSnapshot } from "../../jobs/index.ts";
import { checkRef } from "../../projects/index.ts";
import { getBranchLabel } from "../../publish/index.ts";
import type { Api, ApiServices } from "../api.ts";
import { respondOnce, sendResponse, idempotencyHeaders } from "../idempotency.ts";
import { expectNoBody } from "../request-body.ts";
import { declareRight } from "../route-rights.ts";
import {
  describeErrorResponses,
  describeJsonResponse,
  describeTimestamp,
} from "../schemas/responses.ts";

const changedPaths = z.array(z.string()).readonly();

const projectUpdate = z
  .object({
    _id: z.string().meta({ description: "The ID of the deployment." }),
    projectId: z.string(),
    createdAt: describeTimestamp("When the deployment was created."),
    endedAt: describeTimestamp("When the deployment ended.").nullable(),
    status: z.enum(["queued", "in_progress", "success", "failure"]).meta({
      description: "A deployment that a newer one replaced before it was built is a `failure`.",
    }),
    summary: z.string().meta({ description: "A sentence about the status." }),
    logs: z.array(z.string()).meta({ description: "The lines of the log, oldest first." }),
    subdomain: z.string().meta({ description: "The site's name below the domain of sites." }),
    author: z.string().nullable().meta({ description: "The name of the commit's author." }),
    commit: z.object({
      sha: z.string().nullable().meta({ description: "The full hash; null until it is known." }),
      ref: z.string().nullable().meta({
        description: "The branch or tag; null for the repository's default branch.",
      }),
      message: z
        .string()
        .nullable()
        .meta({ description: "The first line of the commit's message." }),
      filesChanged: z
        .object({ added: changedPaths, modified: changedPaths, removed: changedPaths })
        .meta({ description: "Paths that the commit changed, at most 1,000." }),
    }),
    source: z.string().meta({
      description: "The code host whose push started the deployment; `internal` for all others.",
    }),
  })
  .meta({ id: "ProjectUpdate", description: "A deployment, in the format of the hosted service." });

type ProjectUpdate = z.infer<typeof projectUpdate>;

const statusId = z.string().meta({ description: "The ID of the deployment." });
const projectPath = z.object({ projectId: z.string().meta({ description: "The project's ID." }) });
const tags = ["Publishing"];

/** The requests, responses and descriptions of the routes. */
const operations = {
  start: {
    operationId: "triggerProjectUpdate",
    summary: "Deploy a project's branch",
    description:
      "Compatible with the hosted service. `POST /v2/projects/{projectId}/deployments` does the same and more.",
    tags,
    params: projectPath,
    headers: idempotencyHeaders,
    response: {
      202: describeJsonResponse(
        "The deployment is queued.",
        z.object({ statusId }).meta({ id: "StartedUpdate" }),
      ),
      ...describeErrorResponses(400, 401, 403, 404, 409, 413, 415, 422, 429, 503),
    },
  },
  preview: {
    operationId: "previewProject",
    summary: "Preview a branch",
    description:
      "Builds a branch and shows it at an address of its own, which stays the same for each deployment of the branch.",
    tags,
    params: projectPath,
    headers: idempotencyHeaders,
    body: z
      .strictObject({
        branch: z.string().min(1).max(255).meta({
          description: "A branch of the project's repository.",
          example: "new-navigation",
        }),
      })
      .meta({ id: "PreviewProject" }),
    response: {
      202: describeJsonResponse(
        "The deployment is queued.",
        z
          .object({
            statusId,
            previewUrl: z.url().meta({ description: "Where the branch will be shown." }),
          })
          .meta({ id: "StartedPreview" }),
      ),
      ...describeErrorResponses(400, 401, 403, 404, 409, 413, 415, 422, 429, 503),
    },
  },
  status: {
    operationId: "getProjectUpdateStatus",
    summary: "Get the status of a deployment",
    tags,
    params: z.object({ statusId }),
    response: {
      200: describeJsonResponse("The current status.", projectUpdate),
      ...describeErrorResponses(401, 403, 404, 503),
    },
  },
};

declare module "fastify" {
  interface FastifyRequest {
    /** The deployment whose status is requested, on the status route. */
    update: DeploymentSnapshot;
  }
}

/** Adds the deployment endpoints of the hosted service, for clients that were written for it. */
export function addProjectUpdateRoutes(api: Api, services: ApiServices): void {
  const { deployments, publishedSites: sites, projects, database } = services;
  api.decorateRequest("update");
  async function findProject(request: FastifyRequest): Promise<void> {
    const { projectId } = request.params as { projectId: string };
    request.project = await projects.get(request.caller, projectId);
  }
  async function findUpdate(request: FastifyRequest): Promise<void> {
    const { statusId } = request.params as { statusId: string };
    request.update = await deployments.get(request.caller, statusId);
  }

  const startOptions = {
    schema: operations.start,
    ...declareRight("deployments.run"),
    onRequest: findProject,
    preValidation: expectNoBody,
  };
  api.post("/v1/project/update/:projectId", startOptions, async (request, reply) => {
    const scope = { ...request.caller, projectId: request.project.id };
    const result = await respondOnce(database.kysely, request, async (handle) => {
      const { job } = await deployments.start(scope, { trigger: "api" }, handle);
      return { status: 202 as const, headers: {}, body: { statusId: job.id } };
    });
    return sendResponse(reply, result);
  });

  const previewOptions = {
    schema: operations.preview,
    ...declareRight("deployments.run"),
    onRequest: findProject,
  };
  api.post("/v1/project/preview/:projectId", previewOptions, async (request, reply) => {
    const { caller, project, body } = request;
    const { branch } = body;
    checkRef(branch);
    const scope = { ...caller, projectId: project.id };
    const site = await sites.read(project);
    const result = await respondOnce(database.kysely, request, async (handle) => {
      const input = { ref: branch, trigger: "api" } as const;
      const { job } = await deployments.start(scope, input, handle);
      const isPreview = job.kind === "preview";
      const previewUrl = isPreview ? sites.toOrigin(getBranchLabel(site.slug, branch)) : site.url;
      return { status: 202 as const, headers: {}, body: { statusId: job.id, previewUrl } };
    });
    return sendResponse(reply, result);
  });

  const statusOptions = {
    schema: operations.status,
    ...declareRight("deployments.read"),
    onRequest: findUpdate,
  };
  api.get("/v1/project/update-status/:statusId", statusOptions, async ({ caller, update }) => {
    const { projectId } = update;
    const [details, { codeHost, ref }] = await Promise.all([
      deployments.readDetails(update.job.id),
      projects.get(caller, projectId),
    ]);
    return toUpdate(update.job, details, { codeHost, ref });
  });
}

const updateStatuses = {
  queued: "queued",
  building: "in_progress",
  ready: "success",
  removed: "success",
  failed: "failure",
  superseded: "failure",
} as const satisfies Readonly<Record<DeploymentSnapshot["job"]["status"], ProjectUpdate["status"]>>;

const noFiles = { added: [], modified: [], removed: [] };

function toUpdate(
  job: DeploymentSnapshot["job"],
  { slug, log, filesChanged }: DeploymentDetails,
  project: { readonly codeHost: string; readonly ref: string | null },
): ProjectUpdate {
  const isFromCodeHost = job.trigger === "push" || job.trigger === "hook" || job.trigger === "poll";
  return {
    _id: job.id,
    projectId: job.projectId,
    createdAt: job.createdAt,
    endedAt: job.endedAt,
    status: updateStatuses[job.status],
    summary: summarize(job),
    logs: log.map(({ text }) => text),
    subdomain: slug,
    author: job.author,
    commit: {
      sha: job.commit,
      ref: job.ref ?? project.ref,
      message: job.subject,
      filesChanged: filesChanged ?? noFiles,
    },
    source: isFromCodeHost && project.codeHost !== "local" ? project.codeHost : "internal",
  };
}

function summarize({ status, progress, pages, isLive, error }: DeploymentSnapshot["job"]): string {
  switch (status) {
    case "queued":
      return "The deployment is waiting for a worker.";
    case "building":
      return `The site is being built: ${Math.floor(progress)}%.`;
    case "ready":
      return `${formatCount(pages, "page")}, ${isLive ? "shown to readers" : "ready"}.`;
    case "removed":
      return `${formatCount(pages, "page")}, whose files have been removed.`;
    case "superseded":
      return "A newer deployment replaced this one before it was built.";
    default:
      return error ?? "The deployment failed.";
  }
}
