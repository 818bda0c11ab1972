import { join } from "node:path";
import { ampleSpace } from "../../../../../test/support/ample-space.ts";
import { defaultQuotas } from "../../core/index.ts";
import type { Quotas } from "../../core/index.ts";
import type { Database } from "../../db/index.ts";
import { openQueue } from "../queue/queue.ts";
import { createJobAnnouncer } from "../webhooks/announce.ts";
import { openJobChanges } from "./job-changes.ts";
import type { JobClaimOptions } from "./job-claim.ts";
import type { JobKind, JobTypes } from "./job-kind.ts";
import { createJobStore } from "./job-store.ts";
import type { JobStore } from "./job-store.ts";
import { createJobWorker } from "./job-worker.ts";
import type { DoWork } from "./job-worker.ts";

/** A node of the service, reduced to one kind of job. */
export interface KindNode<T extends JobTypes> extends JobClaimOptions, AsyncDisposable {
  readonly store: JobStore<T>;
}

export interface KindNodeOptions<T extends JobTypes> {
  /** The database, which outlives the node. */
  readonly database: Database;
  readonly dataDir: string;
  /** By default, the node has no worker. */
  readonly work?: DoWork<T> | undefined;
  readonly quotas?: Quotas | undefined;
}

export async function openKindNode<T extends JobTypes>(
  kind: JobKind<T>,
  { database, dataDir, work, quotas = defaultQuotas }: KindNodeOptions<T>,
): Promise<KindNode<T>> {
  await using opening = new AsyncDisposableStack();
  const log = { info() {}, warn() {}, error() {} };
  const isWorker = work !== undefined;
  const queue = opening.use(await openQueue({ database, log, isWorker, names: [kind.queue] }));
  const changes = opening.use(await openJobChanges(database, kind));
  const announcer = createJobAnnouncer({
    queue,
    toOrigin: (label) => `https://${label}.sites.example`,
    getRepositoryUrl: () => "https://docs.example",
  });
  const metrics = { jobEntered() {} };
  const shared = { database, queue, changes, announcer, space: ampleSpace, metrics };
  if (work) {
    const workDir = join(dataDir, "work");
    const run = createJobWorker(kind, { ...shared, workDir, log, retryMs: 10 }, work);
    await queue.work(kind.queue, 1, run);
  }
  const open = opening.move();
  return {
    ...shared,
    store: createJobStore(kind, { ...shared, quotas }),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
