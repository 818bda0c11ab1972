import assert from "node:assert/strict";
import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { sharedChildren } from "../../../../test/support/shared-children.ts";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { renderSite } from "./render-site.ts";

const children = sharedChildren();

async function read(folder: string, path: string): Promise<string> {
  return readFile(join(folder, path), "utf8");
}

describe("renderSite", () => {
  it("does not read bundles in the site's own folder, neither its own nor earlier ones", async () => {
    await using site = await temporaryFolder();
    await writeFiles(site.path, { "a.md": "# A", "b.md": "# B", "deep/c.md": "# C" });
    const counts: number[] = [];
    for (const out of ["out", "out", "deep/other", "third"]) {
      const outDir = join(site.path, out);
      await mkdir(outDir, { recursive: true });
      await writeFile(join(outDir, "stale.md"), "# Left over");
      counts.push((await renderSite({ children, siteDir: site.path, outDir })).pages);
    }
    assert.deepEqual(counts, [3, 3, 3, 3]);
  });

  it("shows the title of plain Markdown once, and has it as a link target and in the search", async () => {
    await using folder = await temporaryFolder();
    const [siteDir, outDir] = [join(folder.path, "site"), join(folder.path, "out")];
    const page = "# Über `uns`\n\nSee [above](#über-uns).";
    await writeFiles(siteDir, { "about.md": page, "named.md": `---\ntitle: Named\n---\n${page}` });
    const { problems } = await renderSite({ children, siteDir, outDir });
    assert.deepEqual(problems, []);
    const about = await read(outDir, "about.html");
    assert.equal(about.match(/<h1/g)?.length, 1);
    assert.match(about, /<h1 id="page-title"><span id="über-uns"><\/span>.*Über <code>uns<\/code>/);
    assert.equal((await read(outDir, "named.html")).match(/<h1/g)?.length, 2);
    assert.match(await read(outDir, "_octavo/search/all/terms-0.js"), /\\nuber:|"uber:/);
  });

  it("gives a plain folder its own name if no page names it", async () => {
    await using folder = await temporaryFolder();
    const siteDir = join(folder.path, "site");
    await writeFiles(siteDir, { "a.md": "# A" });
    const options = { children, siteDir, outDir: join(folder.path, "out") };
    assert.equal((await renderSite(options)).site.config.name, "Documentation");
    const named = await renderSite({ ...options, folderName: "team-handbook" });
    assert.equal(named.site.config.name, "Team handbook");
  });

  it("copies read-only files so that the next export can replace them", async () => {
    await using folder = await temporaryFolder();
    const [siteDir, outDir] = [join(folder.path, "site"), join(folder.path, "out")];
    await writeFiles(siteDir, { "a.md": "![x](x.png)", "x.png": "1" });
    await chmod(join(siteDir, "x.png"), 0o444);
    for (let round = 0; round < 2; round++) await renderSite({ children, siteDir, outDir });
    assert.equal((await stat(join(outDir, "x.png"))).mode & 0o777, 0o644);
  });

  it("suggests the page that a wrong path was likely meant for", async () => {
    await using folder = await temporaryFolder();
    const siteDir = join(folder.path, "site");
    await writeFiles(siteDir, { "guides/start.md": "# A", "b.md": "# B" });
    const options = { children, siteDir, outDir: join(folder.path, "out") };
    await assert.rejects(renderSite({ ...options, paths: ["Guides/Start"] }), {
      code: "invalid_input",
      message: '"Guides/Start" is not a page of this site. Did you mean "guides/start"?',
    });
    await assert.rejects(renderSite({ ...options, paths: ["nope"] }), {
      message: '"nope" is not a page of this site.',
    });
  });
});
