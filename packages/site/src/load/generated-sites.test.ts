import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import * as fc from "fast-check";
import { planPropertyRuns } from "../../../../test/support/property-runs.ts";
import { generatedSite } from "../../../../test/support/generated-site.ts";
import type { GeneratedSite } from "../../../../test/support/generated-site.ts";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { isOctavoError, limits } from "../core/index.ts";
import { readSite } from "./load-site.ts";

/**
 * A site with any configuration, descriptions, frontmatter and ignore rules is either read or rejected with a message.
 * `npm run test:property` tests 10,000 sites with a new seed, which is printed. `OCTAVO_TEST_SEED` sets the seed.
 */
const runs = planPropertyRuns(300);
/** The maximum milliseconds of CPU time. No file is larger than a few kilobytes. */
const maxCpuMs = 2_000;

suite("sites that were made up or damaged", () => {
  test(`${runs.numRuns} sites are read, or refused with a sentence`, async (t) => {
    t.diagnostic(`seed ${runs.seed}`);
    await using folder = await temporaryFolder();
    let count = 0;
    const property = fc.asyncProperty(generatedSite, async (files) => {
      const root = join(folder.path, `site-${++count}`);
      const start = process.cpuUsage();
      await writeFiles(root, files);
      await readAndCheck(root, files);
      await rm(root, { recursive: true });
      const { user, system } = process.cpuUsage(start);
      assert.ok((user + system) / 1_000 < maxCpuMs, `${(user + system) / 1_000} ms of CPU`);
    });
    await fc.assert(property, runs);
  });
});

async function readAndCheck(root: string, files: GeneratedSite): Promise<void> {
  const loaded = await readSite({ siteDir: root }).catch((error: unknown) => {
    assert.ok(isOctavoError(error, "site_invalid"), String(error));
    assert.ok(error.message.length < 2_000);
  });
  if (!loaded) return;
  const { site, materials } = loaded;
  for (const { file, line = 1, column = 1, message } of site.problems) {
    assert.ok(line >= 1 && column >= 1, `${file}:${line}:${column}`);
    assert.ok(line <= (files[file] ?? "\n").split("\n").length, `${file}:${line}`);
    assert.ok(message.length < 5_000, message.slice(0, 200));
  }
  for (const { subject } of materials.values()) {
    assert.ok(JSON.stringify(subject ?? null).length <= limits.subjectBytes);
  }
}
