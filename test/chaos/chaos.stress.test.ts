import assert from "node:assert/strict";
import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { createRandom } from "../support/random.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runFaults } from "./faults.ts";
import { readFigures } from "./figures.ts";
import { findDoubles, findLosses, settle } from "./invariants.ts";
import { findLeftFiles, findLeftObjects } from "./leftovers.ts";
import { addProjects, runLoad } from "./load.ts";
import { startChaosReaders } from "./publishing.ts";
import { newRecord } from "./record.ts";
import { openReviewers } from "./reviews.ts";
import { findUnpublished } from "./unpublished.ts";
import { findUnreviewed } from "./unreviewed.ts";
import { openWorld } from "./world.ts";

/**
 * Two nodes of the API and three workers without a common folder, on PostgreSQL and S3, are used while everything
 * fails that can. What holds at the end is what was acknowledged.
 *
 * `npm run test:chaos` goes on for half an hour, or for `OCTAVO_TEST_MINUTES`, by a new seed, which is printed;
 * `OCTAVO_TEST_SEED` sets it.
 */
const isLong = process.env["OCTAVO_TEST_ALL"] === "1";
const seed = Number(process.env["OCTAVO_TEST_SEED"] ?? (isLong ? Date.now() % 2 ** 31 : 1));
/** In the short run faults come once each, and for as long as that takes. */
const forMs = isLong ? Number(process.env["OCTAVO_TEST_MINUTES"] ?? 30) * 60_000 : 0;
const names = ["api-1", "api-2", "worker-1", "worker-2", "worker-3"];
/** Repositories elsewhere are asked as often as the service allows. */
const env = { OCTAVO_REPOSITORY_POLL_MINUTES: "1" };
const times = isLong ? { faultMs: 4_000, pauseMs: 3_000 } : { faultMs: 1_200, pauseMs: 700 };

test(
  "nodes without a common folder lose nothing and do nothing twice, whatever fails",
  { timeout: forMs + 900_000 },
  async (t) => {
    t.diagnostic(`seed ${seed}`);
    const logs = join(tmpdir(), `octavo-chaos-${process.pid}`);
    await mkdir(logs, { recursive: true });
    try {
      await runChaos(t, logs);
    } catch (error) {
      t.diagnostic(`What the nodes wrote is in ${logs}`);
      throw error;
    }
    await rm(logs, { recursive: true });
  },
);

async function runChaos(t: TestContext, logs: string): Promise<void> {
  await using folder = await temporaryFolder();
  await using world = await openWorld({ folder: folder.path, logs, names, env });
  if (!world.smallDisk) t.diagnostic("No disk is filled: the system mounts none for this user");
  const projects = await addProjects(world);
  const record = newRecord();
  const reviewed = { world, record, projectId: projects.github.id, seed: -seed };
  const reviewers = await openReviewers(reviewed);
  const over = new AbortController();
  await using readers = startChaosReaders(world, seed);
  const load = Promise.all([
    runLoad({ world, projects, record, seed, over: over.signal }),
    reviewers.run(over.signal),
  ]);
  const random = createRandom(seed);
  const ending = AbortSignal.timeout(Math.max(1, forMs));
  const failing = runFaults({ world, random, ...times, over: ending });
  // A load that fails ends the test at once.
  const faults = await Promise.race([failing, load.then(() => failing)]);
  over.abort();
  await load;
  for (const node of world.nodes) await node.untilReady();

  const outcome = { world, projects, record, reviewers };
  const unsettled = await settle(outcome);
  const losses = await findLosses(outcome);
  const doubles = await findDoubles(outcome);
  const unreviewed = await findUnreviewed(outcome);
  const unpublished = await findUnpublished(outcome);
  const figures = await readFigures({
    world,
    record,
    reviewers,
    faults,
    reads: readers.count,
    losses: losses.length,
  });
  for (const [name, value] of figures) t.diagnostic(`${name}: ${value}`);
  assert.deepEqual(
    {
      unsettled,
      losses,
      doubles,
      unreviewed,
      unpublished,
      wrong: [...record.wrong, ...readers.faults],
      deaths: world.nodes.flatMap(({ deaths }) => deaths),
    },
    {
      unsettled: [],
      losses: [],
      doubles: [],
      unreviewed: [],
      unpublished: [],
      wrong: [],
      deaths: [],
    },
  );
  assert.deepEqual(await findLeftFiles(world), []);
  assert.deepEqual(await findLeftObjects(world), []);
}
