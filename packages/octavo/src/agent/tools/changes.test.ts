import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openAgentSite, smallSite } from "../../../../../test/support/agent-site.ts";

type Site = Awaited<ReturnType<typeof openAgentSite>>;

const replace = (site: Site, path: string, old: string, wanted: string) =>
  site.call("edit", { path, replacements: [{ old, new: wanted }] });

interface ShownFile {
  readonly path: string;
  readonly kind: string;
  readonly from?: string;
  readonly diff?: string;
  readonly cut?: number;
}

describe("diff", () => {
  it("shows what was changed so far, by file", async (t) => {
    const site = await openAgentSite(t);
    assert.deepEqual(await site.call("diff", {}), { files: [], total: 0 });
    await replace(site, "guides/more.mdx", "Back", "Forth");
    await site.call("write", { path: "new.mdx", content: "---\ntitle: New\n---\n" });
    await site.call("delete", { path: "images/lamp.png" });
    await site.call("move", { from: "guides/deep/one.mdx", to: "guides/one.mdx" });
    const { files, total } = await site.call("diff", {});
    const shown = files as ShownFile[];
    assert.equal(total, shown.length);
    assert.deepEqual(
      shown.map(({ path, kind, from }) => [path, kind, from]),
      [
        ["docs.json", "modified", undefined],
        ["guides/more.mdx", "modified", undefined],
        ["guides/one.mdx", "moved", "guides/deep/one.mdx"],
        ["guides/start.mdx", "modified", undefined],
        ["images/lamp.png", "deleted", undefined],
        ["new.mdx", "added", undefined],
      ],
    );
    assert.match(shown[1]?.diff ?? "", /^-\[Back\]\(start\).*\n\+\[Forth\]\(start\)/m);
    assert.match(shown[2]?.diff ?? "", /^-\[Up\]\(\.\.\/start\)\.$/m);
    assert.equal(shown[4]?.diff, undefined);
    const one = await site.call("diff", { path: "guides/deep/one.mdx" });
    assert.deepEqual(one.files, [shown[2]]);
    assert.match(String((await site.call("diff", { path: "index.mdx" })).error), /no changes/);
  });

  it("is bounded, and tells what it leaves out", async (t) => {
    const texts = Array.from({ length: 30 }, (_, index) => [`p${index}.mdx`, "x\n"]);
    const site = await openAgentSite(t, Object.fromEntries(texts));
    const content = "A line of text.\n".repeat(10_000);
    for (const [path] of texts) await site.call("write", { path, content });
    const answer = await site.call("diff", {});
    assert.equal(answer.total, 30);
    assert.ok(JSON.stringify(answer).length < 60_000);
    const [first] = answer.files as ShownFile[];
    assert.ok((first?.diff?.length ?? 0) <= 8_000 && (first?.cut ?? 0) > 100_000);
    const { files } = await site.call("diff", { path: "p0.mdx" });
    assert.ok(((files as ShownFile[])[0]?.diff?.length ?? 0) > 40_000);
  });
});

