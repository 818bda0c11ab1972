import { join } from "node:path";
import { ampleSpace } from "../../../../../test/support/ample-space.ts";
import { defaultQuotas, type Quotas } from "../../core/index.ts";
import type { Database } from "../../db/index.ts";
import { createFileStorage } from "../../storage/index.ts";
import { createMetrics } from "../../telemetry/index.ts";
import type { CheckoutResult, RenderSite } from "../ports.ts";
import { openQueue } from "../queue/queue.ts";
import { createKeptCheckouts } from "../static-export/kept-checkouts.ts";
import { copyCheckout } from "../static-export/plain-ports.test-support.ts";
import { createJobAnnouncer } from "../webhooks/announce.ts";
import { createDeployments, type Deployments } from "./deployments.ts";
import { openDeploymentChanges } from "./kind.ts";
import { createDeploymentWorker } from "./worker.ts";

/** A node of the service, reduced to deployments. */
export interface DeploymentNode extends AsyncDisposable {
  readonly deployments: Deployments;
}

export interface DeploymentNodeOptions {
  /** The database, which outlives the node. */
  readonly database: Database;
  readonly dataDir: string;
  /** The number of workers. */
  readonly slots: number;
  readonly renderSite: RenderSite;
  readonly quotas?: Quotas;
  /** Reports whether everybody can read the repository, of which the service has credentials of its own. */
  readonly isPublic?: CheckoutResult["isPublic"];
}

/** Returns the origin of a host, as the nodes of these tests have it. */
export function toTestOrigin(label: string): string {
  return `https://${label}.sites.example`;
}

async function describeCommit() {
  return { subject: "Write the manual", author: "Ada" };
}

export async function openDeploymentNode({
  database,
  dataDir,
  slots,
  renderSite,
  quotas = defaultQuotas,
  isPublic,
}: DeploymentNodeOptions): Promise<DeploymentNode> {
  await using opening = new AsyncDisposableStack();
  const log = { info() {}, warn() {}, error() {} };
  const queue = opening.use(await openQueue({ database, log, isWorker: slots > 0 }));
  const changes = opening.use(await openDeploymentChanges(database));
  const announcer = createJobAnnouncer({
    queue,
    getRepositoryUrl: (id) => `https://docs.example/${id}`,
    toOrigin: toTestOrigin,
  });
  const metrics = createMetrics();
  const shared = { database, queue, changes, announcer, space: ampleSpace, metrics, quotas };
  const run = createDeploymentWorker({
    ...shared,
    storage: createFileStorage(join(dataDir, "storage")),
    async checkout(request) {
      return { ...(await copyCheckout(request)), describe: describeCommit, isPublic };
    },
    renderSite,
    workDir: join(dataDir, "work"),
    cacheDir: join(dataDir, "cache"),
    keptCheckouts: createKeptCheckouts({ folder: join(dataDir, "checkouts"), maxBytes: 1e6 }),
    log,
    retryMs: 10,
  });
  if (slots > 0) await queue.work("deployment", slots, run);
  const open = opening.move();
  return {
    deployments: createDeployments(shared),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
