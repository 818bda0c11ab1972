import { join } from "node:path";
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { sql } from "kysely";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import type { Quotas } from "../../core/index.ts";
import type { Storage } from "../../storage/index.ts";
import type { Metrics } from "../../telemetry/index.ts";
import type { JobClaim } from "../lifecycle/job-claim.ts";
import {
  createJobWorker,
  type JobAttempt,
  type JobWorkerOptions,
} from "../lifecycle/job-worker.ts";
import { checkBundle, checkPages } from "../lifecycle/quotas.ts";
import type { CheckOut, RenderSite } from "../ports.ts";
import type { RunJob } from "../queue/dispatcher.ts";
import type { QuotaScope } from "../lifecycle/job-kind.ts";
import { recordBundle } from "./bundle-record.ts";
import { logChange, staticExportKind, type ExportTypes } from "./kind.ts";
import { openProgress, type ExportStage } from "./progress.ts";

export interface StaticExportWorkerOptions extends JobWorkerOptions {
  readonly storage: Storage;
  readonly checkout: CheckOut;
  readonly renderSite: RenderSite;
  /** The folder for cached pages, which exports share. It contains a folder for each project. */
  readonly cacheDir: string;
  readonly metrics: Pick<Metrics, "jobEntered" | "pagesWritten">;
  readonly quotas: Quotas;
  /** Defaults to `defaultBudget`. */
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
  // This attempt and every later one export this commit.
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
      // The promise is awaited below. Until then, an unhandled rejection would terminate the process.
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

/** The resources that one attempt of an export may use. */
export interface AttemptBudget {
  /** Milliseconds from the attempt's start until its bundle is stored. */
  readonly wallMs: number;
  /** Milliseconds of CPU time for all processes that render its pages. */
  readonly cpuMs: number;
  readonly memoryBytes: number;
}

/** Enough for a site of 100,000 pages. An attempt ends before the queue gives the job to another worker. */
const defaultBudget: AttemptBudget = {
  wallMs: 60 * 60_000,
  cpuMs: 240 * 60_000,
  memoryBytes: 8e9,
};

/** Watches an attempt's use of resources until it is disposed of. */
interface BudgetWatch extends Disposable {
  /** Aborts with `too_large` when a budget or quota is exceeded. */
  readonly signal: AbortSignal;
  /** Records the export's number of pages once it is known. */
  readonly notePages: (total: number) => void;
  /** Converts an error of the attempt. If a budget was exceeded, names the setting that raises it. */
  readonly explain: (error: unknown) => unknown;
}

const settingOf: Readonly<Record<string, string>> = {
  cpu: "OCTAVO_EXPORT_CPU_MINUTES",
  memory: "OCTAVO_EXPORT_MEMORY_MB",
};

function watchBudget(
  { wallMs }: AttemptBudget,
  scope: Pick<QuotaScope, "plan" | "quotas">,
): BudgetWatch {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(tookTooLong(wallMs)), wallMs).unref();
  return {
    signal: controller.signal,
    notePages(total) {
      try {
        checkPages(total, scope);
      } catch (error) {
        controller.abort(error);
      }
    },
    explain(failure) {
      const error: unknown = controller.signal.aborted ? controller.signal.reason : failure;
      if (!isOctavoError(error, "too_large")) return error;
      const setting = settingOf[String(error.details["budget"])];
      if (setting === undefined) return error;
      return new OctavoError("too_large", `${error.message} ${advice(setting)}`, { cause: error });
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
    },
  };
}

function tookTooLong(wallMs: number): OctavoError {
  const time = wallMs < 60_000 ? `${wallMs / 1_000} s` : `${Math.round(wallMs / 60_000)} minutes`;
  return new OctavoError(
    "too_large",
    `The export has reached the time limit of ${time}. ${advice("OCTAVO_EXPORT_MINUTES")}`,
  );
}

function advice(setting: string): string {
  return `Export part of the site with \`paths\`, or ask the operator to raise ${setting}.`;
}

interface HashedBundle {
  readonly bytes: number;
  /** The hash as 64 lowercase hexadecimal digits. */
  readonly sha256: string;
}

/**
 * Hashes a bundle. The hash becomes the bundle's name in the storage, so it is computed here, because the process that
 * renders authors' content is not trusted. Throws if the file is a symbolic link.
 */
export async function hashBundle(file: string): Promise<HashedBundle> {
  await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of handle.createReadStream({
    autoClose: false,
  }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}
