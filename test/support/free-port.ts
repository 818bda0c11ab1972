import { once } from "node:events";
import { createServer } from "node:net";
import type { ListenOptions, Server } from "node:net";

/** Below what Linux (32768), macOS and Windows (49152) hand out to whoever asks for any port. */
const [first, count] = [20_000, 10_000];

/**
 * A free port of 127.0.0.1 that stays free until its program listens, and while that is started again: what the
 * system gave for any would be given to others meanwhile. On Linux no other test is given it while this process runs.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * count);
    if ((await reserve(port)) && (await isFree(port))) return port;
  }
}

/** Whether this process could reserve it: by a name of Linux' that belongs to one process and ends with it, see unix(7). */
async function reserve(port: number): Promise<boolean> {
  if (process.platform !== "linux") return true;
  return (await listen({ path: `\0octavo-test-port-${port}` }))?.unref() !== undefined;
}

async function isFree(port: number): Promise<boolean> {
  const server = await listen({ port, host: "127.0.0.1" });
  server?.close();
  if (server) await once(server, "close");
  return server !== undefined;
}

/** Undefined where somebody listens already. */
async function listen(address: ListenOptions): Promise<Server | undefined> {
  const server = createServer().listen(address);
  try {
    await once(server, "listening");
    return server;
  } catch {
    return undefined;
  }
}
