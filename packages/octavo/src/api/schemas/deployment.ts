import { z } from "zod";
import { deploymentKinds, deploymentStatuses, deploymentTriggers } from "../../jobs/index.ts";
import { createdBy, describeTimestamp } from "./responses.ts";

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
        "`queued` → `building` → `ready` or `failed`. `superseded` if a newer one replaced it before it was built, and " +
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
    endedAt: describeTimestamp(
      "When the deployment became ready, failed or was superseded.",
    ).nullable(),
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
    publishedAt: describeTimestamp("When the site last began to show this deployment.").nullable(),
    publishedBy: createdBy.meta({
      description: "Who chose to publish the deployment; null if it was published automatically.",
    }),
    error: z.string().optional().meta({ description: "Present only when `status` is `failed`." }),
    waitingFor: z.string().optional().meta({
      description: "What the deployment is waiting for. Present only while it waits.",
    }),
  })
  .meta({ id: "Deployment", description: "One export of a project, for its readers." });
