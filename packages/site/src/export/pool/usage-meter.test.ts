import assert from "node:assert/strict";
import { test } from "node:test";
import { writeSite } from "../../../../../test/sites/temporary-site.ts";
import { fails } from "../../../../../test/support/fails.ts";
import { renderSite } from "../render-site.ts";
import { openUsageMeter } from "./usage-meter.ts";

const site = { "docs.json": '{"navigation": ["index"]}', "index.mdx": "---\ntitle: Home\n---\nHi" };
const isLinux = process.platform === "linux";

test(
  "an export whose processes use more than its budget fails with what they used",
  { skip: !isLinux },
  async (t) => {
    const dir = await writeSite(t, site);
    const outDir = await writeSite(t, {});
    const run = (cacheDir: string, budget: { cpuMs: number; memoryBytes: number }) =>
      renderSite({ siteDir: dir, outDir, cacheDir, workers: 1, budget });
    const ample = { cpuMs: 600_000, memoryBytes: 10e9 };
    // Each has a separate cache: an export that is stopped may have cached its page before that.
    await assert.rejects(
      run(await writeSite(t, {}), { ...ample, cpuMs: 1 }),
      fails("too_large", /\d s of CPU time; its limit is 1 s/),
    );
    await assert.rejects(
      run(await writeSite(t, {}), { ...ample, memoryBytes: 1e6 }),
      fails("too_large", /\d MB of memory; its limit is 1 MB/),
    );
    const cacheDir = await writeSite(t, {});
    assert.equal((await run(cacheDir, ample)).rendered, 1);
    // If there is no page to render, this process does the work.
    assert.equal((await run(cacheDir, ample)).rendered, 0);
    await assert.rejects(run(cacheDir, { ...ample, cpuMs: 1 }), fails("too_large"));
  },
);

test("what this process uses counts to the millisecond", async () => {
  for (let round = 0; round < 10; round++) {
    using meter = openUsageMeter({ cpuMs: 3, memoryBytes: Infinity });
    const start = process.cpuUsage();
    while (process.cpuUsage(start).user < 4_000);
    await assert.rejects(meter.check(), fails("too_large"));
  }
});
