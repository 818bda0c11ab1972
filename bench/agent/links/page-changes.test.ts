import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openEditedSite } from "./edited-site.ts";
import { rewordHeading } from "./page-changes.ts";
import { createRandom } from "./random.ts";
import { readLinks } from "./site-links.ts";

async function rewordedPlaces(section: string): Promise<readonly string[]> {
  await using scratch = await temporaryFolder();
  const folder = join(scratch.path, "site");
  const files = {
    "docs.json": JSON.stringify({ name: "Lamps", navigation: { pages: ["index", "a/lamps"] } }),
    "index.mdx": "[wicks](/a/lamps#clean-the-wick)\n",
    "a/lamps.mdx": section,
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const before = await readLinks(folder, { cacheDir: join(scratch.path, "cache") });
  const site = await openEditedSite(folder, before);
  await rewordHeading(site, createRandom(1));
  return (
    site.expect({ page: "a/lamps", anchor: "clean-the-wick" })?.places.map((p) => p.anchor) ?? []
  );
}

describe("a heading that an author rewords", () => {
  it("has another id, and none that it had", async () => {
    const places = await rewordedPlaces("## Clean the wick\n\nText.\n");
    assert.equal(places.length, 1);
    assert.ok(!places.includes("clean-the-wick"));
  });

  it("is found by the id of an element around it, too", async () => {
    const section = '<div id="clean-the-wick">\n\n## Clean the wick\n\n</div>\n';
    const places = await rewordedPlaces(section);
    assert.equal(places.length, 2);
    assert.ok(places.includes("clean-the-wick"));
  });
});
