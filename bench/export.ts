import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { runtimeFlags } from "../test/support/program.ts";
import { measure } from "./process-meter.ts";
import type { Usage } from "./process-meter.ts";
import type { Section } from "./results.ts";
import { table } from "./table.ts";

const repository = resolve(import.meta.dirname, "..");

/** Exports each site twice with one cache: cold, and again with nothing changed. */
export async function benchExports(sitesDir: string, only: string | undefined): Promise<Section> {
  const rows: string[][] = [];
  for (const entry of (await readdir(sitesDir, { withFileTypes: true })).toSorted(byName)) {
    if (!entry.isDirectory() || (only !== undefined && entry.name !== only)) continue;
    rows.push(...(await benchSite(join(sitesDir, entry.name), entry.name)));
  }
  const head = [
    "site",
    "run",
    "pages",
    "CPU s",
    "pages per CPU s",
    "wall s",
    "peak MB",
    "bundle MB",
  ];
  const title = "Exports of real sites";
  return { title, limits: [], body: table(head, rows), isPartial: only !== undefined };
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}

async function benchSite(site: string, name: string): Promise<string[][]> {
  const work = await mkdtemp(join(tmpdir(), "octavo-bench-"));
  try {
    const out = join(work, "out");
    const command = [
      process.execPath,
      ...runtimeFlags,
      join(repository, "packages/octavo/bin/octavo.js"),
      "export",
      site,
      "--out",
      out,
      "--cache",
      join(work, "cache"),
      "--json",
    ];
    const rows: string[][] = [];
    for (const run of ["cold", "again"]) {
      const usage = await measure(command, { cwd: work });
      rows.push(row(name, run, usage, await folderBytes(out)));
    }
    return rows;
  } finally {
    await rm(work, { recursive: true });
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function row(name: string, run: string, usage: Usage, bytes: number): string[] {
  const { pages } = JSON.parse(usage.stdout) as { pages: number };
  return [
    name,
    run,
    String(pages),
    usage.cpuSeconds.toFixed(2),
    (pages / usage.cpuSeconds).toFixed(0),
    usage.wallSeconds.toFixed(2),
    megabytes(usage.peakBytes),
    megabytes(bytes),
  ];
}

async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}
