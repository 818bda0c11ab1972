import { sql } from "kysely";
import type { Metrics } from "../../telemetry/index.ts";
import { replaceLiveDeployment, settleVisibility } from "../../publish/index.ts";
import {
  createJobWorker,
  type JobAttempt,
  type JobWorkerOptions,
} from "../lifecycle/job-worker.ts";
import type { MessageContext } from "../lifecycle/job-kind.ts";
import { checkBundle } from "../lifecycle/quotas.ts";
import type { CheckoutResult } from "../ports.ts";
import type { RunJob } from "../queue/dispatcher.ts";
import { buildBundle, type BuildOptions, type BuiltBundle } from "../static-export/build-bundle.ts";
import { createLogChange } from "../static-export/kind.ts";
import { createDeploymentMessage, deploymentKind, type DeploymentTypes } from "./kind.ts";

/**
 * The maximum number of recorded first segments of page addresses. Few sites have more pages and folders at their root.
 */
const maxFirstSegments = 2_000;

export type DeploymentWorkerOptions = JobWorkerOptions &
  BuildOptions & { readonly metrics: Pick<Metrics, "jobEntered" | "pagesWritten"> };

/**
 * Creates the function that runs one deployment:
 *
 * 1. Check out the commit that the first attempt recorded, or record it.
 * 2. Render the site with addresses without extensions, and store it as a zip under its hash.
 * 3. Complete the deployment and, in the same transaction, publish it, unless a newer deployment is live or a person
 *    has chosen another deployment.
 */
export function createDeploymentWorker(options: DeploymentWorkerOptions): RunJob {
  return createJobWorker(deploymentKind, options, async (attempt) => {
    const { job, project } = attempt.claim;
    const built = await buildBundle(options, {
      job,
      project,
      signal: attempt.signal,
      openFolder: attempt.openFolder,
      format: "zip",
      addresses: "clean",
      remoteScripts: project.remote_scripts,
      write: (changes) => attempt.claim.write(changes),
      async onCheckedOut(checkout) {
        await recordCommit(attempt, checkout);
        await recordForkCommit(options, attempt, checkout);
        const { isPublic } = checkout;
        if (!isPublic) return;
        await settleVisibility(options.database.kysely, job.project_id, () =>
          isPublic(attempt.signal),
        );
      },
    });
    const { isLive } = await complete(options, attempt, built);
    const { pages, rendered, bundleBytes } = built;
    return { type: "completed", facts: { pages, rendered, bundleBytes, isLive } };
  });
}

type Attempt = JobAttempt<DeploymentTypes>;

async function recordCommit({ claim, signal }: Attempt, checkout: CheckoutResult): Promise<void> {
  const described = await checkout.describe?.(signal);
  await claim.write({
    commit: sql`coalesce(commit, ${checkout.commit})`,
    ...(described && {
      subject: described.subject,
      author: described.author,
      files_changed: described.filesChanged ? JSON.stringify(described.filesChanged) : null,
    }),
  });
}

/** Records the commit with which the preview of a pull request is compared. */
async function recordForkCommit(
  { database }: Pick<DeploymentWorkerOptions, "database">,
  { claim, signal }: Attempt,
  { findForkCommit }: CheckoutResult,
): Promise<void> {
  if (claim.job.pull_request === null) return;
  const reviews = database.kysely
    .selectFrom("reviews")
    .select("base")
    .where("deployment_id", "=", claim.job.id);
  const review = await reviews.executeTakeFirst();
  if (!review) return;
  await database.kysely
    .updateTable("reviews")
    .set({ base_commit: (await findForkCommit?.(review.base, signal)) ?? null })
    .where("deployment_id", "=", claim.job.id)
    .where("base", "=", review.base)
    .execute();
}

async function complete(
  { quotas, announcer }: DeploymentWorkerOptions,
  { claim }: Attempt,
  built: BuiltBundle,
): Promise<{ readonly isLive: boolean }> {
  const { organization_id: organizationId, project_id: projectId } = claim.job;
  const { plan } = claim.project;
  let isLive = false;
  await claim.complete(async (transaction, { id, kind, ref }) => {
    const { bundleKey } = built;
    isLive = await replaceLiveDeployment(transaction, { id, projectId, kind, ref, bundleKey });
    return {
      changes: {
        progress: 100,
        page_count: built.pages,
        rendered_pages: built.rendered,
        errors: built.errors,
        warnings: built.warnings,
        bundle_key: bundleKey,
        bundle_bytes: built.bundleBytes,
        first_names: JSON.stringify(built.firstSegments.slice(0, maxFirstSegments)),
        ...(isLive && { published_at: sql<Date>`now()` }),
        ...createLogChange({ text: isLive ? "Published." : "Ready." }),
      },
      async check(handle, row) {
        await checkBundle(handle, { organizationId, plan, quotas });
        if (!isLive) return;
        const published = (context: MessageContext) =>
          createDeploymentMessage(row, "published", context);
        await announcer.announce(handle, row, published);
      },
    };
  });
  return { isLive };
}
