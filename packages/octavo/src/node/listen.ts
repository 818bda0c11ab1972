import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Config } from "../config/index.ts";
import { OctavoError } from "@octavo/site/core";

interface HttpServer {
  readonly server: Server;
  listen(address: { readonly host: string; readonly port: number }): Promise<unknown>;
  close(): Promise<unknown>;
}

/** The port that requests are then taken on. A server that cannot listen is closed. */
export async function listen(server: HttpServer, config: Config): Promise<number> {
  try {
    await server.listen({ host: config.host, port: config.port });
  } catch (cause) {
    await server.close();
    throw notListening(config, cause);
  }
  return (server.server.address() as AddressInfo).port;
}

/** A sentence for why a server cannot take requests. */
export function notListening(
  { host, port }: Pick<Config, "host" | "port">,
  cause: unknown,
): OctavoError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: "another program has it; choose one by --port, or 0 for any that is free",
    EACCES: "the system does not allow it to this user",
    EADDRNOTAVAIL: "this machine has no such address",
    ENOTFOUND: "this machine has no such address",
  };
  const code = (cause as NodeJS.ErrnoException).code ?? "";
  const reason = reasons[code] ?? `the system refused it (${code})`;
  const message = `Octavo cannot take requests on ${host}, port ${port}: ${reason}.`;
  return new OctavoError("unavailable", message, { cause });
}
