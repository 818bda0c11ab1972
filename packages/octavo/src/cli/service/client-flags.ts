import type { Command } from "commander";
import { loginsFile, readClientVariables } from "../../config/index.ts";
import { OctavoError } from "@octavo/site/core";
import type { Client, Login, Logins } from "../../client/index.ts";
import { readServiceUrl } from "../flags.ts";
import type { CommandContext } from "../context.ts";

export interface ClientFlags {
  readonly url?: string;
  readonly json?: true;
}

/** Flags of every command that calls a running service. */
export function addClientFlags(command: Command): Command {
  return command
    .option("--url <url>", "address of the service (default: the last one that you logged in to)")
    .option("--json", "print the result, or the error, as JSON");
}

/**
 * The service that a command calls. Its address is the flag's, else `OCTAVO_URL`, else that of the last login; its key is
 * `OCTAVO_KEY`, else that of the login for this address: a key is sent to no other service than its own.
 */
export async function openClient(context: CommandContext, flags: ClientFlags): Promise<Client> {
  const { createClient, readLogins } = await import("../../client/index.ts");
  const file = loginsFile(context.env);
  const logins = file === undefined ? [] : await readLogins(file);
  return createClient({ ...chooseLogin(context, flags, logins), signal: context.interrupted() });
}

function chooseLogin({ env }: CommandContext, flags: ClientFlags, logins: Logins): Login {
  const given = readClientVariables(env);
  const url = readServiceUrl("--url", flags.url) ?? readServiceUrl("OCTAVO_URL", given.url);
  const login = url === undefined ? logins[0] : logins.find((one) => one.url === url);
  if (given.key !== undefined && url !== undefined) return { url, key: given.key };
  if (login !== undefined) return login;
  throw new OctavoError(
    "invalid_input",
    `There is no key for ${url ?? "a service"}: log in with "octavo login --url ${url ?? "<url>"}", or set OCTAVO_URL and OCTAVO_KEY.`,
  );
}
