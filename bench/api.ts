import { Agent, get } from "node:http";
import { startService } from "../test/support/service.ts";
import type { RunningService } from "../test/support/service.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { cpuSecondsOf } from "./process-meter.ts";
import { table } from "./table.ts";

const domain = "demo.localhost";
const starts = 40;
const statusSeconds = 5;
const connections = 16;

/** Measures the service as its clients meet it, on embedded parts with the demo project. */
export async function benchApi(): Promise<string> {
  await using data = await temporaryFolder();
  await using service = await startService({ data: data.path, args: ["--demo"] });
  const { jobId, delays } = await timeToRunning(service);
  const { requests, cpuSeconds } = await readStatus(service, jobId);
  const percentile = (share: number) =>
    `${delays.toSorted((a, b) => a - b)[Math.ceil(delays.length * share) - 1]?.toFixed(1)} ms`;
  return table(
    ["measure", "value"],
    [
      ["POST to running, median", percentile(0.5)],
      ["POST to running, p95", percentile(0.95)],
      ["status reads per CPU second", (requests / cpuSeconds).toFixed(0)],
      ["CPU a status read", `${((cpuSeconds / requests) * 1e6).toFixed(0)} µs`],
    ],
  );
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

async function readStatus(
  service: RunningService,
  jobId: string,
): Promise<{ requests: number; cpuSeconds: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const url = `${service.url}/v1/static-export/jobs/${jobId}`;
  const headers = { authorization: `Bearer ${service.key}` };
  const read = () =>
    new Promise<void>((resolve, reject) => {
      get(url, { agent, headers }, (response) => response.resume().once("end", resolve)).once(
        "error",
        reject,
      );
    });
  for (let index = 0; index < 500; index += 1) await read();
  const before = cpuSecondsOf(service.pid);
  const until = performance.now() + statusSeconds * 1_000;
  let requests = 0;
  async function client(): Promise<void> {
    for (; performance.now() < until; requests += 1) await read();
  }
  await Promise.all(Array.from({ length: connections }, client));
  agent.destroy();
  return { requests, cpuSeconds: cpuSecondsOf(service.pid) - before };
}
