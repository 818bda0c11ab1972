import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { renderSite } from "../packages/site/src/export/index.ts";
import { realPages } from "../test/support/real-pages.ts";
import { realSites, type RealSite } from "../test/support/real-sites.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { openLighthouse, version, type Lighthouse } from "./lighthouse/lighthouse.ts";
import {
  categories,
  minScores,
  type Category,
  type LighthouseReport,
} from "./lighthouse/report.ts";
import { benchDashboardAccessibility } from "./lighthouse/dashboard.ts";
import { openStaticHost, type StaticHost } from "./lighthouse/static-host.ts";
import { progress } from "./progress.ts";
import type { Limit, Section } from "./results.ts";
import { table } from "./table.ts";

const runs = 3;

interface Row {
  readonly page: string;
  readonly report: LighthouseReport;
}

/**
 * Lighthouse over a guide and a page of an API of the manual and of each site below the folder in
 * OCTAVO_SITES, or of `only` one of them, exported and served as a static host would: its own settings for
 * phones, simulated throttling, an empty cache; of three runs that of the middle performance. Lighthouse is
 * installed below OCTAVO_BENCH_DIR, or the folder for temporary files. With `only` being `dashboard` it looks at the
 * accessibility of the dashboard's pages instead.
 */
export async function benchLighthouse(only: string | undefined): Promise<Section> {
  const work = process.env["OCTAVO_BENCH_DIR"] ?? join(tmpdir(), "octavo-bench");
  const lighthouse = await openLighthouse(join(work, "lighthouse"));
  if (only === "dashboard") return await benchDashboardAccessibility(lighthouse);
  await using host = await openStaticHost();
  const rows: Row[] = [];
  for (const site of realSites()) {
    if (only === undefined || only === site.name) {
      rows.push(...(await lookAtSite(site, host, lighthouse)));
    }
  }
  const head = ["page", ...categories, "KiB sent", "machine"];
  const body = [
    `Lighthouse ${version} with its settings for phones, median of ${runs} runs. The last column is Lighthouse's own ` +
      "measure of the machine during the run: lower while other work goes on.",
    table(head, rows.map(cells)),
    rows.flatMap(remarks).join("\n"),
  ].join("\n\n");
  const isPartial = only !== undefined || process.env["OCTAVO_SITES"] === undefined;
  const held = categories.map((category) => limitOf(category, rows));
  return { title: "Lighthouse", limits: held, body, isPartial };
}

/** A guide and a page of an API. */
function pagesOf(site: string): string[] {
  if (site === "manual") return ["quickstart", "reference/http-api"];
  const known = realPages.find((pages) => pages.site === site);
  return known === undefined ? ["index"] : [known.guide, known.api];
}

async function lookAtSite(
  { name, dir }: RealSite,
  host: StaticHost,
  lighthouse: Lighthouse,
): Promise<Row[]> {
  await using out = await temporaryFolder();
  await renderSite({ siteDir: dir, outDir: out.path, baseUrl: host.url });
  host.serve(out.path);
  const rows: Row[] = [];
  for (const path of pagesOf(name)) {
    if (!existsSync(join(out.path, `${path}.html`))) continue;
    const report = await middleReport(() => lighthouse(`${host.url}/${path}.html`));
    const page = `${name}: ${path}`;
    rows.push({ page, report });
    progress(`${page}: ${categories.map((category) => report.scores[category]).join(", ")}`);
    for (const { audit, element } of report.failures) {
      if (element !== undefined) progress(`${audit}: ${element}`);
    }
  }
  return rows;
}

/** The run whose performance is the middle one. */
async function middleReport(look: () => Promise<LighthouseReport>): Promise<LighthouseReport> {
  const reports: LighthouseReport[] = [];
  for (let run = 0; run < runs; run += 1) reports.push(await look());
  reports.sort((a, b) => a.scores.performance - b.scores.performance);
  const middle = reports[Math.floor(runs / 2)];
  if (middle === undefined) throw new Error("Lighthouse was not run.");
  return middle;
}

function cells({ page, report }: Row): string[] {
  const scores = categories.map((category) => String(report.scores[category]));
  return [page, ...scores, (report.bytes / 1024).toFixed(0), report.machine.toFixed(0)];
}

/** Lists the audits that keep pages from 100; elements are omitted, because they contain texts of the sites. */
function remarks({ page, report }: Row): string[] {
  return report.failures.map(
    ({ category, audit, score, value }) =>
      `- ${page}: ${category}: ${audit} ${score}${value === undefined ? "" : `, ${value}`}`,
  );
}

function limitOf(category: Category, rows: readonly Row[]): Limit {
  const lowest = Math.min(...rows.map(({ report }) => report.scores[category]));
  return {
    name: `Lighthouse: ${category}, the lowest of all pages`,
    limit: `at least ${minScores[category]}`,
    measured: String(lowest),
    holds: lowest >= minScores[category],
  };
}
