import { once } from "node:events";
import { createServer } from "node:net";

/** Below what Linux (32768), macOS and Windows (49152) hand out to whoever asks for any port. */
const [first, count] = [20_000, 10_000];

/**
 * A free port of 127.0.0.1 that stays free until its program listens, and while that is started again: what the
 * system gave for any would be given to others meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * count);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
