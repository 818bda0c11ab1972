import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, suite, test } from "node:test";
import type { Browser } from "playwright-core";
import { renderSite } from "../../packages/site/src/export/index.ts";
import { launchChromium } from "../support/chromium.ts";
import { exportedSite } from "../support/exported-site.ts";
import { whyNoRealSites } from "../support/real-sites.ts";
import { sharedChildren } from "../support/shared-children.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { differenceOf, type Tolerance } from "./compare.ts";
import { photograph } from "./photograph.ts";
import { reduceColors, shrink, type Picture } from "./picture.ts";
import { decodePng, encodePng } from "./png.ts";
import { ownSites, realSiteScenes, schemes, windows, type SceneSite } from "./scenes.ts";

/**
 * Photographs of exported pages are held against those in `baselines/`. Of sites of this repository the
 * baseline is the photograph with fewer colors; of real sites it is the mean color of each square of it,
 * which shows a broken layout and no word of the content.
 *
 * `OCTAVO_TEST_UPDATE=1` writes the baselines anew: look at each before it is committed. Real sites are
 * photographed with `OCTAVO_TEST_ALL=1`, as `npm run test:visual` sets it, where `OCTAVO_SITES` has them.
 */
const baselines = join(import.meta.dirname, "baselines");
const isUpdate = process.env["OCTAVO_TEST_UPDATE"] === "1";
const sitesFolder = process.env["OCTAVO_SITES"];

/** The compared properties of a screenshot, and their tolerances. */
interface Kind {
  baselineOf(photograph: Picture, window: string): Picture;
  readonly tolerance: Tolerance;
}

const inFull: Kind = {
  baselineOf: reduceColors,
  // The colors that are kept are a few steps from those that were there.
  tolerance: { distance: 16, share: 0.0005 },
};

const cells: Readonly<Record<string, number>> = { desktop: 30, phone: 15 };

const inOutline: Kind = {
  baselineOf: (picture, window) => shrink(picture, cells[window] ?? 30),
  tolerance: { distance: 6, share: 0.01 },
};

const children = sharedChildren();

suite("exported pages look as they did", () => {
  let browser: Browser;
  before(async () => {
    browser = await launchChromium();
  });
  after(() => browser.close());

  const root = resolve(import.meta.dirname, "../..");
  for (const site of ownSites) {
    test(site.name, () => compareSite(site, join(root, site.dir), inFull));
  }

  for (const site of realSiteScenes) {
    test(site.name, { skip: whySkipped(site) ?? false }, () =>
      compareSite(site, join(sitesFolder ?? "", site.dir), inOutline),
    );
  }

  async function compareSite(site: SceneSite, siteDir: string, kind: Kind): Promise<void> {
    await using folder = await temporaryFolder();
    const bundle = await exportWithTheme(siteDir, site.theme, folder.path);
    const different: string[] = [];
    for await (const { name, file } of photograph(browser, bundle, site.scenes)) {
      const window = name.slice(name.lastIndexOf("-") + 1);
      const actual = kind.baselineOf(decodePng(file), window);
      const baseline = join(baselines, site.name, `${name}.png`);
      if (isUpdate) await write(baseline, encodePng(actual));
      const evidence = join(tmpdir(), "octavo-visual", site.name, name);
      await rm(evidence, { recursive: true, force: true });
      assert.ok(existsSync(baseline), `${baseline} is missing; OCTAVO_TEST_UPDATE=1 writes it`);
      const expected = decodePng(await readFile(baseline));
      const difference = differenceOf(expected, actual, kind.tolerance);
      if (difference === undefined) continue;
      await write(join(evidence, "expected.png"), encodePng(expected));
      await write(join(evidence, "actual.png"), encodePng(actual));
      await write(join(evidence, "difference.png"), encodePng(difference.picture));
      await write(join(evidence, "window.png"), file);
      const share = (100 * difference.count) / (actual.width * actual.height);
      different.push(`${name}: ${share.toFixed(2)} % differ, see ${evidence}`);
    }
    assert.deepEqual(different, [], "OCTAVO_TEST_UPDATE=1 takes what is shown now");
  }
});

test("the baselines are those of the scenes, and small", async () => {
  const expected = [...ownSites, ...realSiteScenes].flatMap(({ name: site, scenes }) =>
    scenes.flatMap(({ name }) =>
      windows.flatMap((window) =>
        schemes.map((scheme) => join(site, `${name}-${scheme}-${window.name}.png`)),
      ),
    ),
  );
  const entries = await readdir(baselines, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const found = files.map(({ parentPath, name }) =>
    join(parentPath, name).slice(baselines.length + 1),
  );
  const strays = found.filter((file) => !expected.includes(file));
  if (isUpdate) for (const file of strays) await rm(join(baselines, file));
  else assert.deepEqual(found.toSorted(), expected.toSorted());
  let bytes = 0;
  for (const file of files) bytes += (await stat(join(file.parentPath, file.name))).size;
  assert.ok(bytes < 1_500_000, `${bytes} bytes of baselines`);
});

function whySkipped(site: SceneSite): string | undefined {
  if (process.env["OCTAVO_TEST_ALL"] !== "1") return "npm run test:visual looks at real sites";
  const reason = whyNoRealSites();
  if (reason !== undefined) return reason;
  const folder = join(sitesFolder ?? "", site.dir);
  return existsSync(folder) ? undefined : `${folder} is not there`;
}

/** The bundle's folder, which is below `folder` where the site gets another theme. */
async function exportWithTheme(
  siteDir: string,
  theme: string | undefined,
  folder: string,
): Promise<string> {
  if (theme === undefined) return (await exportedSite(siteDir)).folder;
  const [copy, outDir] = [join(folder, "site"), join(folder, "bundle")];
  await copyWithTheme(siteDir, copy, theme);
  await renderSite({ siteDir: copy, outDir, children });
  return outDir;
}

async function copyWithTheme(from: string, to: string, theme: string): Promise<void> {
  await cp(from, to, { recursive: true });
  const file = join(to, "docs.json");
  const config = JSON.parse(await readFile(file, "utf8")) as object;
  await writeFile(file, JSON.stringify({ ...config, theme }));
}

async function write(path: string, content: Uint8Array): Promise<void> {
  await mkdir(resolve(path, ".."), { recursive: true });
  await writeFile(path, content);
}
