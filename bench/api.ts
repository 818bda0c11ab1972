import { randomBytes } from "node:crypto";
import { startPostgres } from "../test/support/postgres.ts";
import { startService } from "../test/support/service.ts";
import type { RunningService } from "../test/support/service.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { startBareStatus, statementsDuring } from "./bare-server.ts";
import { cpuSecondsOf } from "./process-meter.ts";
import { progress } from "./progress.ts";
import type { Section } from "./results.ts";
import { median, quantile } from "./statistics.ts";
import { openReader, type Reader, type ReadServer } from "./reader.ts";
import { table } from "./table.ts";

const domain = "demo.localhost";
const starts = 40;
const pairs = 11;
const statusSeconds = 1.5;
const warmStarts = 5;
const limits = { runningMs: 50, bareShare: 0.6, startSeconds: 2 } as const;

/** The service as its clients and its operator meet it, with the demo project. */
export async function benchApi(): Promise<Section> {
  await using data = await temporaryFolder();
  const seconds = await timeStarts(data.path);
  const embedded = await benchEmbedded(data.path);
  const postgres = await benchPostgres();
  const warm = median(seconds.warm);
  const share = median(postgres.shares);
  const running = (share: number) =>
    [embedded, postgres].map(({ delays }) => `${quantile(delays, share).toFixed(1)} ms`);
  const p95 = Math.max(...[embedded, postgres].map(({ delays }) => quantile(delays, 0.95)));
  return {
    title: "The service",
    limits: [
      {
        name: "reading a job's status, requests per core, of bare node:http's",
        limit: `at least ${limits.bareShare}`,
        measured: share.toFixed(2),
        holds: share >= limits.bareShare,
      },
      {
        name: "from POST to a running worker, 95th percentile, the slower database",
        limit: `under ${limits.runningMs} ms`,
        measured: `${p95.toFixed(1)} ms`,
        holds: p95 < limits.runningMs,
      },
      {
        name: "start of the service, warm",
        limit: `under ${limits.startSeconds} s`,
        measured: `${warm.toFixed(2)} s`,
        holds: warm < limits.startSeconds,
      },
    ],
    body: table(
      ["measure", "embedded database", "PostgreSQL"],
      [
        ["POST to running, median", ...running(0.5)],
        ["POST to running, 95th percentile", ...running(0.95)],
        ["CPU a status read", micros(embedded.cpuSeconds), micros(median(postgres.ours))],
        ["CPU a status read, bare node:http, same queries", "", micros(median(postgres.bare))],
        ["status reads per core, of bare node:http", "", shareText(postgres.shares)],
        ["the same, fastest run of each", "", fastestShare(postgres).toFixed(2)],
        ["first start", `${seconds.first.toFixed(2)} s`, ""],
        ["warm start, median", `${warm.toFixed(2)} s`, ""],
        ["warm start, CPU", `${median(seconds.warmCpu).toFixed(2)} s`, ""],
      ],
    ),
  };
}

function micros(seconds: number): string {
  return `${(seconds * 1e6).toFixed(0)} µs`;
}

function shareText(shares: readonly number[]): string {
  const [least, most] = [Math.min(...shares).toFixed(2), Math.max(...shares).toFixed(2)];
  return `${median(shares).toFixed(2)} (${least} to ${most})`;
}

/** Other load on the machine only adds to a run's CPU time, so the minimum varies less than the median. */
function fastestShare({ ours, bare }: PostgresFigures): number {
  return Math.min(...bare) / Math.min(...ours);
}

/** In seconds, until the service says that it is ready. */
interface Starts {
  readonly first: number;
  readonly warm: readonly number[];
  /** Seconds of CPU; those are the same on a machine that does other work. */
  readonly warmCpu: readonly number[];
}

/** The first start makes the data folder, with the demo project; the others find it. */
async function timeStarts(data: string): Promise<Starts> {
  const warm: number[] = [];
  const warmCpu: number[] = [];
  let first = 0;
  for (let index = 0; index <= warmStarts; index += 1) {
    progress(`starting the service, ${index + 1} of ${warmStarts + 1}`);
    const started = performance.now();
    await using service = await startService({ data, args: ["--demo"] });
    const seconds = (performance.now() - started) / 1_000;
    if (index === 0) {
      first = seconds;
    } else {
      warm.push(seconds);
      warmCpu.push(cpuSecondsOf(service.pid));
    }
    await service.end("SIGTERM");
  }
  return { first, warm, warmCpu };
}

async function benchEmbedded(data: string): Promise<{ delays: number[]; cpuSeconds: number }> {
  progress("the service on its embedded database");
  await using service = await startService({ data, args: ["--demo"] });
  const { jobId, delays } = await timeToRunning(service);
  using reader = await openStatusReader(service, jobId, service.key);
  return { delays, cpuSeconds: await reader.measure(statusSeconds) };
}

/** Seconds of CPU for each read, in pairs, and what share of the bare server's reads the service does on a core. */
interface PostgresFigures {
  readonly delays: readonly number[];
  readonly ours: readonly number[];
  readonly bare: readonly number[];
  readonly shares: readonly number[];
}

async function benchPostgres(): Promise<PostgresFigures> {
  progress("the service on PostgreSQL, beside bare node:http");
  await using postgres = await startPostgres();
  await using data = await temporaryFolder();
  const url = await postgres.createDatabase();
  const env = { DATABASE_URL: url, OCTAVO_SECRET: randomBytes(32).toString("hex") };
  await using service = await startService({ data: data.path, args: ["--demo"], env });
  const { jobId, delays } = await timeToRunning(service);
  using reader = await openStatusReader(service, jobId, service.key);
  const statements = await statementsDuring(reader.measure(statusSeconds), url);
  using bareServer = await startBareStatus(url, statements);
  using bareReader = await openStatusReader(bareServer, jobId, service.key);
  const ours: number[] = [];
  const bare: number[] = [];
  for (let index = 0; index < pairs; index += 1) {
    const inTurn = index % 2 === 0;
    if (inTurn) ours.push(await reader.measure(statusSeconds));
    bare.push(await bareReader.measure(statusSeconds));
    if (!inTurn) ours.push(await reader.measure(statusSeconds));
  }
  const shares = ours.map((seconds, index) => (bare[index] ?? Number.NaN) / seconds);
  return { delays, ours, bare, shares };
}

/** From the moment a client sends the POST until the job's event stream says `running`, in milliseconds. */
async function timeToRunning(
  service: RunningService,
): Promise<{ jobId: string; delays: number[] }> {
  const headers = { authorization: `Bearer ${service.key}`, "content-type": "application/json" };
  const delays: number[] = [];
  let jobId = "";
  for (let index = 0; index < starts; index += 1) {
    const sent = performance.now();
    const response = await fetch(`${service.url}/v1/static-export/jobs`, {
      method: "POST",
      headers,
      body: JSON.stringify({ domain }),
    });
    ({ jobId } = (await response.json()) as { jobId: string });
    const events = await fetch(`${service.url}/v1/static-export/jobs/${jobId}/events`, { headers });
    let text = "";
    let ran = 0;
    for await (const chunk of events.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (ran === 0 && /"status":"(running|completed)"/.test(text)) ran = performance.now();
    }
    delays.push(ran - sent);
  }
  return { jobId, delays };
}

function openStatusReader(server: ReadServer, jobId: string, key: string): Promise<Reader> {
  const headers = { authorization: `Bearer ${key}` };
  return openReader(server, `/v1/static-export/jobs/${jobId}`, headers);
}
