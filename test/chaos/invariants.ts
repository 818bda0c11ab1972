import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { patienceMs } from "../support/patience.ts";
import type { ChaosProjects } from "./load.ts";
import { jobsLeft, readCommits } from "./load.ts";
import type { JobChange } from "./observer.ts";
import { allChanges } from "./observer.ts";
import type { Acknowledged } from "./record.ts";
import type { Reviewers } from "./reviews.ts";
import type { World } from "./world.ts";

export interface Outcome {
  readonly world: World;
  readonly projects: ChaosProjects;
  readonly record: Acknowledged;
  readonly reviewers: Reviewers;
}

const ended = new Set(["completed", "failed", "archived", "ready", "superseded"]);

interface JobRow {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly waiting_for: string | null;
}

async function readJobs({ world }: Outcome): Promise<Map<string, JobRow>> {
  const rows = await world.query<JobRow & Record<string, unknown>>(
    `select id, status, error, waiting_for from static_export_jobs
      union all select id, status, error, waiting_for from agent_jobs`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

function acknowledgedJobs({ record }: Outcome): string[] {
  return [...record.exports, ...record.agentJobs.keys()];
}

/** Waits until all jobs have ended; gives those that have not after a long time, and what became of others. */
export async function settle(outcome: Outcome): Promise<string[]> {
  let until = Date.now() + patienceMs;
  for (let fewest = Infinity; ; await wait(500)) {
    const jobs = await readJobs(outcome);
    const rows = acknowledgedJobs(outcome).map((id) => jobs.get(id) ?? { id, status: "lost" });
    const open = rows.filter(({ status }) => status !== "lost" && !ended.has(status));
    if (open.length === 0 || Date.now() > until) {
      return rows.filter(({ status }) => status !== "completed").map((row) => JSON.stringify(row));
    }
    if (open.length < fewest) until = Date.now() + patienceMs;
    fewest = Math.min(fewest, open.length);
  }
}

/** Whatever was told, and is not so. */
export async function findLosses(outcome: Outcome): Promise<string[]> {
  return [
    ...(await findLostCommits(outcome)),
    ...(await findWrongBundles(outcome)),
    ...(await findUntold(outcome)),
  ];
}

async function findLostCommits({ world, projects, record }: Outcome): Promise<string[]> {
  const faults: string[] = [];
  for (const { id } of [projects.scripted, projects.recipes, projects.limited]) {
    const [one, two] = await Promise.all(world.apis.map((node) => readCommits(world, id, node)));
    if (!one || one.refs !== two?.refs) faults.push(`Two nodes give other refs of ${id}.`);
    for (const { all } of [one, two].filter((found) => found !== undefined)) {
      const lost = record.pushes.filter((push) => push.projectId === id && !all.has(push.commit));
      faults.push(...lost.map(({ commit }) => `The push of ${commit} to ${id} is lost.`));
    }
    const merged = record.merges.filter(({ projectId }) => projectId === id);
    const lost = merged.filter(({ head }) => one && !one.main.has(head));
    faults.push(...lost.map(({ number }) => `The merge of ${number} of ${id} is lost.`));
  }
  return faults;
}

/** Finds bundles whose content does not have the hash that their keys name. */
async function findWrongBundles({ world, record }: Outcome): Promise<string[]> {
  const faults: string[] = [];
  const rows = await world.query<{ id: string; bundle_key: string }>(
    "select id, bundle_key from static_export_jobs where bundle_key is not null and id = any($1)",
    [record.exports],
  );
  for (const [index, { id, bundle_key: key }] of rows.entries()) {
    const node = world.apis[index % world.apis.length];
    const headers = { authorization: `Bearer ${world.key}` };
    const path = `/v1/static-export/jobs/${id}/bundle`;
    const answer = await fetch(new URL(path, node?.url), { method: "POST", headers });
    const { bundleUrl } = (await answer.json()) as { bundleUrl?: string };
    if (bundleUrl === undefined) {
      faults.push(`There is no link to the bundle of ${id}: ${answer.status}.`);
      continue;
    }
    const bytes = Buffer.from(await (await fetch(bundleUrl)).arrayBuffer());
    const hash = createHash("sha256").update(bytes).digest("hex");
    if (!key.includes(hash)) faults.push(`The bundle of ${id} is not the one of ${key}.`);
  }
  return faults;
}

/** Each end of a job is told once: in the database, and to the webhook whatever number of times with one ID. */
async function findUntold(outcome: Outcome): Promise<string[]> {
  const { world } = outcome;
  const jobs = await readJobs(outcome);
  const until = Date.now() + patienceMs;
  const pending = "select id from webhook_deliveries where state = 'pending' and attempts < 2";
  while ((await world.query(pending)).length > 0 && Date.now() < until) await wait(500);
  const ids = Map.groupBy(world.receiver.received, ({ body }) =>
    String(body.data["jobId"] ?? body.data["id"]),
  );
  const told = (id: string) =>
    new Set((ids.get(id) ?? []).map(({ headers }) => String(headers["webhook-id"]))).size;
  return acknowledgedJobs(outcome)
    .filter((id) => ended.has(jobs.get(id)?.status ?? "") && told(id) !== 1)
    .map((id) => `The end of ${id} was told by ${told(id)} messages.`);
}

/** Whatever is there twice. */
export async function findDoubles(outcome: Outcome): Promise<string[]> {
  const { world, projects } = outcome;
  const doubles: string[] = [];
  const ends = Map.groupBy(await readEnds(world), ({ job }) => job);
  for (const [job, changes] of ends) {
    if (changes.length > 1) doubles.push(`${job} ended ${changes.length} times.`);
  }
  const pulls = await world.query<{ head: string }>(
    "select head from pull_requests group by project_id, head having count(*) > 1",
  );
  doubles.push(...pulls.map(({ head }) => `${head} has more than one pull request.`));
  const others = Map.groupBy(world.github.pulls, ({ head }) => head);
  for (const [head, { length }] of others) {
    if (length > 1) doubles.push(`${head} has ${length} pull requests on GitHub.`);
  }
  const acknowledged = new Set(acknowledgedJobs(outcome));
  const jobs = await world.query<{ id: string }>(
    "select id from static_export_jobs where purpose = 'export' union all select id from agent_jobs",
  );
  for (const { id } of jobs) {
    // Each call was repeated with its key until it was acknowledged.
    if (!acknowledged.has(id)) doubles.push(`${id} was made beside the one that was acknowledged.`);
  }
  const [limited] = await world.query<{ count: number }>(
    "select count(*)::int as count from agent_jobs where project_id = $1",
    [projects.limited.id],
  );
  if ((limited?.count ?? 0) > jobsLeft) {
    doubles.push(`A project with ${jobsLeft} jobs left has ${limited?.count}.`);
  }
  return doubles;
}

async function readEnds(world: World): Promise<JobChange[]> {
  const changes = await world.query<JobChange>(allChanges);
  const last = new Map<string, string>();
  return changes.filter(({ job, status }) => {
    const isEnd = ended.has(status) && last.get(job) !== status;
    last.set(job, status);
    return isEnd;
  });
}
