import { z } from "zod";
import {
  agentJobStatuses,
  isWithinPromptLimit,
  isBlankPrompt,
  maxPromptLength,
} from "../../jobs/index.ts";
import { nextCursor, createPageQuery } from "../cursor.ts";
import { idempotencyHeaders } from "../idempotency.ts";
import {
  createdBy,
  describeRateLimitedErrors,
  describeDiffResponse,
  describeErrorResponses,
  describeEventStream,
  describeJsonResponse,
  locationHeader,
  streamHeaders,
  conditionHeaders,
  describeEmptyResponse,
  rateHeaders,
  tagHeader,
  describeTimestamp,
} from "./responses.ts";

const status = z.enum(agentJobStatuses);

export const agentJob = z
  .object({
    id: z.string().meta({ description: "Unique ID of the job.", example: "aj_06f4k2…" }),
    status: status.meta({
      description:
        "`active` → `completed` or `failed`; a message makes it `active` again, and `archived` is final.",
    }),
    source: z
      .object({
        repository: z.string().meta({ description: "The repository, without credentials." }),
        ref: z.string().meta({ description: "The branch that the agent works on." }),
      })
      .meta({ description: "Where the agent works." }),
    model: z.string().meta({ description: "`provider/model`", example: "builtin/recipes" }),
    prLink: z.string().nullable().meta({
      description: "Address of the pull request. Null while `active`, or if no file was changed.",
    }),
    createdBy,
    createdAt: describeTimestamp("When the job was created."),
    archivedAt: describeTimestamp("When the job was archived.").nullable(),
    summary: z.string().nullable().meta({ description: "A summary of the changes." }),
    pullRequest: z
      .object({
        url: z.string(),
        state: z.enum(["open", "merged", "closed"]),
        draft: z.boolean().meta({
          description:
            "Whether the pull request is a draft, either because the work ended at a limit or because a person made " +
            "it one.",
        }),
      })
      .nullable()
      .meta({ description: "The job's newest pull request, with its last known state." }),
    usage: z
      .object({
        inputTokens: z.int().min(0),
        outputTokens: z.int().min(0),
        cachedInputTokens: z.int().min(0).meta({
          description: "Input tokens that the provider read from its cache.",
        }),
        costUsd: z
          .number()
          .min(0)
          .optional()
          .meta({
            description:
              "The cost of the tokens in US dollars at the prices that are configured on the service. Present only " +
              "if the prices of all replies are known.",
          }),
        steps: z.int().min(0).meta({ description: "Model replies." }),
        compactions: z.int().min(0).meta({
          description:
            "The number of times that earlier steps were summarized to fit the model's context.",
        }),
      })
      .meta({ description: "The job's usage so far." }),
    error: z
      .string()
      .optional()
      .meta({ description: "Why the job failed. Present only when `status` is `failed`." }),
    waitingFor: z.string().optional().meta({
      description:
        "What the job is waiting for, e.g. its storage or code host; it continues automatically. Present only while it waits.",
    }),
  })
  .meta({ id: "AgentJob", description: "A task for an agent, on one branch of a project." });

const stepFields = {
  seq: z.int().min(0).meta({ description: "Number of the step. Numbers increase, with gaps." }),
  at: describeTimestamp("When the step happened."),
};
const value = z.unknown().meta({ description: "A JSON value, truncated if it is long." });

