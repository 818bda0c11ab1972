import { join } from "node:path";
import { sql } from "kysely";
import type { Quotas } from "../../core/index.ts";
import type { Storage } from "../../storage/index.ts";
import type { Metrics } from "../../telemetry/index.ts";
import type { JobClaim } from "../lifecycle/job-claim.ts";
import { createJobWorker } from "../lifecycle/job-worker.ts";
import type { JobAttempt, JobWorkerOptions } from "../lifecycle/job-worker.ts";
import { checkBundle } from "../lifecycle/quotas.ts";
import type { CheckOut, RenderSite } from "../ports.ts";
import type { RunJob } from "../queue/dispatcher.ts";
import { defaultBudget, watchBudget } from "./budget.ts";
import type { AttemptBudget, BudgetWatch } from "./budget.ts";
import { recordBundle } from "./bundle-record.ts";
import { hashBundle } from "./hash-bundle.ts";
import { logChange, staticExportKind } from "./kind.ts";
import type { ExportTypes } from "./kind.ts";
import { openProgress } from "./progress.ts";
import type { ExportStage } from "./progress.ts";

export interface StaticExportWorkerOptions extends JobWorkerOptions {
  readonly storage: Storage;
  readonly checkout: CheckOut;
  readonly renderSite: RenderSite;
  /** Caches rendered pages between exports, in a folder per project. */
  readonly cacheDir: string;
  readonly metrics: Pick<Metrics, "jobEntered" | "pagesWritten">;
  readonly quotas: Quotas;
  /** Default: `defaultBudget`. */
  readonly budget?: AttemptBudget | undefined;
}

type ExportClaim = JobClaim<ExportTypes>;

interface StoredExport {
  readonly bundleKey: string;
  readonly bundleBytes: number;
  readonly pages: number;
  readonly rendered: number;
}

/** The progress in percent after each step. */
const progressAfter = { checkout: 3, render: 90, pack: 97, store: 99 } as const;

/**
 * Creates the function that runs one static export:
 *
 * 1. Check out the commit that the first attempt recorded, or record it.
 * 2. Render the site, pack it, and store the bundle under its hash.
 * 3. Complete the job, unless its bundle exceeds a quota.
 */
export function createStaticExportWorker(options: StaticExportWorkerOptions): RunJob {
  const { budget = defaultBudget, quotas, metrics } = options;
  return createJobWorker(staticExportKind, options, async (attempt) => {
    const { claim } = attempt;
    using watch = watchBudget(budget, { plan: claim.project.plan, quotas });
    const signal = AbortSignal.any([attempt.signal, watch.signal]);
    try {
      const stored = await storeExport(options, { ...attempt, signal }, watch);
      await complete(claim, stored, quotas);
      const { pages, rendered, bundleBytes } = stored;
      metrics.pagesWritten({ rendered, cached: pages - rendered });
      return { type: "completed", facts: { pages, rendered, bundleBytes } };
    } catch (error) {
      throw watch.explain(error);
    }
  });
}

async function complete(claim: ExportClaim, stored: StoredExport, quotas: Quotas): Promise<void> {
  const { organization_id: organizationId } = claim.job;
  const { plan } = claim.project;
  await claim.complete(async () => ({
    changes: {
      progress: 100,
      page_count: stored.pages,
      rendered_pages: stored.rendered,
      bundle_key: stored.bundleKey,
      bundle_bytes: stored.bundleBytes,
      ...logChange({ text: "Completed." }),
    },
    check: (transaction) => checkBundle(transaction, { organizationId, plan, quotas }),
  }));
}

function logStage(claim: ExportClaim, stage: ExportStage, text: string): Promise<void> {
  return claim.write(logChange({ text, stage }));
}

async function storeExport(
  options: StaticExportWorkerOptions,
  { claim, signal, openFolder }: JobAttempt<ExportTypes>,
  watch: BudgetWatch,
): Promise<StoredExport> {
  const { budget = defaultBudget } = options;
  const { job, project } = claim;
  const again = job.attempt > 1 ? ` Attempt ${job.attempt}.` : "";
  const ref = job.ref ?? "the default branch";
  await logStage(claim, "checkout", `Checking out ${ref}.${again}`);
  await using folder = await openFolder();
  const checkout = await options.checkout({
    project: {
      id: job.project_id,
      repository: project.repository,
      directory: project.directory,
      codeHost: project.code_host,
    },
    ref: job.ref,
    commit: job.commit,
    targetDir: join(folder.path, "checkout"),
    signal,
  });
  signal.throwIfAborted();
  // This and every later attempt export this commit.
  await claim.write({
    commit: sql`coalesce(commit, ${checkout.commit})`,
    version: sql`coalesce(version, ${checkout.commit.slice(0, 7)})`,
  });
  await using progress = openProgress((values) => claim.write(values));
  progress.report(progressAfter.checkout, job.page_count);
  await logStage(claim, "rendering", `Rendering the site at ${checkout.commit.slice(0, 7)}.`);

  const outFile = join(folder.path, `bundle.${job.format}`);
  let packing: Promise<void> | undefined;
  const { pages, rendered } = await options.renderSite({
    siteDir: checkout.dir,
    isNewFolder: true,
    outDir: join(folder.path, "site"),
    archive: { format: job.format, file: outFile },
    paths: job.paths ?? undefined,
    addresses: job.addresses ?? undefined,
    remoteScripts: job.remote_scripts ?? project.remote_scripts,
    baseUrl: `https://${job.domain}`,
    cacheDir: join(options.cacheDir, job.project_id),
    origin: checkout.origin,
    budget: { cpuMs: budget.cpuMs, memoryBytes: budget.memoryBytes },
    onProgress({ done, total }) {
      watch.notePages(total);
      progress.report(renderProgress(done, total), done, total);
    },
    onPacking({ pages: done, rendered: made }) {
      progress.report(progressAfter.render, done, done);
      const sentence = `Packing ${done} pages: ${made} rendered, ${done - made} from the cache.`;
      packing = logStage(claim, "packing", sentence);
      // Awaited below; until then, an unhandled rejection would end the process.
      packing.catch(() => undefined);
    },
    signal,
  });
  await packing;
  signal.throwIfAborted();
  const packed = await hashBundle(outFile);
  progress.report(progressAfter.pack, pages);

  await logStage(claim, "storing", `Storing ${packed.bytes.toLocaleString("en")} bytes.`);
  const bundleKey = `bundles/${packed.sha256}.${job.format}`;
  await recordBundle(options.database, bundleKey);
  await options.storage.put(bundleKey, outFile);
  signal.throwIfAborted();
  progress.report(progressAfter.store, pages);
  return { bundleKey, bundleBytes: packed.bytes, pages, rendered };
}

function renderProgress(done: number, total: number): number {
  const { checkout, render } = progressAfter;
  const part = total > 0 ? Math.min(1, done / total) : 0;
  return Math.floor(checkout + part * (render - checkout));
}
