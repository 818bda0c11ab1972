import { Option } from "commander";
import type { Command } from "commander";
import { OctavoError } from "@octavo/site/core";
import type { Client, Login, Logins } from "../../client/index.ts";
import type { KeyScope } from "../../projects/index.ts";
import type { CommandContext } from "../context.ts";
import { addDataFlags, runWithRecords } from "../service-flags.ts";
import type { Records } from "../../node/index.ts";
import { findLoginsFile, readClientVariables } from "../../config/index.ts";
import { readServiceUrl } from "../flags.ts";

/** Flags that select the target: a running service, or a service's data on this machine. */
export interface TargetFlags {
  readonly url?: string;
  readonly org?: string;
}

export interface ClientFlags {
  readonly url?: string;
  readonly json?: true;
}

/** The flag that selects the organization for which a command acts. */
const organizationFlag = [
  "--org <id>",
  "ID of the organization; required if there are several",
] as const;

export function addTargetFlags(command: Command): Command {
  const url = new Option("--url <url>", "address of a running service to which you have logged in");
  return addDataFlags(command)
    .option(...organizationFlag)
    .addOption(url.conflicts(["data", "databaseUrl", "org"]));
}

/** Functions that give access to what a command manages, such as webhooks, for each kind of target. */
export interface ManagementTargets<Managed> {
  /** Returns access through the API of a running service, limited to the organization of the key. */
  readonly remote: (client: Client) => Managed;
  /** Returns access to the data on this machine. */
  readonly local: (records: Records, scope: KeyScope) => Managed;
}

export async function runOnTarget<Managed>(
  context: CommandContext,
  flags: TargetFlags,
  { remote, local }: ManagementTargets<Managed>,
  work: (managed: Managed) => Promise<void>,
): Promise<void> {
  const { url } = flags;
  if (url !== undefined) return await work(remote(await openServiceClient(context, { url })));
  await runWithRecords(context, { ...flags }, async (records) => {
    await work(local(records, await chooseOrganization(records, flags.org)));
  });
}

/** Adds the flags of every command that calls a running service. */
export function addClientFlags(command: Command): Command {
  return command
    .option("--url <url>", "address of the service (default: the one that you last logged in to)")
    .option("--json", "print the result, or the error, as JSON");
}

/**
 * Opens a client for the service that a command calls. The address is the flag's value, else `OCTAVO_URL`, else the
 * address of the last login. The key is `OCTAVO_KEY` if the flag or variable sets the address, else the key that was
 * stored for the address, because a stored key is never sent to a different service.
 */
export async function openServiceClient(
  context: CommandContext,
  flags: ClientFlags,
): Promise<Client> {
  const { createClient, readLogins } = await import("../../client/index.ts");
  const file = findLoginsFile(context.env);
  const logins = file === undefined ? [] : await readLogins(file);
  return createClient({
    ...chooseLogin(context, flags, logins),
    signal: context.listenForInterruption(),
  });
}

function chooseLogin({ env }: CommandContext, flags: ClientFlags, logins: Logins): Login {
  const variables = readClientVariables(env);
  const url = readServiceUrl("--url", flags.url) ?? readServiceUrl("OCTAVO_URL", variables.url);
  const login = url === undefined ? logins[0] : logins.find((stored) => stored.url === url);
  if (variables.key !== undefined && url !== undefined) return { url, key: variables.key };
  if (login !== undefined) return login;
  throw new OctavoError(
    "invalid_input",
    `No key is stored for ${url ?? "any service"}. Log in with "octavo login ${url ?? "<url>"}", or set ` +
      "OCTAVO_URL and OCTAVO_KEY.",
  );
}

/**
 * Returns the named organization, or, without a name, the only organization. Throws `invalid_input` if the organization
 * does not exist or the choice is ambiguous.
 */
async function chooseOrganization(
  { organizations }: Records,
  requestedId: string | undefined,
): Promise<KeyScope> {
  const all = await organizations.list();
  const found = requestedId === undefined ? all : all.filter(({ id }) => id === requestedId);
  const [organization, ...others] = found;
  if (organization && others.length === 0) {
    return { organizationId: organization.id, projectId: null };
  }
  throw new OctavoError(
    "invalid_input",
    explainChoice(
      requestedId,
      all.map(({ id, name }) => `${id} (${name})`),
    ),
  );
}

function explainChoice(requestedId: string | undefined, all: readonly string[]): string {
  if (all.length === 0) {
    return 'No organization exists yet. Start the service, or create one with "octavo orgs create".';
  }
  const listed = all.slice(0, 10).join(", ");
  if (requestedId === undefined)
    return `There are several organizations; choose one with --org: ${listed}.`;
  return `The organization ${JSON.stringify(requestedId)} does not exist. Choose one of ${listed}.`;
}
