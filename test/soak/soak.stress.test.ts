import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { addProjects, countOpenJobs, runLoad } from "../chaos/load.ts";
import { newRecord } from "../chaos/record.ts";
import { openWorld } from "../chaos/world.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { growthOf } from "./growth.ts";
import type { Held } from "./growth.ts";
import { countFolders, readNode } from "./reading.ts";

/**
 * `npm run test:soak`: a node of the API and a worker under a steady load for an hour, or for `OCTAVO_TEST_MINUTES`.
 * What they hold at rest, after each minute and a garbage collection, does not grow.
 */
const isLong = process.env["OCTAVO_TEST_ALL"] === "1";
const minutes = Number(process.env["OCTAVO_TEST_MINUTES"] ?? 60);
const minuteMs = 60_000;
/** The pool closes idle connections to the database within this time. Those of HTTP clients may be kept alive for a minute. */
const restMs = 8_000;

test(
  `nodes hold no more after ${minutes} minutes of work than at the beginning`,
  { skip: !isLong && "npm run test:soak", timeout: (2 * minutes + 10) * minuteMs },
  async (t) => {
    await using folder = await temporaryFolder();
    const readings = join(folder.path, "readings");
    await mkdir(readings);
    const preload = join(import.meta.dirname, "measure.preload.ts");
    await using world = await openWorld({
      folder: folder.path,
      logs: folder.path,
      names: ["api-1", "worker-1"],
      nodeArgs: ["--expose-gc", "--import", preload],
      env: { OCTAVO_TEST_READINGS: readings },
    });
    const projects = await addProjects(world);
    const record = newRecord();
    const over = new AbortController();
    let isPaused = false;
    const options = { world, projects, record, seed: 1, over: over.signal };
    const load = runLoad({ ...options, isPaused: () => isPaused });
    const taken = new Map(world.nodes.map(({ name }) => [name, [] as Held[]]));
    const read = async () => {
      for (let minute = 1; minute <= minutes; minute++) {
        await wait(minuteMs);
        // What is counted below depends on what a node does at that moment, unless it does nothing.
        isPaused = true;
        while ((await countOpenJobs(world)) > 0) await wait(200);
        await wait(restMs);
        for (const { name, pid, data } of world.nodes) {
          const reading = await readNode(readings, pid(), minute);
          const folders = await countFolders(data);
          taken.get(name)?.push({ ...reading, handles: sumOf(reading.handles), folders });
          t.diagnostic(`minute ${minute}, ${name}: ${JSON.stringify({ ...reading, folders })}`);
        }
        isPaused = false;
      }
    };
    await Promise.race([read(), load]);
    over.abort();
    await load;
    t.diagnostic(`${record.exports.length} exports, ${record.agentJobs.size} agent jobs`);
    t.diagnostic(`${record.pushes.length} pushes, ${record.merges.length} merges`);
    const grown: string[] = [];
    for (const [name, all] of taken) {
      for (const { measure, before, after, isTooMuch } of growthOf(all)) {
        const percent = ((after / before - 1) * 100).toFixed(1);
        t.diagnostic(`${name}, ${measure}: ${before} to ${after}, ${percent} %`);
        if (isTooMuch) grown.push(`${name}: ${measure} grew from ${before} to ${after}`);
      }
    }
    assert.deepEqual(grown, []);
    assert.deepEqual(record.wrong, []);
    assert.deepEqual(
      world.nodes.flatMap(({ deaths }) => deaths),
      [],
    );
  },
);

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
