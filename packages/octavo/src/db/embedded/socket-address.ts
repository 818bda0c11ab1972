import { open, realpath } from "node:fs/promises";
import { join } from "node:path";

export interface SocketAddress extends AsyncDisposable {
  readonly path: string;
}

/**
 * The address of the socket in the data folder by which other processes use the embedded database. An address holds
 * 107 bytes; on Linux any folder fits, by its descriptor, which has to stay open as long as the address is used.
 */
export async function openSocketAddress(dataDir: string): Promise<SocketAddress> {
  const name = "octavo.sock";
  if (process.platform !== "linux") {
    return { path: join(await realpath(dataDir), name), async [Symbol.asyncDispose]() {} };
  }
  const folder = await open(dataDir);
  return {
    path: `/proc/self/fd/${folder.fd}/${name}`,
    [Symbol.asyncDispose]: () => folder.close(),
  };
}
