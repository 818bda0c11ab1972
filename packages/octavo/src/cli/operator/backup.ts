import type { Command } from "commander";
import type { CommandContext } from "../context.ts";
import {
  describeProgress,
  openDraftFolder,
  prepareBackupFolder,
  openBackupLocation,
  locationHelp,
} from "./backup-location.ts";
import { formatExamples } from "../flags.ts";
import { openStorage } from "../../node/index.ts";
import { addDataFlags, readConfig, runWithRecords } from "../service-flags.ts";
import { readVersion } from "../version.ts";

interface BackupFlags {
  readonly bundles: boolean;
  readonly json?: true;
}

export function defineBackup(command: Command, context: CommandContext): void {
  command.description(
    "Copies all data of a service to an empty location, in one consistent state, while the service runs: its " +
      "database and the files in its storage. The backup does not contain the secret. Keep the secret separately, " +
      "because the credentials in a backup cannot be read without it.",
  );
  addDataFlags(command)
    .option("--storage <place>", "the service's storage: fs, or s3://bucket/prefix (default: fs)")
    .addHelpText(
      "after",
      formatExamples(
        "backup /var/backups/octavo-monday",
        "backup s3://backups/octavo/2026-11-23 --no-bundles",
      ),
    )
    .argument("<place>", locationHelp)
    .option("--no-bundles", "omit the bundles of exports, which can be exported again")
    .option("--json", "print the result, or the error, as one JSON object")
    .action((place: string, flags: BackupFlags) => backUp(context, place, flags));
}

async function backUp(
  context: CommandContext,
  place: string,
  { bundles, json, ...flags }: BackupFlags,
): Promise<void> {
  const { terminal } = context;
  const config = readConfig(context, flags);
  const target = await openBackupLocation(context, flags, place);
  const { writeBackup } = await import("../../backup/index.ts");
  await prepareBackupFolder(context, place);
  await using drafts = await openDraftFolder();
  await runWithRecords(context, flags, async ({ database, secret }) => {
    const { version, createdAt, tables, files } = await writeBackup({
      database,
      storage: await openStorage(config),
      target,
      secret,
      version: readVersion(),
      workDir: drafts.path,
      isWithoutBundles: !bundles,
      onProgress: (progress) => terminal.note(describeProgress(progress)),
    });
    terminal.print(
      json
        ? JSON.stringify({ place, version, createdAt, tables: tables.length, files: files.length })
        : `The backup of ${createdAt} is complete: ${place}`,
    );
  });
  const { secret } = config;
  if (secret.kind === "file") {
    terminal.note(
      `Keep the secret separately, because the backup can be restored only with it: ${secret.path}`,
    );
  }
}
