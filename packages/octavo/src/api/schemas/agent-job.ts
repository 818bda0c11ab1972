import { z } from "zod";
import { agentJobStatuses } from "../../jobs/index.ts";
import { createdBy, describeTimestamp } from "./responses.ts";

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
      .meta({ description: "The repository and branch that the agent works on." }),
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
        steps: z.int().min(0).meta({ description: "The number of model replies." }),
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
