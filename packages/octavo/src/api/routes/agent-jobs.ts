import type { FastifyReply, FastifyRequest } from "fastify";
import { isOctavoError } from "@octavo/site/core";
import { z } from "zod";
import {
  rateLimit,
  agentJobStatuses,
  isWithinPromptLimit,
  isBlankPrompt,
  maxPromptLength,
} from "../../jobs/index.ts";
import type {
  AgentEvent,
  AgentJob,
  AgentJobSnapshot,
  RateKind,
  RateState,
} from "../../jobs/index.ts";
import type { Api, ApiServices } from "../api.ts";
import { parseBasePath } from "../base-path.ts";
import { checkPreconditions } from "../conditional.ts";
import { toCursor, nextCursor, createPageQuery } from "../cursor.ts";
import { sendEvents } from "../event-streams.ts";
import type { ServerEvent } from "../event-streams.ts";
import { hostedRepository, getHostedRepositoryUrl } from "../../core/index.ts";
import { respondOnce, sendResponse, idempotencyHeaders } from "../idempotency.ts";
import { expectNoBody } from "../request-body.ts";
import { declareRight } from "../route-rights.ts";
import {
  describeRateLimitedErrors,
  describeErrorResponses,
  describeEventStream,
  describeJsonResponse,
  locationHeader,
  eventStreamHeaders,
  preconditionHeaders,
  describeEmptyResponse,
  rateLimitHeaders,
  entityTagHeader,
  describeTimestamp,
} from "../schemas/responses.ts";
import { agentJob } from "../schemas/agent-job.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The ID of the project in the path; undefined until the project is found. */
    agentProjectId: string | undefined;
    /** The agent job in the path, on routes whose path names a job. */
    agentJob: AgentJobSnapshot;
  }
}

