import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Page } from "playwright-core";
import { launchChromium } from "../test/support/chromium.ts";
import { runtimeFlags } from "../test/support/program.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import type { Limit, Section } from "./results.ts";
import { table } from "./table.ts";

const program = resolve(import.meta.dirname, "../packages/octavo/bin/octavo.js");
const pageCount = 1_000;
const savedPage = "reference/markdown";
const rounds = 20;
/** From a save to the page that shows it. */
const mostMs = 200;
/** Rounds before those that count: the first pages make the renderer fast. */
const warmRounds = 5;

interface Saved {
  readonly what: string;
  /** The page's text after the nth save. */
  readonly text: (source: string, round: number) => string;
}

const saves: readonly Saved[] = [
  { what: "a page's text", text: (source, round) => `${source}\n\nRound ${round}.\n` },
  {
    what: "a page's title, which every page shows",
    text: (source, round) => source.replace(/^title: .*$/m, `title: "Round ${round}"`),
  },
];

/**
 * From the writing of a file to the browser's `load` of the page that shows it, in a preview of a site of 1,000
 * pages, and from the start of the program to the first page's `load`. Chromium is one of the processes that
 * share the machine.
 */
export async function benchDev(): Promise<Section> {
  await using folder = await temporaryFolder();
  const site = folder.path;
  await writeLargeSite(site);
  const file = `part-1/${savedPage}.mdx`;
  await using browser = await launchChromium();
  const page = await browser.newPage();
  await page.goto("about:blank");
  const rows: string[][] = [];
  const limits: Limit[] = [];
  const started = performance.now();
  const dev = spawn(process.execPath, [...runtimeFlags, program, "dev", site, "--port", "0"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const { address, pages } = await introductionOf(dev.stdout);
    await page.goto(address + file.replace(/\.mdx?$/, ".html"), { waitUntil: "load" });
    rows.push([`start, to the first page shown, ${pages} pages`, ms(performance.now() - started)]);
    const source = await readFile(join(site, file), "utf8");
    for (const save of saves) {
      const times = await timesOf(page, join(site, file), (round) => save.text(source, round));
      rows.push([`save ${save.what}`, ms(at(times, 0.5)), ms(at(times, 0.95))]);
      limits.push(limitOf(save, at(times, 0.5)));
    }
  } finally {
    dev.kill("SIGINT");
    await once(dev, "exit");
  }
  const body = table(["preview", "median ms", "p95 ms"], rows);
  return { title: "The preview of a site of 1,000 pages", limits, body };
}

function limitOf({ what }: Saved, measured: number): Limit {
  return {
    name: `preview of 1,000 pages, after a save of ${what}, median`,
    limit: `${mostMs} ms`,
    measured: `${ms(measured)} ms`,
    holds: measured < mostMs,
  };
}

/** The manual of this repository as many times over as make 1,000 pages, each time in a group of its own. */
async function writeLargeSite(folder: string): Promise<void> {
  const manual = resolve(import.meta.dirname, "../docs");
  const entries = await readdir(manual, { recursive: true });
  const files = entries.filter((name) => /\.mdx?$/.test(name));
  const pages = files.map((name) => name.replace(/\.mdx?$/, ""));
  const parts = Array.from({ length: Math.ceil(pageCount / pages.length) }, (_, at) => at + 1);
  const groups = [];
  for (const part of parts) {
    await cp(manual, join(folder, `part-${part}`), { recursive: true });
    await rm(join(folder, `part-${part}/docs.json`));
    groups.push({ group: `Part ${part}`, pages: pages.map((page) => `part-${part}/${page}`) });
  }
  const configuration = { name: "Large", theme: "mint", navigation: { groups } };
  await writeFile(join(folder, "docs.json"), JSON.stringify(configuration));
}

async function introductionOf(stdout: NodeJS.ReadableStream) {
  for await (const line of createInterface({ input: stdout })) {
    const found = /Showing ([\d,]+) pages at (\S+?),/.exec(line);
    if (found) return { pages: found[1] ?? "", address: found[2] ?? "" };
  }
  throw new Error("The preview ended before it was ready.");
}

async function timesOf(
  page: Page,
  file: string,
  text: (round: number) => string,
): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < warmRounds + rounds; round += 1) {
    // As a person does, who saves when nothing is under way.
    await page.waitForTimeout(300);
    const loaded = page.waitForEvent("load");
    const start = performance.now();
    await writeFile(file, text(round));
    await loaded;
    if (round >= warmRounds) times.push(performance.now() - start);
  }
  return times.toSorted((one, other) => one - other);
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function ms(time: number): string {
  return time.toFixed(0);
}
