import { setTimeout as sleep } from "node:timers/promises";
import { PgBoss } from "pg-boss";
import { createId } from "../../packages/octavo/src/core/index.ts";
import { openDatabase } from "../../packages/octavo/src/db/index.ts";
import type { Database } from "../../packages/octavo/src/db/index.ts";
import { openQueue } from "../../packages/octavo/src/jobs/index.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { copyEntry } from "./copies.ts";

/** Jobs a second that the nodes end. */
export interface Throughput {
  /** In the library's own order: the oldest first, whoever's it is. */
  readonly plain: number;
  readonly fair: number;
}

const nodes = 3;
const slots = 2;
const queued = 10_000;
const measureMs = 10_000;
const quiet = { info() {}, warn() {}, error() {} };

/**
 * Measures the cost of the rule for an organization alone on the service, with jobs of this length that need no CPU.
 */
export async function measureThroughput(jobMs: number): Promise<Throughput> {
  const plain = await measure(async (databases, run) => {
    const stack = new AsyncDisposableStack();
    for (const database of databases) {
      const boss = new PgBoss({
        db: database.queue,
        schedule: false,
        supervise: false,
        useListenNotify: true,
      });
      await boss.start();
      stack.defer(() => boss.stop({ graceful: false, close: false }));
      for (let slot = 0; slot < slots; slot += 1) {
        const id = await boss.work("static-export", { pollingIntervalSeconds: 60 }, async () => {
          await run();
          boss.notifyWorker(id);
        });
      }
    }
    return stack;
  }, jobMs);
  const fair = await measure(async (databases, run) => {
    const stack = new AsyncDisposableStack();
    for (const database of databases) {
      const queue = stack.use(await openQueue({ database, log: quiet, isWorker: true }));
      await queue.work("static-export", slots, run);
    }
    return stack;
  }, jobMs);
  return { plain, fair };
}

async function measure(
  work: (databases: readonly Database[], run: () => Promise<void>) => Promise<AsyncDisposable>,
  jobMs: number,
): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const postgres = stack.use(await startPostgres());
  const url = await postgres.createDatabase();
  const databases: Database[] = [];
  while (databases.length < nodes) {
    databases.push(stack.use(await openDatabase({ dataDir: folder.path, url })));
  }
  const [database] = databases;
  if (database) await fill(database);
  let ended = 0;
  const isOver = new AbortController();
  const working = stack.use(
    await work(databases, async () => {
      await sleep(jobMs);
      if (!isOver.signal.aborted) ended += 1;
    }),
  );
  const before = ended;
  const start = performance.now();
  await sleep(measureMs);
  isOver.abort();
  const seconds = (performance.now() - start) / 1_000;
  await working[Symbol.asyncDispose]();
  return (ended - before) / seconds;
}

/** Entries of one organization, as the queue makes them. */
async function fill(database: Database): Promise<void> {
  await using queue = await openQueue({ database, log: quiet, isWorker: false });
  const { kysely } = database;
  const [organizationId, projectId] = [createId("organization"), createId("project")];
  const names = { name: "Docs", domain: `${projectId}.example.com`, repository: "local" };
  await kysely
    .insertInto("organizations")
    .values({ id: organizationId, name: organizationId, plan: "enterprise" })
    .execute();
  await kysely
    .insertInto("projects")
    .values({
      ...names,
      id: projectId,
      organization_id: organizationId,
      directory: ".",
      code_host: "local",
    })
    .execute();
  const owner = { organizationId, projectId };
  await queue.enqueue(kysely, "static-export", "job", { owner });
  await copyEntry(kysely, "job", Array(queued).fill("job"));
}
