import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { openAuthor } from "../../test/support/git-fixture.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import { startService } from "../../test/support/service.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { progress } from "../progress.ts";
import { openCrowd } from "./crowd.ts";
import type { Crowd, CrowdOrganization, JobKind } from "./crowd.ts";

/** In milliseconds. */
export interface Wait {
  /** From the first time that any job ends after this one was submitted, until this one begins. */
  readonly afterFree: number;
  readonly running: number;
}

export interface Waits {
  readonly kind: JobKind;
  readonly nodes: number;
  readonly idle: readonly Wait[];
  readonly crowded: readonly Wait[];
}

const crowdSize = 10_000;
const crowdProjects = 20;
const probes = 8;
/** All slots are taken by then, and nothing is new to a node. */
const warmMs = 10_000;
const betweenMs = 1_000;

const pages = Array.from({ length: 20 }, (_, index) => [
  `page-${index}.mdx`,
  `---\ntitle: Page ${index}\n---\n\n${"Some words about the service. ".repeat(40)}\n`,
]);
const site = {
  "docs.json": JSON.stringify({
    name: "Docs",
    navigation: pages.map(([name]) => name?.slice(0, -4)),
  }),
  ...Object.fromEntries(pages),
};

/** How long a single job of one organization waits and takes, without others and behind 10,000 of another's. */
export async function measureWaits(nodes: number, slots: number): Promise<readonly Waits[]> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const repository = await openAuthor(`${folder.path}/repository`);
  await repository.commit(site);
  const address = `file://${folder.path}/repository`;
  const postgres = stack.use(await startPostgres());
  const url = await postgres.createDatabase();
  const env = {
    DATABASE_URL: url,
    OCTAVO_SECRET: "0123456789abcdef0123456789abcdef",
    OCTAVO_ALLOW: address,
    OCTAVO_EXPORT_SLOTS: String(slots),
    OCTAVO_AGENT_SLOTS: String(slots),
    OCTAVO_LOG_LEVEL: "error",
  };
  for (let index = 0; index < nodes; index += 1) {
    stack.use(await startService({ data: `${folder.path}/data`, isFirstStart: true, env }));
  }
  const crowd = stack.use(await openCrowd(url, folder.path, address));
  const single = await crowd.addOrganization(1);
  const found: Waits[] = [];
  for (const kind of ["static-export", "agent"] as const) {
    // The first one makes the mirror.
    await probe(crowd, single, kind);
    progress(`${kind} on ${nodes} nodes: nobody else`);
    const idle = await probeAgain(crowd, single, kind);
    progress(`${kind} on ${nodes} nodes: ${crowdSize} of another organization`);
    const many = await crowd.addOrganization(crowdProjects);
    await crowd.startMany(many, kind, crowdSize / crowdProjects);
    await sleep(warmMs);
    const crowded = await probeAgain(crowd, single, kind);
    found.push({ kind, nodes, idle, crowded });
    await cancelAll(crowd, many);
  }
  return found;
}

async function probeAgain(crowd: Crowd, single: CrowdOrganization, kind: JobKind): Promise<Wait[]> {
  const waits: Wait[] = [];
  while (waits.length < probes) {
    waits.push(await probe(crowd, single, kind));
    await sleep(betweenMs);
  }
  return waits;
}

const tables = {
  "static-export": {
    name: "static_export_jobs",
    ended: "completed_at",
    open: ["queued", "running"],
  },
  agent: { name: "agent_jobs", ended: "ended_at", open: ["active"] },
} as const;

async function probe(crowd: Crowd, single: CrowdOrganization, kind: JobKind): Promise<Wait> {
  const { name, ended, open } = tables[kind];
  const { kysely } = crowd.database;
  const id = await crowd.start(single, kind);
  // A slot that becomes free before the job's transaction ends goes to another job.
  const queued = await readClock(kysely);
  let began: number | undefined;
  for (;;) {
    const { rows } = await sql<{ attempt: number; status: string; now: Date; free: Date | null }>`
      select attempt, status, clock_timestamp() as now,
        (select min(other.${sql.ref(ended)}) from ${sql.table(name)} other
          where other.${sql.ref(ended)} >= ${queued} and other.id <> job.id) as free
      from ${sql.table(name)} job where id = ${id}`.execute(kysely);
    const [row] = rows;
    if (!row) throw new Error(`The job ${id} is gone.`);
    const now = row.now.getTime();
    if (row.attempt > 0) began ??= now;
    if (began !== undefined && !open.some((status) => status === row.status)) {
      if (row.status !== "completed") throw new Error(`The job ${id} is ${row.status}.`);
      return {
        afterFree: Math.max(0, began - (row.free?.getTime() ?? began)),
        running: now - began,
      };
    }
    await sleep(10);
  }
}

async function readClock(kysely: Crowd["database"]["kysely"]): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(kysely);
  return rows[0]?.now ?? new Date();
}

/** Cancels the remaining jobs of a crowd, which would slow down the next measurement. */
async function cancelAll(
  { database }: Crowd,
  { organizationId }: CrowdOrganization,
): Promise<void> {
  const failed = { status: "failed", error: "Cancelled by the benchmark." } as const;
  await database.kysely
    .updateTable("static_export_jobs")
    .set({ ...failed, completed_at: new Date() })
    .where("organization_id", "=", organizationId)
    .where("status", "in", ["queued", "running"])
    .execute();
  await database.kysely
    .updateTable("agent_jobs")
    .set({ ...failed, ended_at: new Date() })
    .where("organization_id", "=", organizationId)
    .where("status", "=", "active")
    .execute();
  await sql`delete from pgboss.job using queue_lanes
    where lane = priority and organization_id = ${organizationId} and state < 'active'`.execute(
    database.kysely,
  );
}
