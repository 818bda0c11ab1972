import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import type { StoredArchive } from "../packages/octavo/src/bundles/index.ts";
import { createFileStorage, createS3Storage } from "../packages/octavo/src/storage/index.ts";
import type { Storage } from "../packages/octavo/src/storage/index.ts";
import { packFolder } from "../test/support/pack-folder.ts";
import { startS3 } from "../test/support/s3-stand-in.ts";
import { temporaryFolder, writeFiles } from "../test/support/temporary-folder.ts";
import { progress } from "./progress.ts";
import { measurePushes } from "./publish/pushes.ts";
import { measureRollbacks } from "./publish/rollbacks.ts";
import type { BenchedNode } from "./publish/server.ts";
import { openReader, type ReadServer } from "./reader.ts";
import type { Section } from "./results.ts";
import { median } from "./statistics.ts";
import { table } from "./table.ts";

const limits = {
  sirvShare: 0.8,
  bareShare: 0.6,
  memoryBytes: 150e6,
  firstSeconds: 1.5,
  pushSeconds: 3,
  pushShare: 0.25,
  rollbackSeconds: 1,
} as const;
const pairs = 9;
const seconds = 1.5;
const siteCount = 200;
const askedSites = 10;
const pagesOfSite = 300;
const pagesOfLargeSite = 3_000;
const firstRequests = 5;
const host = "docs.localhost";

/** Measures the cost of readers of published sites for a node, and the time from a push or a rollback to readers. */
export async function benchPublish(): Promise<Section> {
  await using folder = await temporaryFolder();
  const costs = await measureCosts(join(folder.path, "cost"));
  const memory = await measureMemory(join(folder.path, "memory"));
  const first = await measureFirstRequests(join(folder.path, "first"));
  const pushes = await measurePushes(join(folder.path, "pushes"), pagesOfLargeSite);
  const rollbacks = await measureRollbacks(join(folder.path, "rollbacks"));
  const push = median(pushes.edits.map(({ seconds }) => seconds));
  const pushCpu = median(pushes.edits.map(({ cpuSeconds }) => cpuSeconds));
  const pushShare = pushCpu / pushes.cold.cpuSeconds;
  const rollback = Math.max(...rollbacks);
  const [ofSirv, ofBare] = [shareOf(costs.sirv, costs.octavo), shareOf(costs.bare, costs.octavo)];
  const megabytes = `${(memory / 1e6).toFixed(0)} MB`;
  const firstText = `${first.toFixed(2)} s`;
  return {
    title: "Published sites",
    limits: [
      {
        name: "requests per core of a page of 20 KB, gzip, of sirv's",
        limit: `at least ${limits.sirvShare}`,
        measured: ofSirv.toFixed(2),
        holds: ofSirv >= limits.sirvShare,
      },
      {
        name: "requests per core of a page of 20 KB, gzip, of bare node:http's from memory",
        limit: `at least ${limits.bareShare}`,
        measured: ofBare.toFixed(2),
        holds: ofBare >= limits.bareShare,
      },
      {
        name: `memory for ${siteCount} sites of ${pagesOfSite} pages, ${askedSites} of them read`,
        limit: `at most ${limits.memoryBytes / 1e6} MB`,
        measured: megabytes,
        holds: memory <= limits.memoryBytes,
      },
      {
        name: "first request of a site of 3,000 pages that is only in S3, median",
        limit: `at most ${limits.firstSeconds} s`,
        measured: firstText,
        holds: first <= limits.firstSeconds,
      },
      {
        name: "push of one edited page of 3,000 to what a reader gets, median",
        limit: `at most ${limits.pushSeconds} s`,
        measured: `${push.toFixed(2)} s`,
        holds: push <= limits.pushSeconds,
      },
      {
        name: "CPU of a push of one edited page of 3,000, of that of the first push",
        limit: `at most ${limits.pushShare}`,
        measured: pushShare.toFixed(2),
        holds: pushShare <= limits.pushShare,
      },
      {
        name: "rollback, from the call to two nodes, longest",
        limit: `at most ${limits.rollbackSeconds} s`,
        measured: `${rollback.toFixed(2)} s`,
        holds: rollback <= limits.rollbackSeconds,
      },
    ],
    body: table(
      ["measure", "Octavo", "sirv", "bare node:http"],
      [
        ["CPU a request", micros(costs.octavo), micros(costs.sirv), micros(costs.bare)],
        ["requests per core, of Octavo's", "1.00", ratio(ofSirv), ratio(ofBare)],
        [`memory for ${siteCount} sites`, megabytes, "", ""],
        ["first request from S3", firstText, "", ""],
        ["first push", describePush(pushes.cold.seconds, pushes.cold.cpuSeconds), "", ""],
        ["push of one edited page", describePush(push, pushCpu), "", ""],
        ["rollback, median", `${median(rollbacks).toFixed(2)} s`, "", ""],
      ],
    ),
  };
}

function describePush(seconds: number, cpuSeconds: number): string {
  return `${seconds.toFixed(2)} s, ${cpuSeconds.toFixed(2)} s of CPU`;
}

function micros(costs: readonly number[]): string {
  return `${(median(costs) * 1e6).toFixed(0)} µs`;
}

function ratio(share: number): string {
  return (1 / share).toFixed(2);
}

/** Other load on the machine moves both runs of a pair, so the median of their ratios varies least. */
function shareOf(others: readonly number[], ours: readonly number[]): number {
  return median(ours.map((seconds, at) => (others[at] ?? Number.NaN) / seconds));
}

