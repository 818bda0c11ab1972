import assert from "node:assert/strict";
import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openWorld, type World } from "../chaos/world.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { openMarkedSite } from "./marked-project.ts";
import { startReaders, type Readers } from "./readers.ts";

/**
 * `npm run test:publish`: a site of 300 pages is published fifty times under 200 readers a second, and fifty times more
 * while nodes are killed; then PostgreSQL and the storage are away for five minutes. Readers never get a mixture of
 * deployments, other bytes, or a failure. The short run publishes a few times, and both are away for seconds.
 */
const isLong = process.env["OCTAVO_TEST_ALL"] === "1";
const publications = isLong ? 50 : 4;
const awayMs = isLong ? 5 * 60_000 : 5_000;
/** Readers must not be what loads the machine in the short run. */
const rate = isLong ? 200 : 40;
/** Between two publications. */
const pauseMs = 300;

test(
  "readers never get a mixture of deployments, or a failure",
  { timeout: awayMs + 1_800_000 },
  async (t) => {
    const logs = join(tmpdir(), `octavo-publish-${process.pid}`);
    await mkdir(logs, { recursive: true });
    try {
      await readWhilePublishing(t, logs);
    } catch (error) {
      t.diagnostic(`What the nodes wrote is in ${logs}`);
      throw error;
    }
    await rm(logs, { recursive: true });
  },
);

async function readWhilePublishing(t: TestContext, logs: string): Promise<void> {
  await using folder = await temporaryFolder();
  await using world = await openWorld({
    folder: folder.path,
    logs,
    names: ["api-1", "api-2"],
  });
  const site = await openMarkedSite(world);
  await site.publish();
  await using readers = startReaders({
    host: site.host,
    ports: world.apis.map(({ url }) => Number(new URL(url).port)),
    rate,
    seed: 1,
  });
  const seen = describeReading(t, readers);

  for (let number = 0; number < publications; number += 1) {
    await site.publish();
    await sleep(pauseMs);
  }
  seen(`${publications} publications`);

  readers.setFailing("a node");
  const kills = new AbortController();
  const killing = killInTurns(world, kills.signal);
  for (let number = 0; number < publications; number += 1) {
    await site.publish();
    await sleep(pauseMs);
  }
  kills.abort();
  const killed = await killing;
  readers.setFailing("nothing");
  seen(`${publications} publications while nodes were killed ${killed} times`);

  world.storageProxy.setClosed(true);
  await world.postgres.stop();
  await sleep(awayMs);
  seen(`${awayMs / 1_000} s without PostgreSQL and storage`);
  await world.postgres.start();
  world.storageProxy.setClosed(false);
  await site.publish();
  await sleep(pauseMs);
  seen("a publication after both had come back");

  assert.ok(killed > 0, "no node was killed");
  const deaths = world.nodes.flatMap((node) => node.deaths);
  assert.deepEqual({ faults: readers.faults, deaths }, { faults: [], deaths: [] });
}

/** Kills one node after another, each when all are ready, until the signal. Returns how often. */
async function killInTurns({ apis }: World, signal: AbortSignal): Promise<number> {
  let count = 0;
  for (; !signal.aborted; count += 1) {
    await apis[count % apis.length]?.kill("process", 0);
    for (const node of apis) await node.untilReady();
    await sleep(pauseMs);
  }
  return count;
}

/** Returns a function that says what was read since it was last called. */
function describeReading(t: TestContext, { count }: Readers): (during: string) => void {
  let before = { ...count };
  let since = Date.now();
  return (during) => {
    const seconds = (Date.now() - since) / 1_000;
    const names = ["pages", "kept", "files", "passedOn", "skipped"] as const;
    const said = names.map((name) => `${count[name] - before[name]} ${name}`);
    t.diagnostic(`${during}: ${said.join(", ")} in ${seconds.toFixed(0)} s`);
    before = { ...count };
    since = Date.now();
  };
}
