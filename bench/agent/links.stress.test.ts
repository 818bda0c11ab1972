import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { countLinks, readSite, runLinks } from "./links.ts";

/** The benchmark on the project's own manual, which is small and always there. */
const manual = join(import.meta.dirname, "../../docs");

describe("links that history broke", () => {
  it("are mended right, or not at all", async () => {
    await using scratch = await temporaryFolder();
    const site = await readSite(manual, scratch.path);
    const options = { site: "docs", rounds: 3 };
    const known = [
      await runLinks(site, { ...options, seed: 1, mode: "with history" }),
      await runLinks(site, { ...options, seed: 2, mode: "with history" }),
    ].flatMap(({ links }) => links);
    const unknown = (await runLinks(site, { ...options, seed: 1, mode: "without" })).links;
    const wrong = [...known, ...unknown].filter(({ verdict }) => verdict === "wrong");
    assert.deepEqual(wrong, []);
    const { recall, right } = countLinks(known);
    assert.ok(right > 50 && recall >= 0.8, `${right} right, recall ${recall}`);
    assert.ok(countLinks(unknown).recall >= 0.3, `recall ${countLinks(unknown).recall}`);
  });
});
