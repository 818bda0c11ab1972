import assert from "node:assert/strict";
import { readFile, readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setUp } from "../cli.test-support.ts";

const site = {
  "docs.json": JSON.stringify({ name: "T", navigation: { pages: ["index", "page-a", "page-b"] } }),
  "index.mdx": "---\ntitle: Home\n---\n\nText.\n",
  "page-a.mdx": "---\ntitle: A\n---\n\nFirst.\n",
  "page-b.mdx": "---\ntitle: B\n---\n\nSecond.\n",
};

describe("octavo agent --write", () => {
  it("keeps every page if one moves to the place of another", async (t) => {
    const { cwd, octavo } = await setUp(t, site);
    const { code, stderr } = await octavo(
      "agent",
      "docs",
      "Move page-b.mdx to page-c.mdx. Move page-a.mdx to page-b.mdx.",
      "--write",
      "--no-cache",
    );
    assert.equal(code, 0, stderr);
    const folder = join(cwd, "docs");
    const names = await readdir(folder);
    assert.deepEqual(names.toSorted(), ["docs.json", "index.mdx", "page-b.mdx", "page-c.mdx"]);
    assert.equal(await readFile(join(folder, "page-b.mdx"), "utf8"), site["page-a.mdx"]);
    assert.equal(await readFile(join(folder, "page-c.mdx"), "utf8"), site["page-b.mdx"]);
  });

  it("writes nothing if a page that moves was changed in the meantime", async (t) => {
    const { cwd, octavo } = await setUp(t, site);
    const folder = join(cwd, "docs");
    const later = new Date(Date.now() + 3_600_000);
    await utimes(join(folder, "page-b.mdx"), later, later);
    const prompt = "Move page-b.mdx to page-c.mdx.";
    const { code, stderr } = await octavo("agent", "docs", prompt, "--write", "--no-cache");
    assert.notEqual(code, 0);
    assert.match(stderr, /page-b\.mdx was changed while the agent worked\. Nothing was written/);
    const names = await readdir(folder);
    assert.deepEqual(names.toSorted(), Object.keys(site).toSorted());
  });
});
