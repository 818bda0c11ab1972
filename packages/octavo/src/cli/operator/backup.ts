import { chmod, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { existsSync } from "node:fs";
import type { Command } from "commander";
import { OctavoError } from "@octavo/site/core";
import type { CommandContext } from "../context.ts";
import { formatExamples } from "../flags.ts";
import { openStorage } from "../../node/index.ts";
import { addDataFlags, readConfig, runWithRecords } from "../service-flags.ts";
import { readVersion } from "../version.ts";
import { formatCount } from "../../core/index.ts";
import type { BackupProgress } from "../../backup/index.ts";
import { createFileStorage } from "../../storage/index.ts";
import type { Storage } from "../../storage/index.ts";
import { formatBytes } from "../format.ts";
import type { CommandFlags } from "../service-flags.ts";
import { prepareDataFolder, readSecret } from "../../config/index.ts";
import type { Config } from "../../config/index.ts";
import { linkStorage, openQueue, requeueUnfinished } from "../../jobs/index.ts";
import { createLogger } from "../../telemetry/index.ts";

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
    .option(
      "--storage <location>",
      "the service's storage: fs, or s3://bucket/prefix (default: fs)",
    )
    .addHelpText(
      "after",
      formatExamples(
        "backup /var/backups/octavo-monday",
        "backup s3://backups/octavo/2026-11-23 --no-bundles",
      ),
    )
    .argument("<location>", locationHelp)
    .option("--no-bundles", "omit the bundles of exports, which can be rendered again")
    .option("--json", "print the result, or the error, as one JSON object")
    .action((location: string, flags: BackupFlags) => runBackup(context, location, flags));
}

async function runBackup(
  context: CommandContext,
  location: string,
  { bundles, json, ...flags }: BackupFlags,
): Promise<void> {
  const { terminal } = context;
  const config = readConfig(context, flags);
  const target = await openBackupLocation(context, flags, location);
  const { writeBackup } = await import("../../backup/index.ts");
  await prepareBackupFolder(context, location);
  await using drafts = await openDraftFolder();
  await runWithRecords(context, flags, async ({ database, secret }) => {
    const { version, createdAt, tables, files } = await writeBackup({
      database,
      storage: await openStorage(config),
      target,
      secret,
      version: readVersion(),
      workDir: drafts.path,
      shouldOmitBundles: !bundles,
      onProgress: (progress) => terminal.note(describeProgress(progress)),
    });
    terminal.print(
      json
        ? JSON.stringify({
            location,
            version,
            createdAt,
            tables: tables.length,
            files: files.length,
          })
        : `The backup of ${createdAt} is complete: ${location}`,
    );
  });
  const { secret } = config;
  if (secret.kind === "file") {
    terminal.note(
      `Keep the secret separately, because the backup can be restored only with it: ${secret.path}`,
    );
  }
}

/** Describes the location argument in the help. */
const locationHelp = "a folder, or s3://bucket/prefix, which uses the service's S3 settings";

/** Opens a backup location: a folder that the user named, or a bucket with the service's S3 settings. */
async function openBackupLocation(
  context: CommandContext,
  flags: CommandFlags,
  location: string,
): Promise<Storage> {
  if (!location.startsWith("s3://"))
    return createFileStorage(resolve(context.invocationDir, location));
  return openStorage(readConfig(context, { ...flags, storage: location }));
}

/**
 * Creates the folder of a backup, accessible only to its owner. An existing empty folder is closed to other users
 * too. A folder that contains files, such as `/tmp`, keeps its mode; only the backup's files in it are closed.
 */
async function prepareBackupFolder(context: CommandContext, location: string): Promise<void> {
  if (location.startsWith("s3://")) return;
  const path = resolve(context.invocationDir, location);
  await mkdir(path, { recursive: true, mode: 0o700 });
  if ((await readdir(path)).length === 0) await chmod(path, 0o700);
}

/** Creates a temporary folder, which is removed when it is disposed. */
async function openDraftFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "octavo-backup-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

function describeProgress(progress: BackupProgress): string {
  if (progress.step === "rows") {
    return `${formatCount(progress.rows, "row")} of ${formatCount(progress.tables, "table")}`;
  }
  if (progress.step === "files") {
    return `${formatCount(progress.files, "file")} from the storage, ${formatBytes(progress.bytes)}`;
  }
  if (progress.step === "missing") {
    return `Skipped because it is no longer in the storage: ${progress.key}`;
  }
  return `${progress.reason} It was removed in the meantime, so the backup starts again.`;
}

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
    .option("--storage <location>", "the new storage: fs, or s3://bucket/prefix (default: fs)")
    .addHelpText(
      "after",
      formatExamples(
        "restore /var/backups/octavo-monday --data /var/lib/octavo",
        "restore s3://backups/octavo/2026-11-23 --database-url postgres://octavo@db/octavo",
      ),
    )
    .argument("<location>", locationHelp)
    .option("--json", "print the result, or the error, as one JSON object")
    .action((location: string, flags: RestoreFlags) => restore(context, location, flags));
}

async function restore(
  context: CommandContext,
  location: string,
  { json, ...flags }: RestoreFlags,
): Promise<void> {
  const { terminal } = context;
  const config = readConfig(context, flags);
  requireSecret(config);
  const source = await openBackupLocation(context, flags, location);
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
    onRowsLoaded: (transaction) => requeueUnfinished(transaction, queue),
    onProgress: (progress) => terminal.note(describeProgress(progress)),
  });
  const { createdAt, version, tables, files } = manifest;
  terminal.print(
    json
      ? JSON.stringify({
          location,
          version,
          createdAt,
          tables: tables.length,
          files: files.length,
        })
      : `The service is restored to its state at ${createdAt}. Start it with \`octavo serve\`.`,
  );
}

/** Throws if there is no secret, because the service would create a new secret that does not match the backup. */
function requireSecret({ secret }: Config): void {
  if (secret.kind === "given" || existsSync(secret.path)) return;
  throw new OctavoError(
    "invalid_input",
    `There is no secret in ${secret.path}. Copy the secret of the backed-up service to this file, or set ` +
      "OCTAVO_SECRET.",
  );
}
