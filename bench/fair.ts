import { measureThroughput } from "./fair/throughput.ts";
import type { Throughput } from "./fair/throughput.ts";
import { measureWaits } from "./fair/waits.ts";
import type { Wait, Waits } from "./fair/waits.ts";
import { progress } from "./progress.ts";
import type { Limit, Section } from "./results.ts";
import { median } from "./statistics.ts";
import { table } from "./table.ts";

const jobMs = 100;
const rounds = 3;
const limits = { afterFreeMs: 2_000, timesIdle: 2, throughput: 0.95 } as const;

/**
 * Measures how one organization's queue of 10,000 jobs delays another's single job, and the cost of the rule for the
 * first.
 */
export async function benchFair(): Promise<Section> {
  const throughputs: Throughput[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    progress(`throughput with and without turns, ${round} of ${rounds}`);
    throughputs.push(await measureThroughput(jobMs));
  }
  // As many exports at once as two cores have room for beside the services.
  const waits = [...(await measureWaits(1, 2)), ...(await measureWaits(3, 1))];
  const share = median(throughputs.map(({ plain, fair }) => fair / plain));
  return {
    title: "Fair shares",
    limits: [
      ...waits.flatMap(limitsOf),
      {
        name: "jobs a second of one organization, of the library's own order",
        limit: `at least ${limits.throughput}`,
        measured: share.toFixed(3),
        holds: share >= limits.throughput,
      },
    ],
    body: `${waitTable(waits)}\n\n${throughputTable(throughputs)}`,
  };
}

function limitsOf({ kind, nodes, idle, crowded }: Waits): Limit[] {
  const afterFree = Math.max(...crowded.map((wait) => wait.afterFree));
  const times = runningOf(crowded) / runningOf(idle);
  const where = `${kind} behind 10,000 of another organization, ${nodes} nodes`;
  return [
    {
      name: `${where}: start after a slot is free, longest`,
      limit: `under ${limits.afterFreeMs} ms`,
      measured: `${afterFree} ms`,
      holds: afterFree < limits.afterFreeMs,
    },
    {
      name: `${where}: time to run, of the time on an idle service`,
      limit: `at most ${limits.timesIdle}`,
      measured: times.toFixed(2),
      holds: times <= limits.timesIdle,
    },
  ];
}

function runningOf(waits: readonly Wait[]): number {
  return median(waits.map(({ running }) => running));
}

function waitTable(waits: readonly Waits[]): string {
  const rows = waits.map(({ kind, nodes, idle, crowded }) => {
    const delays = crowded.map(({ afterFree }) => afterFree);
    return [
      kind,
      String(nodes),
      `${runningOf(idle).toFixed(0)} ms`,
      `${runningOf(crowded).toFixed(0)} ms`,
      `${median(delays).toFixed(0)} ms`,
      `${Math.max(...delays).toFixed(0)} ms`,
    ];
  });
  const head = ["job", "nodes", "runs alone", "runs in the crowd", "start after free", "longest"];
  return table(head, rows);
}

function throughputTable(throughputs: readonly Throughput[]): string {
  const rows = throughputs.map(({ plain, fair }) => [
    plain.toFixed(1),
    fair.toFixed(1),
    (fair / plain).toFixed(3),
  ]);
  const head = [`jobs of ${jobMs} ms a second, oldest first`, "in turn", "ratio"];
  return table(head, rows);
}
