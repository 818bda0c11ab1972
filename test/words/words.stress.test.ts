import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test, type TestContext } from "node:test";
import { renderSite } from "../../packages/site/src/export/index.ts";
import { exportedSite } from "../support/exported-site.ts";
import { realSites, whyNoRealSites } from "../support/real-sites.ts";
import { sharedChildren } from "../support/shared-children.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { compareSite, reportOf, tableOf } from "./compare-site.ts";

/**
 * No word of a site is lost: each page of a bundle is compared with its source, which remark and acorn read here
 * rather than our own parser. What need not be shown is in `rules.ts`.
 *
 * `npm run test:words` compares the sites that OCTAVO_SITES names, too; with OCTAVO_TEST_TABLES, the name of a
 * folder, it writes a table of the pages of each site there.
 */
const isAll = process.env["OCTAVO_TEST_ALL"] === "1";
const goldenSites = join(import.meta.dirname, "../sites");
const children = sharedChildren();

suite("real sites", { skip: isAll ? whyNoRealSites() : "npm run test:words compares them" }, () => {
  for (const { name, dir } of isAll ? realSites() : []) {
    test(name, (t) => compareExport(t, dir));
  }
});

suite("golden sites", { concurrency: 2 }, () => {
  for (const name of readdirSync(goldenSites)) {
    const dir = join(goldenSites, name);
    if (!existsSync(join(dir, "docs"))) continue;
    test(name, (t) => compareExport(t, join(dir, "docs"), join(dir, "options.json")));
  }
});

async function compareExport(t: TestContext, siteDir: string, options?: string): Promise<void> {
  await using out = await temporaryFolder();
  const { folder, result } = await exportSite(siteDir, { outDir: out.path, options });
  const pages = compareSite(result.site, folder);
  t.diagnostic(reportOf(pages));
  const tables = process.env["OCTAVO_TEST_TABLES"];
  if (tables !== undefined) await writeFile(join(tables, `${t.name}.tsv`), tableOf(pages));
  const lossy = pages.filter(({ lost, unread }) => lost.length + unread.length > 0);
  assert.equal(lossy.length, 0, reportOf(lossy));
}

interface ExportOptions {
  readonly outDir: string;
  readonly options: string | undefined;
}

async function exportSite(siteDir: string, { outDir, options }: ExportOptions) {
  if (options === undefined || !existsSync(options)) return await exportedSite(siteDir);
  const own = JSON.parse(await readFile(options, "utf8")) as object;
  const result = await renderSite({ ...own, siteDir, outDir, workers: 1, children });
  return { folder: outDir, result };
}