const agentStep = z
  .union([
    z.object({
      ...stepFields,
      type: z.literal("message"),
      from: z.enum(["person", "service"]),
      text: z.string(),
      reason: z.string().optional().meta({ description: "Why the service sent the message." }),
      turn: z.int().optional().meta({ description: "The turn that a person's message starts." }),
    }),
    z.object({
      ...stepFields,
      type: z.literal("model"),
      model: z.string(),
      text: z.string(),
      calls: z.array(z.object({ tool: z.string(), input: value })),
      finishReason: z.string(),
      usage: z.object({ inputTokens: z.int(), outputTokens: z.int() }),
    }),
    z.object({
      ...stepFields,
      type: z.literal("tool"),
      tool: z.string(),
      input: value,
      output: value,
      status: z.enum(["done", "refused", "faulty"]),
    }),
    z.object({
      ...stepFields,
      type: z.enum(["check", "commit", "pull_request", "dropped"]),
      text: z.string(),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
  ])
  .meta({ id: "AgentStep", description: "One step of an agent job." });

const prompt = z
  .strictObject({
    prompt: z
      .string()
      .min(1)
      .refine((text) => !isBlankPrompt(text), { error: "must contain more than white space" })
      .refine(isWithinPromptLimit, { error: `must have at most ${maxPromptLength} characters` })
      .meta({
        description: "What the agent should do. Must contain more than white space.",
        maxLength: maxPromptLength,
        example: "Fix the broken links",
      }),
  })
  .meta({ id: "AgentPrompt" });

const projectPath = z.object({
  projectId: z.string().meta({ description: "The project's ID, as on the API keys page." }),
});
const jobPath = projectPath.extend({
  id: z.string().meta({ description: "The ID returned when the job was created." }),
});

const agentJobQuery = z.object({
  status: status.optional().meta({ description: "Only jobs in this state." }),
  ...createPageQuery("agentJob"),
});
const agentJobList = z
  .object({ jobs: z.array(agentJob), nextCursor })
  .meta({ id: "AgentJobList", description: "Newest first." });

const tags = ["Agent jobs"];
const rateLimitNote =
  "A project may make at most 100 such calls in any 60 minutes. The headers `RateLimit-Policy` and `RateLimit` of " +
  "every response show the remaining calls.";

/** The requests, responses and descriptions of the routes. */
export const agentJobOperations = {
  create: {
    operationId: "createAgentJob",
    summary: "Create an agent job",
    description: `An agent carries out the instruction on its own branch and opens a pull request. ${rateLimitNote}`,
    tags,
    params: projectPath,
    headers: idempotencyHeaders,
    body: prompt,
    response: {
      201: describeJsonResponse("The job is active; `Location` names it.", agentJob, {
        ...locationHeader,
        ...rateHeaders,
      }),
      ...describeRateLimitedErrors(400, 401, 403, 404, 409, 413, 415, 422, 429, 503),
    },
  },
  get: {
    operationId: "getAgentJob",
    summary: "Get the state of an agent job",
    description:
      "Poll while `status` is `active`. With `If-None-Match`, the response has no body if the job has not changed.",
    tags,
    params: jobPath,
    headers: conditionHeaders,
    response: {
      200: describeJsonResponse("The current job.", agentJob, tagHeader),
      304: describeEmptyResponse("The job has not changed.", tagHeader),
      ...describeErrorResponses(401, 403, 404, 412, 503),
    },
  },
  message: {
    operationId: "sendAgentMessage",
    summary: "Send another instruction",
    description:
      "The agent carries it out at once, or after the current turn of an active job, and adds to the same pull " +
      `request, or to a new one if the pull request was merged or closed. ${rateLimitNote}`,
    tags,
    params: jobPath,
    headers: idempotencyHeaders,
    body: prompt,
    response: {
      200: describeJsonResponse("The job, active.", agentJob, rateHeaders),
      ...describeRateLimitedErrors(400, 401, 403, 404, 409, 413, 415, 422, 429, 503),
    },
  },
  list: {
    operationId: "listAgentJobs",
    summary: "List agent jobs",
    tags,
    params: projectPath,
    querystring: agentJobQuery,
    response: {
      200: describeJsonResponse("Jobs of the project, newest first.", agentJobList),
      ...describeErrorResponses(400, 401, 403, 404, 503),
    },
  },
  cancel: {
    operationId: "cancelAgentJob",
    summary: "Cancel an agent job",
    description: "The job ends as `failed`, with an error that begins with `Cancelled`.",
    tags,
    params: jobPath,
    response: {
      200: describeJsonResponse("The job, cancelled.", agentJob),
      ...describeErrorResponses(400, 401, 403, 404, 409, 413, 415, 503),
    },
  },
  archive: {
    operationId: "archiveAgentJob",
    summary: "Archive an agent job",
    description: "Archives a job that has ended. The job then accepts no more messages.",
    tags,
    params: jobPath,
    response: {
      200: describeJsonResponse("The job, archived.", agentJob),
      ...describeErrorResponses(400, 401, 403, 404, 409, 413, 415, 503),
    },
  },
  watch: {
    operationId: "watchAgentJob",
    summary: "Follow an agent job",
    description:
      "Server-sent events: `step` for each step (`seq`, `at`, `type`: message, model, tool, check, commit, " +
      "pull_request or dropped, and the fields of that type), and `job` with the whole AgentJob after each " +
      "change, until it ends. A client that reconnects with `Last-Event-ID` gets the events it missed.",
    tags,
    params: jobPath,
    headers: streamHeaders,
    response: {
      200: describeEventStream("Events, until the job ends.", z.union([agentJob, agentStep])),
      ...describeErrorResponses(401, 403, 404, 503),
    },
  },
  diff: {
    operationId: "getAgentDiff",
    summary: "Get the diff of an agent job",
    description: "A unified diff against the base; empty if nothing was changed.",
    tags,
    params: jobPath,
    response: {
      200: describeDiffResponse("The diff."),
      ...describeErrorResponses(401, 403, 404, 503),
    },
  },
};
