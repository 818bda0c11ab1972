import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { writeSite } from "../../../../../test/sites/temporary-site.ts";
import { renderSite } from "../render-site.ts";

/** Returns the `href` of the only link to `Example-START` on the start page of a site whose other page is at `path`. */
async function correctedHref(t: Parameters<typeof writeSite>[0], path: string): Promise<string> {
  const siteDir = await writeSite(t, {
    "index.mdx": `---\ntitle: Start\n---\n<a href="/${path}#Example-START">it</a>`,
    [`${path}.mdx`]: "---\ntitle: Other\n---\n## Example start\n\nText",
  });
  const outDir = await writeSite(t, {});
  await renderSite({ siteDir, outDir, workers: 1 });
  const document = await readFile(join(outDir, "index.html"), "utf8");
  return /<a href="([^"]*)">it<\/a>/.exec(document)?.[1] ?? "";
}

test("a link leads to the id that its anchor differs from in case only", async (t) => {
  assert.equal(await correctedHref(t, "guides/a"), "guides/a.html#example-start");
});

test("an address with dollar signs is corrected as it is", async (t) => {
  assert.equal(await correctedHref(t, "a$$b"), "a$$b.html#example-start");
  assert.equal(await correctedHref(t, "a$&b"), "a$&amp;b.html#example-start");
});
