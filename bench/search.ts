/**
 * `npm run bench:search -- [pages or folder]`: how soon a reader of a site of 5,000 pages sees the first
 * result. Each time is the median of five, each on a fresh page with nothing loaded: from the key that opens
 * the search to the frame with the first result, the letters typed right after it; opened as files and over
 * HTTP, with the processor as it is and four times slower. Other work on the machine moves these times, so
 * the CPU time of the page's main thread stands beside them. Then what the index weighs. A folder is that
 * of a bundle of such a site, to measure again without making it anew. Two folders are bundles of one site by two
 * versions: their queries are measured in turns, and the second is compared with the first.
 */
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import type { Browser, CDPSession } from "playwright-core";
import { renderSite } from "../packages/site/src/export/index.ts";
import { launchChromium } from "../test/support/chromium.ts";
import { serveFolder } from "../test/support/serve-folder.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { writeSearchSite } from "./search-site.ts";
import { table } from "./table.ts";

const runs = 5;
const limitMs = 300;
/** After this there is no result. */
const patienceMs = 10_000;

/** The pages whose titles are the queries of a comparison, and how often each query is measured. */
const comparedPages = 8;
const comparedRuns = 3;

/** Notes in the page when the first key went down and when the first result was painted. */
const stopwatch = `
  addEventListener("keydown", (event) => { window.firstKey ??= event.timeStamp; }, true);
  window.firstResult = new Promise((resolve) => {
    new MutationObserver((_, observer) => {
      if (!document.querySelector("#search [role=option]")) return;
      observer.disconnect();
      requestAnimationFrame(() => resolve(performance.now() - window.firstKey));
    }).observe(document, { childList: true, subtree: true });
    setTimeout(resolve, ${patienceMs}, NaN);
  });
`;

interface Visit {
  readonly url: string;
  readonly typed: string;
  /** How many times slower than it is the processor is made. */
  readonly slowness: number;
}

const [, , asked = "5000", other] = process.argv;
if (other !== undefined) {
  await compare([asked, other]);
} else if (/^\d+$/.test(asked)) {
  await using folder = await temporaryFolder();
  const [siteDir, outDir] = [join(folder.path, "site"), join(folder.path, "out")];
  await writeSearchSite(siteDir, Number(asked));
  await renderSite({ siteDir, outDir });
  await measure(outDir);
} else {
  await measure(asked);
}

async function measure(bundle: string): Promise<void> {
  const [first = ""] = (await listPages(bundle))
    .map(({ path }) => path)
    .filter((path) => path.includes("/"));
  const queries = queriesOf(await readFile(join(bundle, first), "utf8"));
  await using server = await serveFolder(bundle);
  await using browser = await launchChromium();
  const bases = [
    ["file", pathToFileURL(`${bundle}/`).href],
    ["HTTP", server.url],
  ] as const;
  const rows: string[][] = [];
  const ways = [1, 4].flatMap((slowness) =>
    bases.map(([name, base]) => ({ slowness, name, base })),
  );
  for (const [kind, typed] of queries) {
    const medians: Times[] = [];
    for (const { slowness, base } of ways) {
      medians.push(await medianOf(browser, { url: base + first, typed, slowness }));
    }
    const unthrottled = medians.filter((_, index) => ways[index]?.slowness === 1);
    const cpu = Math.max(...unthrottled.map((times) => times.cpu));
    rows.push([kind, typed, ...medians.map(({ wall }) => wall.toFixed(0)), cpu.toFixed(0)]);
  }
  const columns = ways.map(({ name, slowness }) => `${name}, ${slowness}×, ms`);
  process.stdout.write(`${table(["query", "typed", ...columns, "CPU, ms"], rows)}\n\n`);
  process.stdout.write(`Limit: ${limitMs} ms.\n\n${await weigh(bundle)}\n`);
}

