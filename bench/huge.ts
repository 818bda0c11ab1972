/**
 * A site of 52,479 pages: what an export of it takes when nothing is cached, and after one edited page. The pages are
 * those of a real site, again and again: what is measured is what grows with their number. It takes a quarter of
 * an hour and 20 GB below `OCTAVO_BENCH_DIR` or the folder for temporary files. Other generators are not measured.
 */
import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measureEditedPage } from "./compare/edited-page.ts";
import { readCorpus, repeat } from "./corpus.ts";
import type { Usage } from "./process-meter.ts";
import type { Limit, Section } from "./results.ts";
import { median } from "./statistics.ts";
import { table } from "./table.ts";

const copies = 153;
const memoryLimit = 1.5e9;
const cpuLimits = { folder: 3, archive: 6, zip: 6 } as const;

/** `count` is that of the copies; fewer make a quick look. */
export async function benchHuge(sitesDir: string, count = String(copies)): Promise<Section> {
  const work = join(process.env["OCTAVO_BENCH_DIR"] ?? join(tmpdir(), "octavo-bench"), "huge");
  await mkdir(work, { recursive: true });
  try {
    const corpus = repeat(await readCorpus(join(sitesDir, "mcp")), Number(count));
    const { cold, folder, archive, zip } = await measureEditedPage(corpus, work);
    const [firstArchive, ...archives] = archive;
    const [firstZip, ...zips] = zip;
    const rows = [
      row("nothing cached, into a folder", [cold]),
      row("after one edited page, into that folder", folder),
      row("the first .tar.gz after that", firstArchive ? [firstArchive] : []),
      row("after one edited page, as a .tar.gz", archives),
      row("the first .zip after that", firstZip ? [firstZip] : []),
      row("after one edited page, as a .zip", zips),
    ];
    return {
      title: `A site of ${corpus.length} pages`,
      limits: limitsOf(corpus.length, { cold, folder, archive: archives, zip: zips }),
      body: table(["export", "CPU s", "wall s", "peak MB"], rows),
      isPartial: Number(count) !== copies,
    };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function row(name: string, usages: readonly Usage[]): string[] {
  const middle = (field: "cpuSeconds" | "wallSeconds") =>
    median(usages.map((usage) => usage[field])).toFixed(2);
  return [name, middle("cpuSeconds"), middle("wallSeconds"), (peakOf(usages) / 1e6).toFixed(0)];
}

function peakOf(usages: readonly Usage[]): number {
  return Math.max(...usages.map(({ peakBytes }) => peakBytes));
}

interface Measured {
  readonly cold: Usage;
  readonly folder: readonly Usage[];
  readonly archive: readonly Usage[];
  readonly zip: readonly Usage[];
}

function limitsOf(pages: number, measured: Measured): Limit[] {
  const peak = peakOf([measured.cold, ...measured.folder, ...measured.archive, ...measured.zip]);
  const memory = {
    name: `peak memory of an export of ${pages} pages, all its processes`,
    limit: "at most 1.5 GB",
    measured: `${(peak / 1e9).toFixed(2)} GB`,
    holds: peak <= memoryLimit,
  };
  const cpu = (["folder", "archive", "zip"] as const).map((kind): Limit => {
    const seconds = median(measured[kind].map(({ cpuSeconds }) => cpuSeconds));
    return {
      name: `CPU of an export again after one edited page of ${pages}, ${kind}`,
      limit: `at most ${cpuLimits[kind]} s`,
      measured: `${seconds.toFixed(1)} s`,
      holds: seconds <= cpuLimits[kind],
    };
  });
  return [memory, ...cpu];
}
