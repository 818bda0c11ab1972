import { join } from "node:path";
import { isOctavoError } from "@octavo/site/core";
import type { SpaceWatch } from "../../core/index.ts";
import type { Storage } from "../../storage/index.ts";
import type { Metrics } from "../../telemetry/index.ts";
import { handleFailure, maxDeaths, workersDiedMessage } from "../lifecycle/failure.ts";
import type { CheckOut, JobLog, RenderSite } from "../ports.ts";
import type { RunJob } from "../queue/dispatcher.ts";
import { openWorkFolder } from "../lifecycle/work-folder.ts";
import { defaultBudget, watchBudget } from "./budget.ts";
import type { AttemptBudget, BudgetWatch } from "./budget.ts";
import { recordBundle } from "./bundle-record.ts";
import { openEndedSignal } from "./changes.ts";
import type { StaticExportChanges } from "./changes.ts";
import { claimExport } from "./claim.ts";
import { hashBundle } from "./hash-bundle.ts";
import type { ExportClaim, ExportClaimOptions, CompletedExport } from "./claim.ts";

export interface StaticExportWorkerOptions extends ExportClaimOptions {
  readonly changes: StaticExportChanges;
  readonly storage: Storage;
  readonly checkout: CheckOut;
  readonly renderSite: RenderSite;
  /** Holds one folder per attempt, removed after it. */
  readonly workDir: string;
  /** Rendered pages cached between exports, in a folder per project. */
  readonly cacheDir: string;
  readonly log: JobLog;
  readonly metrics: Pick<Metrics, "jobEntered" | "pagesWritten">;
  /** While space is short, exports wait, running ones too. */
  readonly space: SpaceWatch;
  /** Default `defaultBudget`. */
  readonly budget?: AttemptBudget | undefined;
  /** As in `handleFailure`. */
  readonly retryMs?: number;
}

/** The progress in percent after each step. */
const progressAfter = { checkout: 3, render: 90, pack: 97, store: 99 } as const;

/**
 * Creates the function that runs one static export:
 *
 * 1. claim the job under a new attempt number, which every later write names;
 * 2. check out the commit that the first attempt recorded, or record it;
 * 3. render the site, pack it, and store the bundle under its hash;
 * 4. complete the job in one statement, or fail it, or release it.
 */
export function createStaticExportWorker(options: StaticExportWorkerOptions): RunJob {
  return async (jobId, signals) => {
    // Before the claim, so that a cancellation in between is not missed.
    using ended = openEndedSignal(options.changes, jobId);
    const claim = await claimExport(options, jobId);
    if (!claim) return;
    if (claim.job.strikes > maxDeaths) {
      await failJob(options, claim, { sentence: workersDiedMessage("export") });
      return;
    }
    const { domain, attempt } = claim.job;
    const start = performance.now();
    options.log.info({ jobId, domain, attempt }, "A static export started");
    options.metrics.jobEntered({ kind: kindOf(claim), state: "running" });
    const revoked = AbortSignal.any([ended.signal, signals.lost, claim.lost]);
    const { shortage } = options.space;
    const { budget = defaultBudget, quotas } = options;
    using watch = watchBudget(budget, { plan: claim.job.plan, quotas });
    const signal = AbortSignal.any([revoked, signals.stopping, shortage, watch.signal]);
    try {
      const result = await runAttempt(options, claim, { signal, budget, watch });
      if (!(await claim.complete(result))) return;
      const seconds = secondsSince(start);
      const { pages, rendered, bundleBytes } = result;
      const facts = { jobId, attempt, pages, rendered, bundleBytes, seconds };
      options.log.info(facts, "A static export completed");
      options.metrics.jobEntered({ kind: kindOf(claim), state: "completed", seconds });
      options.metrics.pagesWritten({ rendered, cached: pages - rendered });
    } catch (failure) {
      if (revoked.aborted) {
        options.log.info(
          { jobId, attempt },
          "A static export was cancelled, or went to another worker",
        );
        // This worker is alive: if another one has the job, it was not the job that failed.
        return await claim.release().catch(() => undefined);
      }
      const error: unknown = shortage.aborted ? shortage.reason : watch.explain(failure);
      const { log, retryMs } = options;
      const fail = (sentence: string) =>
        failJob(options, claim, { sentence, err: error, seconds: secondsSince(start) });
      await handleFailure({ claim, name: "export", error, signals, log, retryMs, fail });
    }
  };
}

