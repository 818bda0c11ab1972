import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Browser } from "playwright-core";
import { openBundle } from "../packages/octavo/src/bundles/index.ts";
import {
  addDifferenceBar,
  buildDifference,
  type SiteDifference,
} from "../packages/octavo/src/difference/index.ts";
import { openRenderChildren, renderSite, type RenderChildren } from "../packages/site/src/index.ts";
import { launchChromium } from "../test/support/chromium.ts";
import { git } from "../test/support/git-fixture.ts";
import { packFolder } from "../test/support/pack-folder.ts";
import { serveFolder } from "../test/support/serve-folder.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { progress } from "./progress.ts";
import type { Section } from "./results.ts";
import { table } from "./table.ts";

/** A change of a site's history, with the pages that its files are. */
interface Change {
  readonly site: string;
  readonly commit: string;
  readonly subject: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const changesPerSite = 20;
const maxPages = 12;
const widths = [390, 1280];

/**
 * `difference [folder]`: marks the pages of real changes, and writes pictures of them to a folder, for people to judge
 * whether what is marked is what a careful reader would mark. `histories` is a folder of git bundles of sites.
 */
export async function benchDifference(
  histories: string | undefined,
  folder = "difference",
): Promise<Section> {
  if (histories === undefined) {
    throw new Error(
      "Set OCTAVO_HISTORY to a folder that holds git bundles of documentation sites.",
    );
  }
  await using children = openRenderChildren();
  await using browser = await launchChromium();
  await mkdir(folder, { recursive: true });
  const rows: string[][] = [];
  const bundles = (await readdir(histories)).filter((name) => name.endsWith(".bundle"));
  for (const bundle of bundles.toSorted()) {
    await using scratch = await temporaryFolder();
    const clone = join(scratch.path, "clone");
    await git(scratch.path, "clone", "--quiet", join(histories, bundle), clone);
    for (const change of await chooseChanges(bundle.replace(/\.bundle$/, ""), clone)) {
      progress(`${change.site} ${change.commit}`);
      const row = await showChange(change, {
        clone,
        scratch: scratch.path,
        children,
        folder,
        browser,
      });
      rows.push(row);
      await writeFile(join(folder, "changes.md"), table(head, rows));
    }
  }
  const body = table(head, rows);
  return { title: "Differences of real changes", limits: [], body, isPartial: true };
}

const head = ["site", "change", "subject", "pages", "changes", "ms"];

/** Chooses changes that touch a few pages, spread over the history. */
async function chooseChanges(site: string, clone: string): Promise<Change[]> {
  const log = await git(clone, "-c", "core.quotePath=false", "log", "--first-parent", "--no-renames", "--name-status", "--format=//%h %s"); // prettier-ignore
  const changes = log.split(/^\/\//m).flatMap((text): Change[] => {
    const [first = "", ...lines] = text.trim().split("\n");
    const [commit = ""] = first.split(" ", 1);
    const files = lines.flatMap((line) => {
      const [status = "", path = ""] = line.split("\t");
      const page = /^(?:docs\/)?(.*)\.mdx?$/.exec(path)?.[1];
      const isPage = page !== undefined && !/snippets\/|README|AGENTS|CONTRIBUTING/.test(page);
      return isPage ? [{ status, page }] : [];
    });
    if (files.length === 0 || files.length > maxPages) return [];
    const list = (not: string) =>
      files.filter(({ status }) => status !== not).map(({ page }) => page);
    const subject = first.slice(commit.length + 1, 80);
    return [{ site, commit, subject, before: list("A"), after: list("D") }];
  });
  const withParents = changes.slice(0, -1);
  const step = Math.floor(withParents.length / changesPerSite);
  return withParents.filter((_, at) => at % step === 1).slice(0, changesPerSite);
}

interface ShowOptions {
  readonly clone: string;
  readonly scratch: string;
  readonly children: RenderChildren;
  readonly folder: string;
  readonly browser: Browser;
}

async function showChange(change: Change, options: ShowOptions): Promise<string[]> {
  const { site, commit, subject } = change;
  const before = await exportPages(`${commit}~1`, change.before, options);
  const after = await exportPages(commit, change.after, options);
  if (!before || !after) return [site, commit, subject, "cannot be exported", "", ""];
  const outFile = join(options.scratch, "difference.zip");
  const startedAt = performance.now();
  const difference = await buildDifference({ before: before.archive, after: after.archive, outFile }); // prettier-ignore
  const spentMs = performance.now() - startedAt;
  await overlay(outFile, difference, after.folder);
  const shown = difference.pages.filter(({ changes }) => changes !== null);
  await photograph(options.browser, after.folder, {
    files: shown.map(({ file }) => file),
    name: join(options.folder, `${site}-${commit}`),
  });
  await rm(after.folder, { recursive: true });
  await rm(before.folder, { recursive: true });
  return [
    site,
    commit,
    subject.replaceAll("|", "/"),
    difference.pages.map(({ file, kind }) => `${file} ${kind}`).join(", "),
    difference.pages.map(({ changes }) => String(changes)).join(", "),
    spentMs.toFixed(0),
  ];
}

async function exportPages(
  commit: string,
  pages: readonly string[],
  { clone, scratch, children }: ShowOptions,
): Promise<{ readonly folder: string; readonly archive: string } | undefined> {
  await git(clone, "checkout", "--quiet", "--force", commit);
  const nested = join(clone, "docs");
  const siteDir = existsSync(join(nested, "docs.json")) ? nested : clone;
  const place = await mkdtemp(join(scratch, "export-"));
  const folder = join(place, "site");
  const archive = join(place, "site.zip");
  const settings = { siteDir, addresses: "clean", paths: pages, children, workers: 1 } as const;
  try {
    await renderSite({ ...settings, outDir: folder });
    await packFolder(folder, "zip", archive);
    return { folder, archive };
  } catch (error) {
    progress(`${commit}: ${error instanceof Error ? error.message : ""}`);
    return undefined;
  }
}

/** Writes the marked pages over those of an exported site. */
async function overlay(archive: string, difference: SiteDifference, folder: string): Promise<void> {
  const marked = await openBundle(archive);
  const assetsUrl = "/some/path/_octavo/difference/";
  for (const entry of marked.entries.values()) {
    const content = await marked.readWhole(entry);
    const file = entry.path;
    const view = {
      difference,
      file,
      getAddress,
      assetsUrl,
      layout: "inline",
      baseName: "before",
    } as const;
    const isPage = difference.pages.some((page) => page.file === file);
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(
      join(folder, file),
      isPage ? addDifferenceBar(content.toString(), view) : content,
    );
  }
  marked.close();
  await cp(differenceAssets, join(folder, "_octavo/difference"), { recursive: true });
}

function getAddress(file: string): string {
  return `/some/path/${file}`;
}

const differenceAssets = join(import.meta.dirname, "../packages/octavo/src/difference/assets");

/** Photographs whole pages on a phone and on a desktop. */
async function photograph(
  browser: Browser,
  folder: string,
  { files, name }: { readonly files: readonly string[]; readonly name: string },
): Promise<void> {
  await using server = await serveFolder(folder);
  for (const width of widths) {
    const page = await browser.newPage({
      viewport: { width, height: 900 },
      reducedMotion: "reduce",
    });
    for (const [at, file] of files.slice(0, maxPhotographed).entries()) {
      await page.goto(`${server.url}/${file}`);
      await page.keyboard.press("n");
      await page.screenshot({ path: `${name}-${at}-${width}.png` });
    }
    await page.close();
  }
}

const maxPhotographed = 3;
