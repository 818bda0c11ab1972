import { join } from "node:path";
import { putEmptyDatabase } from "../../../../../test/support/empty-database.ts";
import { ampleSpace } from "../../../../../test/support/ample-space.ts";
import {
  createId,
  defaultQuotas,
  type OrganizationPlan,
  type Quotas,
  type SpaceWatch,
} from "../../core/index.ts";
import { openDatabase, type Database } from "../../db/index.ts";
import { createFileStorage, type Storage } from "../../storage/index.ts";
import { createMetrics, type Metrics } from "../../telemetry/index.ts";
import type { CheckOut, JobLog, RenderSite } from "../ports.ts";
import { openQueue, type JobQueue } from "../queue/queue.ts";
import { createJobAnnouncer, type JobAnnouncer } from "../webhooks/announce.ts";
import type { AttemptBudget } from "./build-bundle.ts";
import { createStaticExportWorker } from "./worker.ts";
import { openStaticExportChanges, type StaticExportChanges } from "./kind.ts";
import { createStaticExports, type ExportCaller, type StaticExports } from "./exports.ts";
import { createKeptCheckouts } from "./kept-checkouts.ts";
import { copyCheckout, plainRenderer } from "./plain-ports.test-support.ts";

/** A node of the service, reduced to static exports. */
export interface ExportTestNode extends AsyncDisposable {
  readonly database: Database;
  readonly changes: StaticExportChanges;
  readonly queue: JobQueue;
  readonly announcer: JobAnnouncer;
  readonly storage: Storage;
  readonly exports: StaticExports;
  readonly workDir: string;
  readonly metrics: Metrics;
  readonly quotas: Quotas;
}

export interface ExportTestNodeOptions {
  readonly dataDir: string;
  readonly url?: string | undefined;
  /** The database, which outlives the node. By default, the node opens its own. */
  readonly database?: Database | undefined;
  /** The number of workers. Defaults to 1. */
  readonly slots?: number;
  readonly renderSite?: RenderSite;
  readonly checkout?: CheckOut;
  readonly space?: SpaceWatch;
  readonly quotas?: Quotas;
  readonly budget?: AttemptBudget;
}

const quiet: JobLog = { info() {}, warn() {}, error() {} };

/** Opens the database at `url`, or an embedded database with all tables in `dataDir`. */
export async function openTestDatabase({
  dataDir,
  url,
}: Pick<ExportTestNodeOptions, "dataDir" | "url">): Promise<Database> {
  if (url === undefined) await putEmptyDatabase(dataDir);
  return await openDatabase({ dataDir, url });
}

export async function openExportNode(options: ExportTestNodeOptions): Promise<ExportTestNode> {
  const { dataDir, url, slots = 1, renderSite = plainRenderer(1) } = options;
  const { space = ampleSpace, quotas = defaultQuotas } = options;
  await using opening = new AsyncDisposableStack();
  const database = options.database ?? opening.use(await openTestDatabase({ dataDir, url }));
  const changes = opening.use(await openStaticExportChanges(database));
  const queue = opening.use(await openQueue({ database, log: quiet, isWorker: slots > 0 }));
  const storage = createFileStorage(join(dataDir, "storage"));
  const workDir = join(dataDir, "work");
  const metrics = createMetrics();
  const announcer = createJobAnnouncer({
    queue,
    toOrigin: (label) => `https://${label}.sites.example`,
    getRepositoryUrl: (id) => `https://docs.example/${id}`,
  });
  const run = createStaticExportWorker({
    database,
    announcer,
    changes,
    queue,
    storage,
    checkout: options.checkout ?? copyCheckout,
    renderSite,
    workDir,
    cacheDir: join(dataDir, "cache"),
    keptCheckouts: createKeptCheckouts({ folder: join(dataDir, "checkouts"), maxBytes: 1e6 }),
    log: quiet,
    metrics,
    space,
    quotas,
    budget: options.budget,
    retryMs: 10,
  });
  if (slots > 0) await queue.work("static-export", slots, run);
  const exports = createStaticExports({
    database,
    queue,
    changes,
    announcer,
    space,
    metrics,
    quotas,
  });
  const open = opening.move();
  return {
    database,
    changes,
    queue,
    announcer,
    storage,
    exports,
    workDir,
    metrics,
    quotas,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

export interface ExportTestProject extends ExportCaller {
  readonly domain: string;
}

/** Adds an organization with one project that reads `repository`. */
export async function addExportProject(
  { database }: { database: Database },
  repository: string,
  plan: OrganizationPlan = "enterprise",
): Promise<ExportTestProject> {
  const organizationId = createId("organization");
  await database.kysely
    .insertInto("organizations")
    .values({ id: organizationId, name: "Acme", plan })
    .execute();
  const { domain } = await addProjectTo(database, organizationId, repository);
  return { organizationId, projectId: null, domain };
}

/** Adds another project to an organization. */
export async function addProjectTo(
  { kysely }: Database,
  organizationId: string,
  repository: string,
): Promise<{ readonly id: string; readonly domain: string }> {
  const id = createId("project");
  const domain = `${id.replace("_", "-")}.example.com`;
  await kysely
    .insertInto("projects")
    .values({
      id,
      organization_id: organizationId,
      name: "Docs",
      domain,
      repository,
      ref: null,
      directory: ".",
      code_host: "local",
      model: null,
      credentials: null,
    })
    .execute();
  return { id, domain };
}
