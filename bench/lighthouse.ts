/**
 * `npm run bench:lighthouse -- [site]`: Lighthouse over a guide and a page of an API of the manual and of the
 * sites below the folder in OCTAVO_SITES, exported and served as a static host would: its own settings for
 * phones, simulated throttling, an empty cache; performance is the median of three runs. Ends with 1 where
 * a figure is below its limit. Lighthouse is installed into OCTAVO_BENCH_DIR, by default below the folder for
 * temporary files.
 */
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { renderSite } from "../src/render/index.ts";
import { realPages } from "../test/support/real-pages.ts";
import { realSites } from "../test/support/real-sites.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { openLighthouse, version, type Lighthouse } from "./lighthouse/lighthouse.ts";
import { categories, limits, type Report } from "./lighthouse/report.ts";
import { openStaticHost, type StaticHost } from "./lighthouse/static-host.ts";
import { table } from "./table.ts";

/** A guide and a page of an API. */
function pagesOf(site: string): string[] {
  if (site === "manual") return ["quickstart", "reference/http-api"];
  const known = realPages.find((pages) => pages.site === site);
  return known === undefined ? ["index"] : [known.guide, known.api];
}

const runs = 3;

interface Row {
  readonly page: string;
  readonly report: Report;
}

async function lookAtSite(
  { name, dir }: { name: string; dir: string },
  host: StaticHost,
  lighthouse: Lighthouse,
): Promise<Row[]> {
  await using out = await temporaryFolder();
  await renderSite({ siteDir: dir, outDir: out.path, baseUrl: host.url });
  host.serve(out.path);
  const rows: Row[] = [];
  for (const path of pagesOf(name)) {
    if (!existsSync(join(out.path, `${path}.html`))) continue;
    const report = await medianReport(() => lighthouse(`${host.url}/${path}.html`));
    rows.push({ page: `${name}: ${path}`, report });
    process.stderr.write(`${name}: ${path}\n`);
  }
  return rows;
}

/** The run whose performance is the middle one. */
async function medianReport(look: () => Promise<Report>): Promise<Report> {
  const reports: Report[] = [];
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

/** What keeps the pages from 100, and whether a limit is missed by it. */
function remarks({ page, report }: Row): string[] {
  return report.failures.map(({ category, text }) => {
    const isMissed = report.scores[category] < limits[category];
    return `${isMissed ? "MISSED " : ""}${page}: ${category}: ${text}`;
  });
}

const only = process.argv[2];
const work = process.env["OCTAVO_BENCH_DIR"] ?? join(tmpdir(), "octavo-bench");
const lighthouse = await openLighthouse(join(work, "lighthouse"));
await using host = await openStaticHost();
const rows: Row[] = [];
for (const site of realSites()) {
  if (only === undefined || only === site.name) {
    rows.push(...(await lookAtSite(site, host, lighthouse)));
  }
}
const head = ["page", ...categories, "KiB sent", "machine"];
const asked = ["asked", ...categories.map((category) => String(limits[category])), "", ""];
process.stdout.write(`Lighthouse ${version}, mobile, median of ${runs} runs\n\n`);
process.stdout.write(`${table(head, [...rows.map(cells), asked])}\n\n`);
process.stdout.write(`${rows.flatMap(remarks).join("\n")}\n`);
const isGood = rows.every(({ report }) =>
  categories.every((category) => report.scores[category] >= limits[category]),
);
process.exitCode = isGood ? 0 : 1;
