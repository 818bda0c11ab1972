import type { FaultsDone } from "./faults.ts";
import type { JobChange } from "./observer.ts";
import { allChanges } from "./observer.ts";
import type { ReadCount } from "../publish/readers.ts";
import type { Acknowledged } from "./record.ts";
import type { Reviewers } from "./reviews.ts";
import type { World } from "./world.ts";

const endedPattern = /^(?:completed|failed|archived|ready|superseded)$/;

/** From the death of a worker to the next attempt at what it worked on, in seconds. */
export interface Redelivery {
  readonly kind: "killed" | "stopped";
  readonly seconds: readonly number[];
  /** The history of the job that was claimed last. */
  readonly longest: readonly string[];
}

/** Jobs that waited for something else then, or that their worker got rid of by itself, are not counted. */
function redeliveries(changes: readonly JobChange[], { nodes }: FaultsDone): Redelivery[] {
  const byJob = [...Map.groupBy(changes, ({ job }) => job).values()];
  return (["killed", "stopped"] as const).map((kind) => {
    const faults = nodes.filter((fault) => fault.kind === kind);
    const found = faults.flatMap(({ node, at }) =>
      byJob.flatMap((job) => {
        const before = job.findLast((change) => change.at <= at);
        if (before?.node !== node || before.waiting !== null || before.attempt === 0) return [];
        if (endedPattern.test(before.status)) return [];
        const next = job.find((change) => change.at > at && change.attempt > before.attempt);
        return next ? [{ job, node, at, seconds: (next.at.getTime() - at.getTime()) / 1000 }] : [];
      }),
    );
    found.sort((one, other) => one.seconds - other.seconds);
    const last = found.at(-1);
    const history = last?.job.map(
      ({ at, status, attempt, waiting, node }) =>
        `${at.toISOString()} ${status} ${attempt} ${node} ${waiting ?? ""}`,
    );
    return {
      kind,
      seconds: found.map(({ seconds }) => seconds),
      longest: last ? [`${last.node} at ${last.at.toISOString()}`, ...(history ?? [])] : [],
    };
  });
}

export interface FiguresOptions {
  readonly world: World;
  readonly record: Acknowledged;
  readonly reviewers: Reviewers;
  readonly faults: FaultsDone;
  readonly reads: ReadCount;
  /** How many of what was acknowledged were lost. */
  readonly losses: number;
}

/** Returns the events of the run as rows of a table. */
export async function readFigures(options: FiguresOptions): Promise<[string, string][]> {
  const { world, record, reviewers, faults, reads, losses } = options;
  const changes = await world.query<JobChange>(allChanges);
  const waits = changes.filter(({ waiting }) => waiting !== null).length;
  const open = world.github.pulls.filter(({ state }) => state === "open");
  const refused = world.nodes.reduce((sum, { refusals }) => sum + refusals.length, 0);
  const deaths = world.nodes.reduce((sum, { deaths }) => sum + deaths.length, 0);
  return [
    ...faults.counts,
    ["export jobs acknowledged", record.exports.length],
    ["agent jobs acknowledged", record.agentJobs.size],
    ["pushes acknowledged", record.pushes.length],
    ["merges acknowledged", record.merges.length],
    ["bundles brought and acknowledged", record.uploads.size],
    ["publications acknowledged", record.publications.length],
    ["pull requests of people", reviewers.pulls.length],
    ["heads of them", reviewers.pulls.reduce((sum, { heads }) => sum + heads.length, 0)],
    ["open at the end, with those of agents", open.length],
    ...reviewers.reports,
    ["statuses told", world.github.statuses.length],
    ["pages read", reads.pages + reads.kept],
    ["files of pages read", reads.files],
    ["requests that another node answered", reads.passedOn],
    ["pages and files refused", reads.refused],
    ["webhook messages received", world.receiver.received.length],
    ["times that a job waited", waits],
    ...[...record.refusals].map(
      ([name, count]) => [`refused and repeated: ${name}`, count] as const,
    ),
    ["starts refused while something was away", refused],
    ["losses", losses],
    ["nodes that died by themselves", deaths],
    ...redeliveries(changes, faults).flatMap(describeRedelivery),
  ].map(([name, value]) => [String(name), String(value)]);
}

function describeRedelivery({ kind, seconds, longest }: Redelivery): [string, string][] {
  const median = seconds[Math.floor((seconds.length - 1) / 2)];
  const name = `after a worker was ${kind}`;
  return [
    [`jobs taken up again ${name}`, String(seconds.length)],
    [`redelivery ${name}, p50`, shown(median)],
    [`redelivery ${name}, max`, shown(seconds.at(-1))],
    ...longest.map((line): [string, string] => [`longest redelivery ${name}`, line]),
  ];
}

function shown(seconds: number | undefined): string {
  return seconds === undefined ? "none" : `${seconds.toFixed(1)} s`;
}
