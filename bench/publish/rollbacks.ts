import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openWorld } from "../../test/chaos/world.ts";
import { openMarkedSite } from "../../test/publish/marked-project.ts";
import { progress } from "../progress.ts";

const rollbacks = 11;

/** Returns the seconds from each call that rolls a site back until both of two nodes show it. */
export async function measureRollbacks(folder: string): Promise<readonly number[]> {
  progress("Published sites: rollbacks on two nodes");
  const logs = join(folder, "logs");
  await mkdir(logs, { recursive: true });
  await using world = await openWorld({ folder, logs, names: ["api-1", "api-2"] });
  const site = await openMarkedSite(world);
  await site.publish();
  await site.publish();
  const times: number[] = [];
  for (let turn = 0; turn < rollbacks; turn += 1) {
    const started = performance.now();
    await site.rollBack((turn % 2) + 1);
    times.push((performance.now() - started) / 1_000);
  }
  return times;
}