describe("undo", () => {
  it("takes back all edits of one file, and no others", async (t) => {
    const site = await openAgentSite(t);
    await replace(site, "guides/more.mdx", "Back", "Forth");
    await replace(site, "guides/more.mdx", "Forth", "Sideways");
    await replace(site, "index.mdx", "Begin", "Start");
    assert.deepEqual(await site.call("undo", { path: "guides/more.mdx" }), {
      restored: "guides/more.mdx",
      reverted: [],
    });
    assert.match(await site.diff(), /^--- a\/index\.mdx|^-Begin/m);
    assert.doesNotMatch(await site.diff(), /Sideways|Forth/);
    for (const path of ["guides/more.mdx", "guides/start.mdx", "none.mdx"]) {
      assert.match(String((await site.call("undo", { path })).error), /nothing to undo/);
    }
  });

  for (const name of ["guides/start.mdx", "begin/now.mdx"]) {
    it(`takes back a move with its navigation, links and redirects, named as ${name}`, async (t) => {
      const site = await openAgentSite(t);
      await site.call("move", { from: "guides/start.mdx", to: "guides/middle.mdx" });
      await site.call("move", { from: "guides/middle.mdx", to: "begin/now.mdx" });
      await replace(site, "begin/now.mdx", "Fill the lamp", "Fill it");
      const answer = await site.call("undo", { path: name });
      assert.equal(answer.restored, "guides/start.mdx");
      assert.deepEqual(answer.left, undefined);
      assert.equal(await site.diff(), "");
      assert.equal((await site.call("check", {})).errors, 0);
    });
  }

  it("brings back a deleted page with its place, and a deleted picture", async (t) => {
    const site = await openAgentSite(t);
    await site.call("delete", { path: "guides/deep/one.mdx", redirectTo: "/guides/start" });
    await site.call("delete", { path: "images/lamp.png" });
    assert.notEqual(await site.diff(), "");
    assert.equal((await site.call("undo", { path: "guides/deep/one.mdx" })).error, undefined);
    assert.equal((await site.call("undo", { path: "images/lamp.png" })).error, undefined);
    assert.equal(await site.diff(), "");
    const picture = await readFile(join(site.checkout, "images/lamp.png"));
    assert.deepEqual([...picture], [0x89, 0x50, 0x4e, 0x47]);
  });

  it("brings back a part of the configuration that the deletion emptied", async (t) => {
    const site = await openAgentSite(t);
    await site.call("delete", { path: "reference/api.mdx", redirectTo: "/guides/start" });
    const { files } = await site.call("list", { pattern: "config/**" });
    assert.deepEqual(files, []);
    await site.call("undo", { path: "reference/api.mdx" });
    assert.equal(await site.diff(), "");
  });

  it("removes a new page with its navigation entry, also after it was moved", async (t) => {
    const site = await openAgentSite(t);
    await site.call("write", {
      path: "guides/new.mdx",
      content: "---\ntitle: New\n---\n\nText.\n",
    });
    await replace(site, "docs.json", '"guides/start"]', '"guides/start", "guides/new"]');
    await site.call("move", { from: "guides/new.mdx", to: "guides/newer.mdx" });
    const answer = await site.call("undo", { path: "guides/newer.mdx" });
    assert.equal(answer.removed, "guides/newer.mdx");
    assert.doesNotMatch(
      await readFile(join(site.checkout, "docs.json"), "utf8"),
      /"guides\/newe?r?"/,
    );
    assert.deepEqual((await site.call("list", { pattern: "guides/new*" })).files, []);
  });

  it("keeps later edits of other files, and names those that stand in its way", async (t) => {
    const site = await openAgentSite(t);
    await site.call("move", { from: "guides/start.mdx", to: "begin.mdx" });
    await replace(site, "index.mdx", "Inline", "In one line");
    await replace(site, "guides/more.mdx", "[Back](../begin) to", "[Return](../begin) to");
    const answer = await site.call("undo", { path: "begin.mdx" });
    assert.deepEqual(answer.left, ["guides/more.mdx"]);
    const diff = await site.diff();
    assert.match(diff, /^\+In one line `\[code\]/m);
    assert.match(diff, /^\+\[Return\]/m);
    assert.doesNotMatch(diff, /docs\.json/);
  });

  it("does not overwrite a file that took its place", async (t) => {
    const site = await openAgentSite(t);
    await site.call("move", { from: "guides/start.mdx", to: "begin.mdx" });
    await site.call("move", { from: "guides/more.mdx", to: "guides/start.mdx" });
    const answer = await site.call("undo", { path: "begin.mdx" });
    assert.match(String(answer.error), /a different file at guides\/start\.mdx/);
    await site.call("undo", { path: "guides/start.mdx" });
    assert.equal((await site.call("undo", { path: "begin.mdx" })).error, undefined);
    assert.equal(await site.diff(), "");
  });

  it("counts as no change of the turn", async (t) => {
    const site = await openAgentSite(t, smallSite);
    await site.call("move", { from: "guides/start.mdx", to: "begin.mdx" });
    await site.call("undo", { path: "begin.mdx" });
    assert.deepEqual(await site.workspace.listChanges(), []);
  });
});
