import { existsSync } from "node:fs";
import type { Command } from "commander";
import { loadConfig } from "../config/index.ts";
import type { Config } from "../config/index.ts";
import { OctavoError } from "@octavo/site/core";
import type { CommandContext } from "./context.ts";
import type { Records } from "../node/index.ts";

export type CommandFlags = Readonly<Record<string, unknown>>;

/** Adds the flags of every command that works with the service's data. */
export function addDataFlags(command: Command): Command {
  return command
    .option("--data <folder>", "data folder, with the embedded database (default: .octavo)")
    .option("--database-url <url>", "use this PostgreSQL instead of the embedded database");
}

/** Reads flags and environment variables into one validated Config. Throws `invalid_input` for an invalid value. */
export function readConfig({ env, cwd }: CommandContext, flags: CommandFlags): Config {
  const stringFlags = Object.entries(flags).filter(
    (flag): flag is [string, string] => typeof flag[1] === "string",
  );
  return loadConfig({ env, cwd, flags: Object.fromEntries(stringFlags) });
}

/**
 * Opens the service's records for one command, even while a service is running. Throws `invalid_input` if there is no
 * data yet, unless the command creates data.
 */
export async function runWithRecords(
  context: CommandContext,
  flags: CommandFlags,
  work: (records: Records) => Promise<void>,
  { createsData = false } = {},
): Promise<void> {
  const config = readConfig(context, flags);
  if (!createsData) requireData(config);
  // The module is loaded here so that an export, which needs no database, does not wait for the database's libraries (0.1 s).
  const { openRecordsQuietly } = await import("../node/index.ts");
  await using records = await openRecordsQuietly(config);
  await work(records);
}

function requireData({ database, dataFolder }: Config): void {
  if (database.kind === "postgres" || existsSync(database.folder)) return;
  throw new OctavoError(
    "invalid_input",
    `There is no Octavo data in ${dataFolder}. Set the service's data folder with --data, or start the service, ` +
      "which creates it.",
  );
}
