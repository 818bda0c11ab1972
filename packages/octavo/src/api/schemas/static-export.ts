import { z } from "zod";
import { staticExportStatuses } from "../../jobs/index.ts";
import { createdBy, describeTimestamp } from "./responses.ts";

/** Hosts from which pages may load scripts, as people type them; `projects/` and `jobs/` parse and check them. */
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
