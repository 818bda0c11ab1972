import { sql } from "kysely";
import type { Metrics } from "../../telemetry/index.ts";
import { createJobWorker, type JobWorkerOptions } from "../lifecycle/job-worker.ts";
import { checkBundle } from "../lifecycle/quotas.ts";
import type { RunJob } from "../queue/dispatcher.ts";
import { buildBundle, type BuildOptions } from "./build-bundle.ts";
import { createLogChange, staticExportKind } from "./kind.ts";

export type StaticExportWorkerOptions = JobWorkerOptions &
  BuildOptions & { readonly metrics: Pick<Metrics, "jobEntered" | "pagesWritten"> };

/**
 * Creates the function that runs one static export:
 *
 * 1. Check out the commit that the first attempt recorded, or record it.
 * 2. Render the site, pack it, and store the bundle under its hash.
 * 3. Complete the job, unless its bundle exceeds a quota.
 */
export function createStaticExportWorker(options: StaticExportWorkerOptions): RunJob {
  const { quotas } = options;
  return createJobWorker(staticExportKind, options, async ({ claim, signal, openFolder }) => {
    const { job, project } = claim;
    const { bundleKey, bundleBytes, pages, rendered } = await buildBundle(options, {
      job,
      project,
      signal,
      openFolder,
      format: job.format,
      paths: job.paths ?? undefined,
      addresses: job.addresses ?? undefined,
      remoteScripts: job.remote_scripts ?? project.remote_scripts,
      baseUrl: `https://${job.domain}`,
      write: (changes) => claim.write(changes),
      onCheckedOut: ({ commit }) =>
        claim.write({
          commit: sql`coalesce(commit, ${commit})`,
          version: sql`coalesce(version, ${commit.slice(0, 7)})`,
        }),
    });
    const { organization_id: organizationId } = job;
    const { plan } = project;
    await claim.complete(async () => ({
      changes: {
        progress: 100,
        page_count: pages,
        rendered_pages: rendered,
        bundle_key: bundleKey,
        bundle_bytes: bundleBytes,
        ...createLogChange({ text: "Completed." }),
      },
      check: (transaction) => checkBundle(transaction, { organizationId, plan, quotas }),
    }));
    return { type: "completed", facts: { pages, rendered, bundleBytes } };
  });
}