interface FailureDetails {
  readonly sentence: string;
  readonly err?: unknown;
  readonly seconds?: number;
}

async function failJob(
  { log, metrics }: StaticExportWorkerOptions,
  claim: ExportClaim,
  { sentence, err, seconds }: FailureDetails,
): Promise<void> {
  if (!(await claim.fail(sentence))) return;
  const { id: jobId, attempt } = claim.job;
  const level = err !== undefined && !isOctavoError(err) ? "error" : "info";
  log[level]({ jobId, attempt, seconds, error: sentence, err }, "A static export failed");
  metrics.jobEntered({
    kind: kindOf(claim),
    state: "failed",
    ...(seconds === undefined ? {} : { seconds }),
  });
}

function kindOf({ job }: ExportClaim): "preview" | "static_export" {
  return job.purpose === "preview" ? "preview" : "static_export";
}

/** To the millisecond. */
function secondsSince(start: number): number {
  return Math.round(performance.now() - start) / 1000;
}

interface AttemptOptions {
  readonly signal: AbortSignal;
  readonly budget: AttemptBudget;
  readonly watch: BudgetWatch;
}

async function runAttempt(
  options: StaticExportWorkerOptions,
  claim: ExportClaim,
  { signal, budget, watch }: AttemptOptions,
): Promise<CompletedExport> {
  const { job } = claim;
  signal.throwIfAborted();
  const again = job.attempt > 1 ? ` Attempt ${job.attempt}.` : "";
  await claim.logStage(`Checking out ${job.ref ?? "the default branch"}.${again}`, "checkout");
  await using folder = await openWorkFolder(join(options.workDir, `${job.id}-${job.attempt}`));
  const checkout = await options.checkout({
    project: {
      id: job.project_id,
      repository: job.repository,
      directory: job.directory,
      codeHost: job.code_host,
    },
    ref: job.ref,
    commit: job.commit,
    targetDir: join(folder.path, "checkout"),
    signal,
  });
  signal.throwIfAborted();
  await claim.recordCommit(checkout.commit);
  claim.reportProgress(progressAfter.checkout, job.page_count);
  await claim.logStage(`Rendering the site at ${checkout.commit.slice(0, 7)}.`, "rendering");

  const outFile = join(folder.path, `bundle.${job.format}`);
  let packing: Promise<void> | undefined;
  const { pages, rendered } = await options.renderSite({
    siteDir: checkout.dir,
    isNewFolder: true,
    outDir: join(folder.path, "site"),
    archive: { format: job.format, file: outFile },
    paths: job.paths ?? undefined,
    addresses: job.addresses ?? undefined,
    remoteScripts: job.remote_scripts ?? job.project_remote_scripts,
    baseUrl: `https://${job.domain}`,
    cacheDir: join(options.cacheDir, job.project_id),
    origin: checkout.origin,
    budget: { cpuMs: budget.cpuMs, memoryBytes: budget.memoryBytes },
    onProgress({ done, total }) {
      watch.notePages(total);
      claim.reportProgress(renderProgress(done, total), done, total);
    },
    onPacking({ pages: done, rendered: made }) {
      claim.reportProgress(progressAfter.render, done, done);
      const sentence = `Packing ${done} pages: ${made} rendered, ${done - made} from the cache.`;
      packing = claim.logStage(sentence, "packing");
      // It is waited for below; a failure that nobody hears until then would end the process.
      packing.catch(() => undefined);
    },
    signal,
  });
  await packing;
  signal.throwIfAborted();
  const packed = await hashBundle(outFile);
  claim.reportProgress(progressAfter.pack, pages);

  await claim.logStage(`Storing ${packed.bytes.toLocaleString("en")} bytes.`, "storing");
  const bundleKey = `bundles/${packed.sha256}.${job.format}`;
  await recordBundle(options.database, bundleKey);
  await options.storage.put(bundleKey, outFile);
  signal.throwIfAborted();
  claim.reportProgress(progressAfter.store, pages);
  return { bundleKey, bundleBytes: packed.bytes, pages, rendered };
}

function renderProgress(done: number, total: number): number {
  const { checkout, render } = progressAfter;
  const part = total > 0 ? Math.min(1, done / total) : 0;
  return Math.floor(checkout + part * (render - checkout));
}
