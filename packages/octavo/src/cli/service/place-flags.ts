import { Option } from "commander";
import type { Command } from "commander";
import type { Client } from "../../client/index.ts";
import type { KeyScope } from "../../projects/index.ts";
import { openClient } from "./client-flags.ts";
import type { CommandContext } from "../context.ts";
import { chooseOrganization, organizationFlag } from "../operator/organization-choice.ts";
import { addDataFlags, withRecords } from "../service-flags.ts";
import type { Records } from "../../node/index.ts";

/** Which service: one that runs elsewhere, or the data of one on this machine. */
export interface PlaceFlags {
  readonly url?: string;
  readonly org?: string;
}

export function addPlaceFlags(command: Command): Command {
  const url = new Option("--url <url>", "address of a running service that you logged in to");
  return addDataFlags(command)
    .option(...organizationFlag)
    .addOption(url.conflicts(["data", "databaseUrl", "org"]));
}

/** The things of one kind that an organisation has, in either place. */
export interface Places<Managed> {
  /** The organisation is that of the key. */
  readonly remote: (client: Client) => Managed;
  readonly local: (records: Records, scope: KeyScope) => Managed;
}

export async function withPlace<Managed>(
  context: CommandContext,
  flags: PlaceFlags,
  { remote, local }: Places<Managed>,
  work: (managed: Managed) => Promise<void>,
): Promise<void> {
  const { url } = flags;
  if (url !== undefined) return await work(remote(await openClient(context, { url })));
  await withRecords(context, { ...flags }, async (records) => {
    await work(local(records, await chooseOrganization(records, flags.org)));
  });
}
