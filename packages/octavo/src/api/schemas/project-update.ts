import { z } from "zod";
import { idempotencyHeaders } from "../idempotency.ts";
import { describeErrorResponses, describeJsonResponse, describeTimestamp } from "./responses.ts";

const paths = z.array(z.string()).readonly();

const projectUpdate = z
  .object({
    _id: z.string().meta({ description: "The ID of the deployment." }),
    projectId: z.string(),
    createdAt: describeTimestamp("When the deployment was created."),
    endedAt: describeTimestamp("When it ended.").nullable(),
    status: z.enum(["queued", "in_progress", "success", "failure"]).meta({
      description: "A deployment that a newer one replaced before it was built is a `failure`.",
    }),
    summary: z.string().meta({ description: "A sentence about the status." }),
    logs: z.array(z.string()).meta({ description: "What happened, oldest first." }),
    subdomain: z.string().meta({ description: "The site's name below the domain of sites." }),
    author: z.string().nullable().meta({ description: "The name of the commit's author." }),
    commit: z.object({
      sha: z.string().nullable().meta({ description: "The full hash; null until it is known." }),
      ref: z.string().nullable().meta({
        description: "The branch or tag; null for the repository's default branch.",
      }),
      message: z.string().nullable().meta({ description: "The first line of its message." }),
      filesChanged: z
        .object({ added: paths, modified: paths, removed: paths })
        .meta({ description: "Paths that the commit changed, at most 1,000." }),
    }),
    source: z.string().meta({
      description: "The code host whose push started the deployment; `internal` for all others.",
    }),
  })
  .meta({ id: "ProjectUpdate", description: "A deployment, as the hosted service describes it." });

export type ProjectUpdate = z.infer<typeof projectUpdate>;

const statusId = z.string().meta({ description: "The ID of the deployment." });
const projectPath = z.object({ projectId: z.string().meta({ description: "The project's ID." }) });
const tags = ["Publishing"];

/** The requests, responses and descriptions of the routes. */
export const projectUpdateOperations = {
  start: {
    operationId: "triggerProjectUpdate",
    summary: "Deploy a project's branch",
    description:
      "The call of the hosted service; `POST /v2/projects/{projectId}/deployments` does the same and more.",
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
