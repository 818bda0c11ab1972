import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AddressForm } from "@octavo/site/core";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import { sql } from "kysely";
import type { Quotas } from "../../core/index.ts";
import type { Database } from "../../db/index.ts";
import type { Storage } from "../../storage/index.ts";
import type { Metrics } from "../../telemetry/index.ts";
import type { ClaimedProject } from "../lifecycle/job-claim.ts";
import type { QuotaScope } from "../lifecycle/job-kind.ts";
import type { JobAttempt } from "../lifecycle/job-worker.ts";
import { checkPages } from "../lifecycle/quotas.ts";
import type { CheckoutResult, CheckOut, RenderedSite, RenderSite } from "../ports.ts";
import type { KeptCheckouts } from "./kept-checkouts.ts";
import { createLogChange, type ExportTypes } from "./kind.ts";
import { openProgress, type ExportStage } from "./progress.ts";

export interface BuildOptions {
  readonly database: Database;
  readonly storage: Storage;
  readonly checkout: CheckOut;
  readonly renderSite: RenderSite;
  /** The folder for cached pages, which builds share. It contains a folder for each project. */
  readonly cacheDir: string;
  readonly keptCheckouts: KeptCheckouts;
  readonly metrics: Pick<Metrics, "pagesWritten">;
  readonly quotas: Quotas;
  /** Defaults to `defaultBudget`. */
  readonly budget?: AttemptBudget | undefined;
}

/** The columns in which jobs that build a bundle report their progress. */
type BuildChanges = Pick<ExportTypes["Changes"], "progress" | "page_count" | "total_pages" | "log">;

/** A bundle to build, for one attempt of a job. */
interface BuildRequest extends Pick<JobAttempt<never>, "signal" | "openFolder"> {
  readonly job: {
    readonly project_id: string;
    readonly ref: string | null;
    /** The commit that an earlier attempt recorded. */
    readonly commit: string | null;
    readonly attempt: number;
    readonly page_count: number;
  };
  readonly project: ClaimedProject;
  readonly format: "tar.gz" | "zip";
  /** Defaults to all pages. */
  readonly paths?: readonly string[] | undefined;
  readonly addresses?: AddressForm | undefined;
  readonly remoteScripts: readonly string[];
  readonly baseUrl?: string | undefined;
  /** Writes to the job. Throws if the job is lost. */
  readonly write: (changes: BuildChanges) => Promise<void>;
  /** Records the commit that this attempt and every later one build. */
  readonly onCheckedOut: (checkout: CheckoutResult) => Promise<void>;
}

/** A bundle in the storage. */
export interface BuiltBundle extends RenderedSite {
  readonly bundleKey: string;
  readonly bundleBytes: number;
}

/** The progress in percent after each step. */
const progressAfter = { checkout: 3, render: 90, pack: 97, store: 99 } as const;

/**
 * Checks out a commit, renders and packs its site, and stores the bundle under its hash. Throws `too_large` if the
 * attempt exceeds its budget, and names the setting that raises it.
 */
export async function buildBundle(
  options: BuildOptions,
  request: BuildRequest,
): Promise<BuiltBundle> {
  const { budget = defaultBudget, quotas } = options;
  using watch = watchBudget(budget, { plan: request.project.plan, quotas });
  const signal = AbortSignal.any([request.signal, watch.signal]);
  try {
    const built = await buildWithinBudget(options, { ...request, signal }, watch);
    const { pages, rendered } = built;
    options.metrics.pagesWritten({ rendered, cached: pages - rendered });
    return built;
  } catch (error) {
    throw watch.explain(error);
  }
}