/** A page of about 20 KB that is compressed as text is, to a quarter. */
function createPage(number: number): string {
  const words =
    "tide water ebb flood moon harbor pilot chart anchor sound depth table hour day".split(" ");
  let seed = number + 1;
  const sentences: string[] = [];
  for (let bytes = 0; bytes < 19_000;) {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    const sentence = `<p id="p${seed % 9_973}">${words[seed % words.length]} ${seed.toString(36)} ${words[(seed >> 5) % words.length]}</p>`;
    sentences.push(sentence);
    bytes += sentence.length;
  }
  return `<!doctype html><html lang="en" data-root="../"><head><link rel="stylesheet" href="../_octavo/octavo.css"><script defer src="../_octavo/octavo.js"></script></head><body>${sentences.join("\n")}</body></html>`;
}

/** Packs a site of pages into the storage. */
async function storeSite(storage: Storage, folder: string, pages: number): Promise<StoredArchive> {
  const files = Object.fromEntries(
    Array.from({ length: pages }, (_, at) => [`pages/${at}.html`, createPage(at)]),
  );
  await writeFiles(folder, { ...files, "_octavo/octavo.css": "", "name.txt": folder });
  const packed = await packFolder(folder, "zip", `${folder}.zip`);
  const key = `bundles/${packed.sha256}.zip`;
  await storage.put(key, `${folder}.zip`);
  return { key, format: "zip", bytes: packed.bytes };
}

type Server = ReadServer & Disposable;

async function startServer(kind: string, given: string): Promise<Server> {
  const program = join(import.meta.dirname, "publish/server.ts");
  const child = spawn(process.execPath, [...process.execArgv, program, kind, given], {
    env: process.env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [chunk] = (await once(child.stdout, "data")) as [Buffer];
  return {
    url: chunk.toString().trim(),
    pid: child.pid ?? 0,
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}

function startNode(node: BenchedNode): Promise<Server> {
  return startServer("octavo", JSON.stringify(node));
}

interface Costs {
  readonly octavo: number[];
  readonly sirv: number[];
  readonly bare: number[];
}

/** The seconds of CPU that each server takes for a request, in turns. */
async function measureCosts(folder: string): Promise<Costs> {
  progress("Published sites: a page, beside sirv and bare node:http");
  const stored = join(folder, "stored");
  const archive = await storeSite(createFileStorage(stored), join(folder, "site"), 50);
  const page = Buffer.from(createPage(7));
  const packed = gzipSync(page);
  const disk = join(folder, "disk");
  await writeFiles(disk, { "pages/7.html": page, "pages/7.html.gz": packed });
  await writeFile(join(folder, "page.gz"), packed);
  using octavo = await startNode({
    archives: { [host]: archive },
    storage: { folder: stored },
    copies: join(folder, "copies"),
  });
  using sirv = await startServer("sirv", disk);
  using bare = await startServer("bare", join(folder, "page.gz"));
  const headers = { host, "accept-encoding": "gzip, deflate, br" };
  const costs: Costs = { octavo: [], sirv: [], bare: [] };
  const servers = { octavo, sirv, bare };
  using readers = new DisposableStack();
  const opened = new Map<keyof Costs, Awaited<ReturnType<typeof openReader>>>();
  for (const name of ["octavo", "sirv", "bare"] as const) {
    opened.set(name, readers.use(await openReader(servers[name], "/pages/7", headers)));
  }
  for (let pair = 0; pair < pairs; pair += 1) {
    for (const [name, reader] of opened) costs[name].push(await reader.measure(seconds));
  }
  return costs;
}

async function ask(url: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const sent = get(url, { headers, agent: false });
  const [response] = await once(sent, "response");
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode}`);
  return await text(response);
}

/** Returns the bytes by which a node's memory grows when readers read every page of some of its sites. */
async function measureMemory(folder: string): Promise<number> {
  progress(`Published sites: memory for ${siteCount} sites`);
  const stored = join(folder, "stored");
  const storage = createFileStorage(stored);
  const archives: Record<string, StoredArchive> = {};
  for (let at = 0; at < siteCount; at += 1) {
    const known =
      at < askedSites
        ? await storeSite(storage, join(folder, `site-${at}`), pagesOfSite)
        : undefined;
    archives[`site-${at}.localhost`] = known ?? {
      key: `bundles/${at}.zip`,
      format: "zip",
      bytes: 1,
    };
  }
  const settings = { storage: { folder: stored }, copies: join(folder, "copies") };
  using empty = await startNode({ ...settings, archives: {} });
  using full = await startNode({ ...settings, archives });
  for (let at = 0; at < askedSites; at += 1) {
    for (let page = 0; page < pagesOfSite; page += 1) {
      const headers = { host: `site-${at}.localhost`, "accept-encoding": "gzip" };
      await ask(`${full.url}/pages/${page}`, headers);
    }
  }
  return readMemory(full.pid) - readMemory(empty.pid);
}

/** Returns the resident memory of a process in bytes. */
function readMemory(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1_024;
}

/** Returns the median of the seconds until a node that has nothing answers with a page of a large site. */
async function measureFirstRequests(folder: string): Promise<number> {
  progress("Published sites: the first request from S3");
  await using s3 = await startS3();
  Object.assign(process.env, s3.environment);
  const options = {
    bucket: s3.bucket,
    prefix: "octavo",
    endpoint: s3.url,
    region: s3.region,
    isPathStyle: true,
    hasDirectLinks: false,
  };
  const storage = await createS3Storage(options);
  const archive = await storeSite(storage, join(folder, "site"), pagesOfLargeSite);
  const times: number[] = [];
  for (let run = 0; run < firstRequests; run += 1) {
    using node = await startNode({
      archives: { [host]: archive },
      storage: { s3: options },
      copies: join(folder, `copies-${run}`),
    });
    const started = performance.now();
    await ask(`${node.url}/pages/1500`, { host });
    times.push((performance.now() - started) / 1_000);
  }
  return median(times);
}