const stepFields = {
  seq: z.int().min(0).meta({ description: "Number of the step. Numbers increase, with gaps." }),
  at: describeTimestamp("When the step happened."),
};
const jsonValue = z.unknown().meta({ description: "A JSON value, truncated if it is long." });

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
      calls: z.array(z.object({ tool: z.string(), input: jsonValue })),
      finishReason: z.string(),
      usage: z.object({ inputTokens: z.int(), outputTokens: z.int() }),
    }),
    z.object({
      ...stepFields,
      type: z.literal("tool"),
      tool: z.string(),
      input: jsonValue,
      output: jsonValue,
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

const projectParameters = z.object({
  projectId: z.string().meta({ description: "The project's ID, which the API keys page shows." }),
});
const jobParameters = projectParameters.extend({
  id: z.string().meta({ description: "The ID returned when the job was created." }),
});

const agentJobQuery = z.object({
  status: z.enum(agentJobStatuses).optional().meta({ description: "Only jobs in this state." }),
  ...createPageQuery("agentJob"),
});
const agentJobList = z
  .object({ jobs: z.array(agentJob), nextCursor })
  .meta({ id: "AgentJobList", description: "Newest first." });

const tags = ["Agent jobs"];
const rateLimitNote =
  "Each project is limited to 100 such calls in any 60 minutes. The headers `RateLimit-Policy` and `RateLimit` of " +
  "every response show how many remain.";

/** The requests, responses and descriptions of the routes. */
const operations = {
  create: {
    operationId: "createAgentJob",
    summary: "Create an agent job",
    description: `An agent carries out the instruction on its own branch and opens a pull request. ${rateLimitNote}`,
    tags,
    params: projectParameters,
    headers: idempotencyHeaders,
    body: prompt,
    response: {
      201: describeJsonResponse("The job is active; `Location` contains its path.", agentJob, {
        ...locationHeader,
        ...rateLimitHeaders,
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
    params: jobParameters,
    headers: preconditionHeaders,
    response: {
      200: describeJsonResponse("The current job.", agentJob, entityTagHeader),
      304: describeEmptyResponse("The job has not changed.", entityTagHeader),
      ...describeErrorResponses(401, 403, 404, 412, 503),
    },
  },
  message: {
    operationId: "sendAgentMessage",
    summary: "Send another instruction",
    description:
      "The agent carries out the instruction at once, or after the current turn of an active job, and adds to the same pull " +
      `request, or to a new one if the pull request was merged or closed. ${rateLimitNote}`,
    tags,
    params: jobParameters,
    headers: idempotencyHeaders,
    body: prompt,
    response: {
      200: describeJsonResponse("The job, which is active again.", agentJob, rateLimitHeaders),
      ...describeRateLimitedErrors(400, 401, 403, 404, 409, 413, 415, 422, 429, 503),
    },
  },
  list: {
    operationId: "listAgentJobs",
    summary: "List agent jobs",
    tags,
    params: projectParameters,
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
    params: jobParameters,
    response: {
      200: describeJsonResponse("The cancelled job.", agentJob),
      ...describeErrorResponses(400, 401, 403, 404, 409, 413, 415, 503),
    },
  },
  archive: {
    operationId: "archiveAgentJob",
    summary: "Archive an agent job",
    description: "Archives a job that has ended. The job then accepts no more messages.",
    tags,
    params: jobParameters,
    response: {
      200: describeJsonResponse("The archived job.", agentJob),
      ...describeErrorResponses(400, 401, 403, 404, 409, 413, 415, 503),
    },
  },
  watch: {
    operationId: "watchAgentJob",
    summary: "Follow an agent job",
    description:
      "Server-sent events: `step` for each step (`seq`, `at`, `type`: message, model, tool, check, commit, " +
      "pull_request or dropped, and the fields of that type), and `job` with the whole AgentJob after each " +
      "change, until the job ends. A client that reconnects with `Last-Event-ID` gets the events it missed.",
    tags,
    params: jobParameters,
    headers: eventStreamHeaders,
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
    params: jobParameters,
    response: {
      200: { description: "The diff.", content: { "text/x-diff": { schema: z.string() } } },
      ...describeErrorResponses(401, 403, 404, 503),
    },
  },
};

const jobsPath = "/v2/agent/:projectId";
const jobPath = `${jobsPath}/job/:id`;

export function addAgentJobRoutes(api: Api, services: ApiServices): void {
  const { agentJobs, database, streams } = services;
  const { findProject, findJob } = createFinders(services);
  api.decorateRequest("agentProjectId");
  api.decorateRequest("agentJob");
  const readRoute = { ...declareRight("agent.read"), onRequest: findJob };
  const actRoute = {
    ...declareRight("agent.run"),
    onRequest: findJob,
    preValidation: expectNoBody,
  };
  const createCountedOptions = (kind: RateKind) => ({
    ...declareRight("agent.run"),
    onSend: createRateHeadersHook(services, kind),
  });

  const createOptions = {
    schema: operations.create,
    onRequest: findProject,
    ...createCountedOptions("jobs"),
  };
  api.post(`${jobsPath}/job`, createOptions, async (request, reply) => {
    const scope = getRequestScope(request);
    const result = await respondOnce(database.kysely, request, async (handle) => {
      const { job } = await agentJobs.create(scope, request.body.prompt, handle);
      const path = `/v2/agent/${scope.projectId}/job/${job.id}`;
      const location = `${parseBasePath(services.baseUrl())}${path}`;
      return { status: 201 as const, headers: { location }, body: toBody(services, request, job) };
    });
    return sendResponse(reply, result);
  });

  const listOptions = {
    schema: operations.list,
    ...declareRight("agent.read"),
    onRequest: findProject,
  };
  api.get(`${jobsPath}/jobs`, listOptions, async (request) => {
    const { jobs, nextCursor } = await agentJobs.list(getRequestScope(request), request.query);
    const bodies = jobs.map(({ job }) => toBody(services, request, job));
    return { jobs: bodies, nextCursor: toCursor(nextCursor) };
  });

  const getOptions = { schema: operations.get, ...readRoute };
  api.get(jobPath, getOptions, async (request, reply) => {
    const { job, revision } = request.agentJob;
    const tag = `"${revision}"`;
    reply.header("cache-control", "private, no-cache");
    return checkPreconditions(request, reply, tag) ?? reply.send(toBody(services, request, job));
  });

  const messageOptions = {
    schema: operations.message,
    onRequest: findJob,
    ...createCountedOptions("messages"),
  };
  api.post(`${jobPath}/message`, messageOptions, async (request, reply) => {
    const { prompt } = request.body;
    const { id } = request.params;
    const result = await respondOnce(database.kysely, request, async (handle) => {
      const { job } = await agentJobs.addMessage(getRequestScope(request), id, { prompt, handle });
      return { status: 200 as const, headers: {}, body: toBody(services, request, job) };
    });
    return sendResponse(reply, result);
  });

  api.post(`${jobPath}/cancel`, { schema: operations.cancel, ...actRoute }, async (request) => {
    const { job } = await agentJobs.cancel(getRequestScope(request), request.params.id);
    return toBody(services, request, job);
  });

  api.post(`${jobPath}/archive`, { schema: operations.archive, ...actRoute }, async (request) => {
    const { job } = await agentJobs.archive(getRequestScope(request), request.params.id);
    return toBody(services, request, job);
  });

  const watchOptions = { schema: operations.watch, ...readRoute, exposeHeadRoute: false };
  api.get(`${jobPath}/events`, watchOptions, (request, reply) => {
    const toJob = (job: AgentJob) => toBody(services, request, job);
    sendEvents({ request, reply, streams }, (options) =>
      toServerEvents(agentJobs.watch(getRequestScope(request), request.params.id, options), toJob),
    );
  });

  api.get(`${jobPath}/diff`, { schema: operations.diff, ...readRoute }, async (request, reply) => {
    const diff = await agentJobs.readDiff(getRequestScope(request), request.params.id);
    return reply.type("text/x-diff; charset=utf-8").send(diff);
  });
}

/** Returns hooks that find the resources in the path. A 404 takes precedence over every error in the body. */
function createFinders({ agentJobs, projects }: ApiServices) {
  async function findProject(request: FastifyRequest): Promise<void> {
    const { projectId } = request.params as { projectId: string };
    request.agentProjectId = (await projects.get(request.caller, projectId)).id;
  }
  async function findJob(request: FastifyRequest): Promise<void> {
    await findProject(request);
    const { id } = request.params as { id: string };
    request.agentJob = await agentJobs.get(getRequestScope(request), id);
  }
  return { findProject, findJob };
}

function getRequestScope({ caller, agentProjectId = "" }: FastifyRequest) {
  const { organizationId, actor } = caller;
  return { organizationId, projectId: agentProjectId, actor };
}

/** Converts a job to its response. For a repository that the service hosts, the response contains its clone URL. */
function toBody(
  { baseUrl }: ApiServices,
  { agentProjectId = "" }: FastifyRequest,
  job: AgentJob,
): AgentJob {
  if (job.source.repository !== hostedRepository) return job;
  const repository = getHostedRepositoryUrl(baseUrl(), agentProjectId);
  return { ...job, source: { ...job.source, repository } };
}

async function* toServerEvents(
  events: AsyncIterable<AgentEvent>,
  toJob: (job: AgentJob) => AgentJob,
): AsyncIterable<ServerEvent> {
  try {
    for await (const event of events) {
      const data = event.type === "step" ? event.step : toJob(event.snapshot.job);
      yield { id: event.id, event: event.type, data };
    }
  } catch (error) {
    // The project was deleted in the meantime, so the stream ends.
    if (!isOctavoError(error, "not_found")) throw error;
  }
}

const policyNames: Readonly<Record<RateKind, string>> = {
  jobs: "agent-jobs",
  messages: "agent-messages",
};

/**
 * Returns an `onSend` hook that adds the project's remaining calls to every response to a caller with a valid key,
 * including errors (draft-ietf-httpapi-ratelimit-headers).
 */
function createRateHeadersHook({ agentJobs }: ApiServices, kind: RateKind) {
  async function readRateState(request: FastifyRequest, reply: FastifyReply): Promise<RateState> {
    // The response already has a Retry-After header, whose value is reused.
    const retryAfter = reply.getHeader("retry-after");
    if (retryAfter !== undefined) return { remaining: 0, resetSeconds: Number(retryAfter) };
    const { agentProjectId } = request;
    // For another organization's project, no calls appear to be used, as for a project that does not exist.
    if (!agentProjectId) return { remaining: rateLimit.calls, resetSeconds: undefined };
    try {
      return await agentJobs.readRate(agentProjectId, kind);
    } catch (err) {
      request.log.error({ err }, "The remaining calls of a rate limit could not be read");
      return { remaining: 0, resetSeconds: undefined };
    }
  }
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    // Without a valid key, the response reveals nothing.
    if (!request.caller) return;
    const name = policyNames[kind];
    const { calls, windowSeconds } = rateLimit;
    reply.header("ratelimit-policy", `"${name}";q=${calls};w=${windowSeconds}`);
    const state = await readRateState(request, reply);
    const resetParameter = state.resetSeconds === undefined ? "" : `;t=${state.resetSeconds}`;
    reply.header("ratelimit", `"${name}";r=${state.remaining}${resetParameter}`);
  };
}
