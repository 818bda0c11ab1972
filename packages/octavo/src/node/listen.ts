import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Config } from "../config/index.ts";
import { OctavoError } from "@octavo/site/core";

interface HttpServer {
  readonly server: Server;
  listen(address: { readonly host: string; readonly port: number }): Promise<unknown>;
  close(): Promise<unknown>;
}

/** Starts listening and returns the port. If the server cannot listen, closes it and throws. */
export async function listen(server: HttpServer, config: Config): Promise<number> {
  try {
    await server.listen({ host: config.host, port: config.port });
  } catch (cause) {
    await server.close();
    throw createListenError(config, cause);
  }
  return (server.server.address() as AddressInfo).port;
}

/** Creates an error that explains why a server cannot listen. */
export function createListenError(
  { host, port }: Pick<Config, "host" | "port">,
  cause: unknown,
): OctavoError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} is already in use. Choose another port with --port, or use --port 0 for any free port`,
    EACCES: `This user is not allowed to listen on port ${port}`,
    EADDRNOTAVAIL: `This machine does not have the address ${host}`,
    ENOTFOUND: `This machine does not have the address ${host}`,
  };
  const code = (cause as NodeJS.ErrnoException).code ?? "";
  const reason = reasons[code] ?? `The system refused to listen on ${host}, port ${port} (${code})`;
  const message = `${reason}.`;
  return new OctavoError("unavailable", message, { cause });
}
