/** Asks an address again and again, beside a test that is busy itself, until it is told to end. */
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

const { url, headers } = workerData as {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
};
const everyMs = 25;
const delays: number[] = [];
const ended = new AbortController();

parentPort?.once("message", () => ended.abort());
while (!ended.signal.aborted) {
  const start = performance.now();
  const response = await fetch(url, { headers });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
  delays.push(performance.now() - start);
  await sleep(everyMs);
}
parentPort?.postMessage(delays, []);