async function buildWithinBudget(
  options: BuildOptions,
  request: BuildRequest,
  watch: BudgetWatch,
): Promise<BuiltBundle> {
  const { budget = defaultBudget } = options;
  const { job, project, format, signal, write } = request;
  const logStage = (stage: ExportStage, text: string) => write(createLogChange({ text, stage }));
  const attemptNote = job.attempt > 1 ? ` Attempt ${job.attempt}.` : "";
  const ref = job.ref ?? "the default branch";
  await logStage("checkout", `Checking out ${ref}.${attemptNote}`);
  await using folder = await request.openFolder();
  await using progress = openProgress(write);
  const outFile = join(folder.path, `bundle.${format}`);
  const checkoutFolder = join(folder.path, "checkout");
  const site = {
    id: job.project_id,
    repository: project.repository,
    directory: project.directory,
    codeHost: project.code_host,
  };
  let packingLog: Promise<void> | undefined;
  let diskBytes: number | undefined;

  async function checkOut(): Promise<CheckoutResult> {
    await options.keptCheckouts.take(site, checkoutFolder);
    const { ref: name, commit } = job;
    const requested = { project: site, ref: name, commit, folder: checkoutFolder, signal };
    const checkout = await options.checkout(requested);
    diskBytes = checkout.diskBytes;
    signal.throwIfAborted();
    await request.onCheckedOut(checkout);
    progress.report(progressAfter.checkout, job.page_count);
    await logStage("rendering", `Rendering the site at ${checkout.commit.slice(0, 7)}.`);
    return checkout;
  }
  const rendered = await options.renderSite({
    cacheDir: join(options.cacheDir, job.project_id),
    signal,
    async prepare() {
      const { dir, origin } = await checkOut();
      return {
        siteDir: dir,
        isNewFolder: true,
        outDir: join(folder.path, "site"),
        archive: { format, file: outFile },
        paths: request.paths,
        addresses: request.addresses,
        remoteScripts: request.remoteScripts,
        baseUrl: request.baseUrl,
        origin,
        budget: { cpuMs: budget.cpuMs, memoryBytes: budget.memoryBytes },
        onProgress({ done, total }) {
          watch.notePages(total);
          progress.report(computeRenderProgress(done, total), done, total);
        },
        onPacking({ pages, rendered: renderedPages }) {
          progress.report(progressAfter.render, pages, pages);
          const sentence = `Packing ${pages} pages: ${renderedPages} rendered, ${pages - renderedPages} from the cache.`;
          packingLog = logStage("packing", sentence);
          // The promise is awaited below. Until then, an unhandled rejection would terminate the process.
          packingLog.catch(() => undefined);
        },
      };
    },
  });
  await packingLog;
  if (diskBytes !== undefined) {
    await options.keptCheckouts.keep(site, checkoutFolder, diskBytes);
  }
  signal.throwIfAborted();
  const { bytes: bundleBytes, sha256 } = await hashBundle(outFile);
  progress.report(progressAfter.pack, rendered.pages);
  await logStage("storing", `Storing ${bundleBytes.toLocaleString("en")} bytes.`);
  const bundleKey = `bundles/${sha256}.${format}`;
  await storeBundle(options, bundleKey, outFile);
  signal.throwIfAborted();
  progress.report(progressAfter.store, rendered.pages);
  return { ...rendered, bundleKey, bundleBytes };
}

async function storeBundle(
  { database, storage }: BuildOptions,
  key: string,
  file: string,
): Promise<void> {
  await recordBundle(database, key);
  await storage.put(key, file);
}

function computeRenderProgress(done: number, total: number): number {
  const { checkout, render } = progressAfter;
  const fraction = total > 0 ? Math.min(1, done / total) : 0;
  return Math.floor(checkout + fraction * (render - checkout));
}

/** The resources that one attempt of an export may use. */
export interface AttemptBudget {
  /** Milliseconds from the attempt's start until its bundle is stored. */
  readonly wallMs: number;
  /** Milliseconds of CPU time for all processes that render its pages. */
  readonly cpuMs: number;
  readonly memoryBytes: number;
}

/**
 * The default budget, which is enough for a site of 100,000 pages. An attempt ends before the queue gives the job to
 * another worker.
 */
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

const settingsByBudget: Readonly<Record<string, string>> = {
  cpu: "OCTAVO_EXPORT_CPU_MINUTES",
  memory: "OCTAVO_EXPORT_MEMORY_MB",
};

function watchBudget(
  { wallMs }: AttemptBudget,
  scope: Pick<QuotaScope, "plan" | "quotas">,
): BudgetWatch {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(createTimeLimitError(wallMs)), wallMs).unref();
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
      const setting = settingsByBudget[String(error.details["budget"])];
      if (setting === undefined) return error;
      return new OctavoError("too_large", `${error.message} ${formatAdvice(setting)}`, {
        cause: error,
      });
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
    },
  };
}

function createTimeLimitError(wallMs: number): OctavoError {
  const time = wallMs < 60_000 ? `${wallMs / 1_000} s` : `${Math.round(wallMs / 60_000)} minutes`;
  return new OctavoError(
    "too_large",
    `The export has reached the time limit of ${time}. ${formatAdvice("OCTAVO_EXPORT_MINUTES")}`,
  );
}

function formatAdvice(setting: string): string {
  return `Export part of the site with \`paths\`, or ask the operator to raise ${setting}.`;
}

interface HashedBundle {
  readonly bytes: number;
  /** The hash as 64 lowercase hexadecimal digits. */
  readonly sha256: string;
}

/**
 * Hashes a bundle. The hash becomes the bundle's name in the storage, so it is not left to the process that renders
 * authors' content, which is not trusted. Throws if the file is a symbolic link.
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

/** The `stored_at` of a bundle whose file is being removed. */
export const removalMark = new Date(0);

const pollIntervalMs = 50;
/**
 * The time after which a removal mark is abandoned. The storage finishes a removal within 25 seconds, so an older mark
 * means that the removal crashed.
 */
const removalTimeoutMs = 30_000;

/**
 * Records that a bundle is about to be stored under `key`, so that retention knows the file and treats it as new. Waits
 * while an older file with the same bytes is being removed.
 */
export async function recordBundle({ kysely }: Database, key: string): Promise<void> {
  for (const deadline = Date.now() + removalTimeoutMs; ; await sleep(pollIntervalMs)) {
    const isWaiting = Date.now() < deadline;
    // Uses the database's clock, as retention does.
    const stored_at = sql<Date>`now()`;
    const row = await kysely
      .insertInto("bundles")
      .values({ key, stored_at })
      .onConflict((conflict) => {
        const update = conflict.column("key").doUpdateSet({ stored_at });
        return isWaiting ? update.where("bundles.stored_at", ">", removalMark) : update;
      })
      .returning("key")
      .executeTakeFirst();
    if (row) return;
  }
}
