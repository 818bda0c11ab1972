import type { Config } from "../config/index.ts";
import { OctavoError } from "@octavo/site/core";

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
