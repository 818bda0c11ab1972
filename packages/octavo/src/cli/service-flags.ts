import { existsSync } from "node:fs";
import type { Command } from "commander";
import { loadConfig } from "../config/index.ts";
import type { Config } from "../config/index.ts";
import { OctavoError } from "@octavo/site/core";
import type { CommandContext } from "./context.ts";
import type { Records } from "../node/index.ts";

export type Flags = Readonly<Record<string, unknown>>;

/** Flags of every command that works with the service's data. */
export function addDataFlags(command: Command): Command {
  return command
    .option("--data <folder>", "data folder, with the embedded database (default: .octavo)")
    .option("--database-url <url>", "use this PostgreSQL instead of the embedded database");
}

/** Flags of commands that run the service. */
export function addServiceFlags(command: Command): Command {
  return addDataFlags(command)
    .option("--storage <place>", "where bundles are kept: fs, or s3://bucket/prefix (default: fs)")
    .option("--model <provider/model>", "model for agent jobs (default: builtin/recipes)")
    .option("--log-level <level>", "trace, debug, info, warn, error or silent (default: info)");
}

/** Where a node takes requests. */
export function addAddressFlags(command: Command): Command {
  return command
    .option("--port <number>", "port to listen on, or 0 for any free one (default: 4400)")
    .option("--host <address>", "address to listen on (default: 127.0.0.1)");
}

/** Flags and environment as one checked Config. Throws `invalid_input`. */
export function readConfig({ env, cwd }: CommandContext, flags: Flags): Config {
  const given = Object.entries(flags).filter(
    (flag): flag is [string, string] => typeof flag[1] === "string",
  );
  return loadConfig({ env, cwd, flags: Object.fromEntries(given) });
}

/**
 * Opens what the service knows for one command, beside a running service too. Throws `invalid_input` where there is no
 * data yet, unless the command makes some.
 */
export async function withRecords(
  context: CommandContext,
  flags: Flags,
  work: (records: Records) => Promise<void>,
  { makesData = false } = {},
): Promise<void> {
  const config = readConfig(context, flags);
  if (!makesData) requireData(config);
  // Only now: an export needs no database and does not wait for its libraries to load (0.1 s).
  const { openRecordsQuietly } = await import("../node/index.ts");
  await using records = await openRecordsQuietly(config);
  await work(records);
}

function requireData({ database, dataFolder }: Config): void {
  if (database.kind === "postgres" || existsSync(database.folder)) return;
  throw new OctavoError(
    "invalid_input",
    `There is no Octavo data in ${dataFolder}; name the service's data folder with --data, or start the service, ` +
      "which creates it.",
  );
}