async function compare(bundles: readonly [string, string]): Promise<void> {
  const all = (await listPages(bundles[0])).filter(
    ({ path }) => !/(?:^|\/)index\.html$/.test(path),
  );
  // A search finds pages of its language and version only.
  const pages = all.filter(({ scope }) => scope === all[0]?.scope).map(({ path }) => path);
  const step = Math.max(1, Math.floor(pages.length / comparedPages));
  const [first = ""] = pages;
  await using browser = await launchChromium();
  const times: Times[][] = bundles.map(() => []);
  for (let at = 0; at < comparedPages; at += 1) {
    const html = await readFile(join(bundles[0], pages[at * step] ?? first), "utf8");
    for (const [, typed] of queriesOf(html).filter(([, text]) => text.length > 0)) {
      for (let turn = 0; turn < comparedRuns * bundles.length; turn += 1) {
        const index = turn % bundles.length;
        const url = pathToFileURL(join(bundles[index] ?? "", first)).href;
        times[index]?.push(await timesOf(browser, { url, typed, slowness: 1 }));
      }
    }
  }
  const rows = (["wall", "cpu"] as const).flatMap((kind) =>
    ([50, 95] as const).map((percent) => {
      const [before = NaN, after = NaN] = times.map((all) =>
        percentile(
          all.map((one) => one[kind]),
          percent,
        ),
      );
      return [
        `${kind}, p${percent}`,
        before.toFixed(1),
        after.toFixed(1),
        (after / before).toFixed(3),
      ];
    }),
  );
  process.stdout.write(`${table(["ms", "first", "second", "ratio"], rows)}\n`);
  const lost = times.map((all) => all.filter(({ wall }) => Number.isNaN(wall)).length);
  process.stdout.write(
    `${times[0]?.length} queries each, ${lost.join(" and ")} without a result\n`,
  );
}

interface SearchedPage {
  readonly path: string;
  /** The indexes that its search uses. */
  readonly scope: string;
}

/**
 * Lists the pages whose readers find something. A page that has moved has no search: it leads to another one, which ends
 * a measurement.
 */
async function listPages(bundle: string): Promise<readonly SearchedPage[]> {
  const paths = (await readdir(bundle, { recursive: true })).toSorted();
  const pages: SearchedPage[] = [];
  for (const path of paths.filter((name) => /(?<!(?:^|\/)404)\.html$/.test(name))) {
    const html = await readFile(join(bundle, path), "utf8");
    const [, scope = ""] = /<html [^>]*data-search="([^"]*)"/.exec(html) ?? [];
    if (scope !== "") pages.push({ path, scope });
  }
  return pages;
}

function percentile(list: readonly number[], percent: number): number {
  const known = list.filter((value) => !Number.isNaN(value)).toSorted((a, b) => a - b);
  return known[Math.min(known.length - 1, Math.floor((known.length * percent) / 100))] ?? NaN;
}

/** A single letter, a word, all of a title, a word with a wrong first letter. */
function queriesOf(html: string): readonly (readonly [kind: string, typed: string])[] {
  const title = (/<title>([^<]*?)(?: - [^<]*)?<\/title>/.exec(html)?.[1] ?? "").toLowerCase();
  const word = title.split(" ").toSorted((a, b) => b.length - a.length)[0] ?? "";
  return [
    ["a letter", word.slice(0, 1)],
    ["two letters", word.slice(0, 2)],
    ["a word", word],
    ["a title", title],
    ["a typo", `q${word.slice(1)}`],
  ];
}

interface Times {
  readonly wall: number;
  /** The CPU time of the page's main thread. */
  readonly cpu: number;
}

function middle(list: readonly number[]): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? NaN;
}

async function medianOf(browser: Browser, visit: Visit): Promise<Times> {
  const times: Times[] = [];
  for (let run = 0; run < runs; run += 1) times.push(await timesOf(browser, visit));
  return { wall: middle(times.map(({ wall }) => wall)), cpu: middle(times.map(({ cpu }) => cpu)) };
}

async function timesOf(browser: Browser, { url, typed, slowness }: Visit): Promise<Times> {
  await using context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(stopwatch);
  await page.goto(url, { waitUntil: "load" });
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowness });
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const before = await busyMs(session);
  await page.keyboard.type(`/${typed}`);
  const wall = await page.evaluate<number>("window.firstResult");
  return { wall, cpu: (await busyMs(session)) - before };
}

/** CPU time that the page's main thread took so far. */
async function busyMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? NaN);
}

/** Measures the size of the index for a page, by kind of file. */
async function weigh(bundle: string): Promise<string> {
  const folder = join(bundle, "_octavo/search");
  const files = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith(".js"));
  const pages = (await listPages(bundle)).length;
  const sums = new Map<string, { files: number; bytes: number; packed: number }>();
  for (const file of files) {
    const content = await readFile(join(folder, file));
    for (const kind of [file.replace(/^.*\/|-?\d*\.js$/g, ""), "all"]) {
      const sum = sums.get(kind) ?? { files: 0, bytes: 0, packed: 0 };
      sum.files += 1;
      sum.bytes += content.length;
      sum.packed += gzipSync(content).length;
      sums.set(kind, sum);
    }
  }
  const rows = [...sums].map(([kind, { files: count, bytes, packed }]) => [
    kind,
    String(count),
    (bytes / pages).toFixed(0),
    (packed / pages).toFixed(0),
  ]);
  return `${pages} pages\n\n${table(["part", "files", "bytes per page", "gzipped"], rows)}`;
}
