import { existsSync } from "node:fs";
import type { Command } from "commander";
import { OctavoError } from "@octavo/site/core";
import { prepareDataFolder, readSecret } from "../../config/index.ts";
import type { Config } from "../../config/index.ts";
import { linkStorage, openQueue, requeueUnfinished } from "../../jobs/index.ts";
import { createLogger } from "../../telemetry/index.ts";
import {
  describeProgress,
  openDraftFolder,
  openBackupLocation,
  locationHelp,
} from "./backup-location.ts";
import type { CommandContext } from "../context.ts";
import { formatExamples } from "../flags.ts";
import { openStorage } from "../../node/index.ts";
import { addDataFlags, readConfig } from "../service-flags.ts";

interface RestoreFlags {
  readonly json?: true;
}

export function defineRestore(command: Command, context: CommandContext): void {
  command.description(
    "Restores a service from a backup into an empty database and an empty storage, which may be of a different " +
      "kind than before. Requires the secret of the service that was backed up. Unfinished jobs continue when the " +
      "restored service starts, so stop the old service first.",
  );
  addDataFlags(command)
    .option("--storage <place>", "the new storage: fs, or s3://bucket/prefix (default: fs)")
    .addHelpText(
      "after",
      formatExamples(
        "restore /var/backups/octavo-monday --data /var/lib/octavo",
        "restore s3://backups/octavo/2026-11-23 --database-url postgres://octavo@db/octavo",
      ),
    )
    .argument("<place>", locationHelp)
    .option("--json", "print the result, or the error, as one JSON object")
    .action((place: string, flags: RestoreFlags) => restore(context, place, flags));
}

async function restore(
  context: CommandContext,
  place: string,
  { json, ...flags }: RestoreFlags,
): Promise<void> {
  const { terminal } = context;
  const config = readConfig(context, flags);
  requireSecret(config);
  const source = await openBackupLocation(context, flags, place);
  const { openBackup, restoreBackup } = await import("../../backup/index.ts");
  const { openRecords } = await import("../../node/index.ts");
  const manifest = await openBackup(source, await readSecret(config.secret));
  const warning = prepareDataFolder(config.dataFolder);
  if (warning !== undefined) terminal.note(warning);
  const log = createLogger({ level: "warn" });
  await using drafts = await openDraftFolder();
  const lastMigration = manifest.migrations.at(-1);
  await using records = await openRecords({ config, log, lastMigration });
  const { database } = records;
  const storage = await linkStorage(database, await openStorage(config));
  await using queue = await openQueue({ database, log, isWorker: false });
  await restoreBackup({
    source,
    manifest,
    database,
    storage,
    workDir: drafts.path,
    whenLoaded: (transaction) => requeueUnfinished(transaction, queue),
    onProgress: (progress) => terminal.note(describeProgress(progress)),
  });
  const { createdAt, version, tables, files } = manifest;
  terminal.print(
    json
      ? JSON.stringify({ place, version, createdAt, tables: tables.length, files: files.length })
      : `The service is restored to its state at ${createdAt}. Start it with \`octavo serve\`.`,
  );
}

/** Throws if there is no secret, because the service would create a new one, which does not match the backup. */
function requireSecret({ secret }: Config): void {
  if (secret.kind === "given" || existsSync(secret.path)) return;
  throw new OctavoError(
    "invalid_input",
    `There is no secret in ${secret.path}. Copy the secret of the backed-up service to this file, or set ` +
      "OCTAVO_SECRET.",
  );
}
