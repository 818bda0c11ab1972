import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { putEmptyDatabase } from "../support/empty-database.ts";
import { createRandom } from "../support/random.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { findFaults } from "./check-state.ts";
import type { Acknowledged } from "./load.ts";
import { cutPower } from "./power-cuts.ts";
import type { CutOptions } from "./power-cuts.ts";
import { recordLoad } from "./recording.ts";
import type { Recording } from "./recording.ts";

/**
 * Records the embedded database's file operations under load, and derives states that a disk could
 * be in after a loss of power. Each must open undamaged and with every acknowledged row.
 *
 * `npm run test:power` makes 500 states by a new seed, which is printed; `OCTAVO_TEST_SEED` sets it.
 */
const isLong = process.env["OCTAVO_TEST_ALL"] === "1";
const seed = Number(process.env["OCTAVO_TEST_SEED"] ?? (isLong ? Date.now() % 2 ** 31 : 1));
const counts = isLong
  ? { load: 340, copied: 60, recovered: 60, first: 40, unsynced: 20 }
  : { load: 14, copied: 3, recovered: 3, first: 0, unsynced: 5 };
const steps = isLong ? 400 : 50;

interface Cuts extends Omit<CutOptions, "random"> {
  readonly recording: Recording;
  /** States are written below it. */
  readonly folder: string;
  /** The rows that were acknowledged before the recording. */
  readonly earlier?: readonly Acknowledged[];
}

/** The faults of each state. */
async function tryCuts(t: TestContext, { recording, folder, earlier = [], ...options }: Cuts) {
  const faults: string[][] = [];
  for (const cut of cutPower(recording, { ...options, random: createRandom(seed) })) {
    const state = join(folder, `state-${faults.length}`);
    cut.leave(state);
    const acknowledged = [...earlier, ...(cut.acknowledged as readonly Acknowledged[])];
    const found = await findFaults(state, acknowledged);
    for (const fault of found.slice(0, 3)) {
      t.diagnostic(`state ${faults.length}, after operation ${cut.at}: ${fault}`);
    }
    faults.push(found);
    await rm(state, { recursive: true });
  }
  const bad = faults.filter(({ length }) => length > 0).length;
  t.diagnostic(`seed ${seed}: ${bad} of ${faults.length} states are faulty`);
  return faults;
}

const none = (faults: readonly string[][]) => assert.deepEqual(faults.flat(), []);

test("the embedded database survives a loss of power", async (t) => {
  await using folder = await temporaryFolder();
  const dataDir = join(folder.path, "data");
  const scratch = join(folder.path, "recording");
  await putEmptyDatabase(dataDir);
  const recording = await recordLoad({ dataDir, scratch, random: createRandom(seed), steps });
  const writes = recording.operations.filter(({ kind }) => kind === "write").length;
  t.diagnostic(`${recording.operations.length} operations, ${writes} of them writes`);

  await t.test("at any moment of a load", async (t) => {
    const cuts = { recording, folder: folder.path, count: counts.load, isLate: true };
    none(await tryCuts(t, cuts));
  });

  await t.test("and a second one, at any moment of what follows the first", async (t) => {
    const [first] = cutPower(recording, { count: 1, isLate: true, random: createRandom(seed) });
    assert.ok(first);
    const recovered = join(folder.path, "recovered");
    first.leave(recovered);
    const following = await recordLoad({
      dataDir: recovered,
      scratch: join(folder.path, "following"),
      random: createRandom(seed),
      steps: steps / 10,
    });
    const earlier = first.acknowledged as readonly Acknowledged[];
    const cuts = { recording: following, folder: folder.path, count: counts.recovered, earlier };
    none(await tryCuts(t, cuts));
  });

  await t.test("but not if nothing is flushed: then the same states show it", async (t) => {
    const operations = recording.operations.filter(({ kind }) => kind !== "sync");
    const cuts = { recording, folder: folder.path, count: counts.unsynced, isLate: true };
    const faults = await tryCuts(t, { ...cuts, operations });
    assert.ok(faults.some(({ length }) => length > 0));
  });
});

test("a data folder that a version without flushes wrote survives it from the first acknowledgement on", async (t) => {
  await using folder = await temporaryFolder();
  const dataDir = join(folder.path, "data");
  const scratch = join(folder.path, "recording");
  await putEmptyDatabase(dataDir);
  await rm(join(dataDir, "database.flushed"));
  const recording = await recordLoad({ dataDir, scratch, random: createRandom(seed), steps: 4 });
  const cuts = { recording, folder: folder.path, count: counts.copied, isLate: true };
  none(await tryCuts(t, { ...cuts, isUnsynced: true }));
});

const skip = isLong ? false : "npm run test:power creates a database for each state";
test("a first start survives it", { skip }, async (t) => {
  await using folder = await temporaryFolder();
  const dataDir = join(folder.path, "data");
  const scratch = join(folder.path, "recording");
  const recording = await recordLoad({ dataDir, scratch, random: createRandom(seed), steps: 10 });
  none(await tryCuts(t, { recording, folder: folder.path, count: counts.first }));
});
