import { z } from "zod";
import { agentJobStatuses, fitsPromptLimit, maxPromptLength } from "../../jobs/index.ts";
import { nextCursor, pageQuery } from "../cursor.ts";
import { idempotencyHeaders } from "../idempotency.ts";
import {
  countedErrorAnswers,
  diffAnswer,
  errorAnswers,
  eventAnswer,
  jsonAnswer,
  locationHeader,
  noAnswer,
  rateHeaders,
  tagHeader,
  timestamp,
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
      description: "The pull request. Null while `active`, and where no file was changed.",
    }),
    createdAt: timestamp("When the job was created."),
    archivedAt: timestamp("When the job was archived.").nullable(),
    summary: z.string().nullable().meta({ description: "What was done." }),
    pullRequest: z
      .object({ url: z.string(), state: z.enum(["open", "merged", "closed"]) })
      .nullable()
      .meta({ description: "The job's newest pull request, as it was last seen." }),
    usage: z
      .object({
        inputTokens: z.int().min(0),
        outputTokens: z.int().min(0),
        steps: z.int().min(0).meta({ description: "Answers of the model." }),
      })
      .meta({ description: "What the job used so far." }),
    error: z
      .string()
      .optional()
      .meta({ description: "Why the job failed. There exactly when `status` is `failed`." }),
  })
  .meta({ id: "AgentJob", description: "A task for an agent, on one branch of a project." });

const prompt = z
  .strictObject({
    prompt: z
      .string()
      .min(1)
      .refine(fitsPromptLimit, { error: `must have at most ${maxPromptLength} characters` })
      .meta({
        description: "What the agent is to do, in words.",
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
  ...pageQuery("agentJob"),
});
const agentJobList = z
  .object({ jobs: z.array(agentJob), nextCursor })
  .meta({ id: "AgentJobList", description: "Newest first." });

const tags = ["Agent jobs"];
const limited =
  "At most 100 such calls are taken for a project in any 60 minutes; the headers `RateLimit-Policy` and " +
  "`RateLimit` of every answer say what is left.";

/** What each route takes, answers and says of itself. */
export const agentJobOperations = {
  create: {
    operationId: "createAgentJob",
    summary: "Create an agent job",
    description: `An agent carries out the instruction on a branch of its own and opens a pull request. ${limited}`,
    tags,
    params: projectPath,
    headers: idempotencyHeaders,
    body: prompt,
    response: {
      201: jsonAnswer("The job is active; `Location` names it.", agentJob, {
        ...locationHeader,
        ...rateHeaders,
      }),
      ...countedErrorAnswers(400, 401, 404, 409, 413, 415, 422, 429, 503),
    },
  },
  get: {
    operationId: "getAgentJob",
    summary: "Get the state of an agent job",
    description: "Poll while `status` is `active`. `If-None-Match` saves the body.",
    tags,
    params: jobPath,
    response: {
      200: jsonAnswer("The job as it is now.", agentJob, tagHeader),
      304: noAnswer("The job is as `If-None-Match` says.", tagHeader),
      ...errorAnswers(401, 404, 503),
    },
  },
  message: {
    operationId: "sendAgentMessage",
    summary: "Send a further instruction",
    description:
      "It is carried out at once, or after the present turn of an active job, and adds to the same pull request; " +
      `where that was merged or closed, to a new one. ${limited}`,
    tags,
    params: jobPath,
    headers: idempotencyHeaders,
    body: prompt,
    response: {
      200: jsonAnswer("The job, active.", agentJob, rateHeaders),
      ...countedErrorAnswers(400, 401, 404, 409, 413, 415, 422, 429, 503),
    },
  },
  list: {
    operationId: "listAgentJobs",
    summary: "List agent jobs",
    tags,
    params: projectPath,
    querystring: agentJobQuery,
    response: {
      200: jsonAnswer("Jobs of the project, newest first.", agentJobList),
      ...errorAnswers(400, 401, 404, 503),
    },
  },
  cancel: {
    operationId: "cancelAgentJob",
    summary: "Cancel an agent job",
    description: "The job ends as `failed`, with an error that begins with `Cancelled`.",
    tags,
    params: jobPath,
    response: {
      200: jsonAnswer("The job, cancelled.", agentJob),
      ...errorAnswers(400, 401, 404, 409, 413, 415, 503),
    },
  },
  archive: {
    operationId: "archiveAgentJob",
    summary: "Archive an agent job",
    description: "Puts a job away that has ended. It takes no more messages.",
    tags,
    params: jobPath,
    response: {
      200: jsonAnswer("The job, archived.", agentJob),
      ...errorAnswers(400, 401, 404, 409, 413, 415, 503),
    },
  },
  watch: {
    operationId: "watchAgentJob",
    summary: "Follow an agent job",
    description:
      "Server-sent events: `step` for each thing that happens (`seq`, `at`, `type`: message, model, tool, check, " +
      "commit, pull_request or dropped, and what belongs to it), and `job` with the whole AgentJob when it has " +
      "changed, until it ends. A client that comes back with `Last-Event-ID` gets what it has not seen.",
    tags,
    params: jobPath,
    response: { 200: eventAnswer("Events, until the job ends."), ...errorAnswers(401, 404, 503) },
  },
  diff: {
    operationId: "getAgentDiff",
    summary: "Get what an agent job changed",
    description: "A unified diff against the base; empty where nothing was changed.",
    tags,
    params: jobPath,
    response: { 200: diffAnswer("The diff."), ...errorAnswers(401, 404, 503) },
  },
};
