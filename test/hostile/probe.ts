import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** How long others waited meanwhile, in milliseconds. */
export interface Delays {
  readonly requests: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

export interface Probe {
  end(): Promise<Delays>;
}

/** Asks an address 40 times a second, from a thread of its own. */
export function startProbe(url: string, headers: Readonly<Record<string, string>> = {}): Probe {
  const thread = new Worker(new URL("probe-thread.ts", import.meta.url), {
    workerData: { url, headers },
  });
  return {
    async end() {
      const told = once(thread, "message") as Promise<[readonly number[]]>;
      thread.postMessage("end", []);
      const [delays] = await told;
      return summarize(delays);
    },
  };
}

function summarize(delays: readonly number[]): Delays {
  const sorted = delays.toSorted((one, other) => one - other);
  const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  return { requests: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}
