import { Agent, get, type OutgoingHttpHeaders } from "node:http";
import { cpuSecondsOf } from "./process-meter.ts";

const connections = 16;
const warmUpReads = 20_000;

export interface ReadServer {
  readonly url: string;
  readonly pid: number;
}

/** Reads one address of a server over connections that stay open, as fast as it answers. */
export interface Reader extends Disposable {
  /** Gives the seconds of CPU that the server took for one read, in a run of `seconds`. */
  measure(seconds: number): Promise<number>;
}

/** Reads so often before the first measurement that what the server runs is compiled. */
export async function openReader(
  { url, pid }: ReadServer,
  path: string,
  headers: OutgoingHttpHeaders,
): Promise<Reader> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const address = `${url}${path}`;
  const read = () =>
    new Promise<void>((resolve, reject) => {
      get(address, { agent, headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${address}: ${response.statusCode}`));
        response.resume().once("end", resolve);
      }).once("error", reject);
    });
  async function readWhile(more: () => boolean): Promise<number> {
    let reads = 0;
    async function client(): Promise<void> {
      for (; more(); reads += 1) await read();
    }
    await Promise.all(Array.from({ length: connections }, client));
    return reads;
  }
  let left = warmUpReads;
  await readWhile(() => left-- > 0);
  return {
    async measure(seconds) {
      const until = performance.now() + seconds * 1_000;
      const before = cpuSecondsOf(pid);
      const reads = await readWhile(() => performance.now() < until);
      return (cpuSecondsOf(pid) - before) / reads;
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}
