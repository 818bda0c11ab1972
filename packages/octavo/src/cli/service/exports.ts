import { formatCount } from "../../core/index.ts";
import { createReadStream } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { OctavoError } from "@octavo/site/core";
import type { Command } from "commander";
import type { Client } from "../../client/index.ts";
import type { StaticExportJob } from "../../jobs/index.ts";
import { addClientFlags, openServiceClient } from "./target-flags.ts";
import type { ClientFlags } from "./target-flags.ts";
import { listAll } from "./list-all.ts";
import type { CommandContext } from "../context.ts";
import { readList } from "../site/export-settings.ts";
import { protectDestination, readDestination, type Destination } from "../site/site-folder.ts";
import { formatExamples } from "../flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { formatBytes, formatTable } from "../format.ts";

interface StartFlags extends ClientFlags, OutFlag {
  readonly ref?: string;
  readonly label?: string;
  readonly paths?: string;
  readonly remoteScripts?: string;
  readonly addresses?: string;
  readonly format?: string;
  readonly watch?: true;
}

interface OutFlag {
  readonly out?: string;
}

interface ListFlags extends ClientFlags {
  readonly domain?: string;
  readonly status?: string;
}

const jobsPath = "/v1/static-export/jobs";
const idArgument = ["<id>", "ID of the export, from `octavo exports list`"] as const;

export function defineExports(group: Command, context: CommandContext): void {
  group
    .description("Exports sites on a running service.")
    .addHelpText(
      "after",
      formatExamples("exports start docs.example.com --out docs.tar.gz", "exports list"),
    );
  addStart(group, context);

  addClientFlags(group.command("list"))
    .summary("list the exports")
    .description("Lists exports, newest first.")
    .option("--domain <host>", "only exports of the project with this host name")
    .option("--status <status>", "queued, running, completed or failed")
    .addHelpText("after", formatExamples("exports list --status failed"))
    .action(async (flags: ListFlags) => {
      const { domain, status } = flags;
      const client = await openServiceClient(context, flags);
      const query = { ...(domain && { domain }), ...(status && { status }) };
      listExports(context, flags, await listAll<StaticExportJob>(client, jobsPath, "jobs", query));
    });

  addClientFlags(group.command("show"))
    .summary("show an export")
    .description("Shows an export.")
    .argument(...idArgument)
    .addHelpText("after", formatExamples("exports show <id>"))
    .action(async (id: string, flags: ClientFlags) => {
      const client = await openServiceClient(context, flags);
      showExport(context, flags, await callJob(client, "GET", id));
    });

  addClientFlags(group.command("watch"))
    .summary("follow an export until it ends")
    .description("Follows an export until it ends. Exits with 1 if the export failed.")
    .argument(...idArgument)
    .addHelpText("after", formatExamples("exports watch <id>"))
    .action(async (id: string, flags: ClientFlags) => {
      const client = await openServiceClient(context, flags);
      reportOutcome(context, flags, await watch(context, client, id));
    });

  addClientFlags(group.command("cancel"))
    .summary("cancel an export")
    .description("Cancels a queued or running export.")
    .argument(...idArgument)
    .addHelpText("after", formatExamples("exports cancel <id>"))
    .action(async (id: string, flags: ClientFlags) => {
      const client = await openServiceClient(context, flags);
      showExport(context, flags, await callJob(client, "POST", id, "/cancel"));
    });

  addClientFlags(group.command("download"))
    .summary("download the bundle of an export")
    .description("Downloads the bundle of a completed export.")
    .argument(...idArgument)
    .option(
      "--out <path>",
      "folder or archive to write (default: the domain with the format's extension)",
    )
    .addHelpText("after", formatExamples("exports download <id> --out docs.tar.gz"))
    .action(async (id: string, flags: ClientFlags & OutFlag) => {
      const client = await openServiceClient(context, flags);
      const job = await callJob(client, "GET", id);
      const out = readDestination(context, flags.out ?? `${job.domain}.${job.format}`);
      await download(context, client, { job, out, isJson: flags.json });
    });
}

function addStart(group: Command, context: CommandContext): void {
  addClientFlags(group.command("start"))
    .summary("start an export")
    .description("Starts an export of a project's site.")
    .argument("<domain>", "host name of the project's site")
    .option("--ref <ref>", "branch, tag or commit (default: the project's branch)")
    .option("--label <text>", "label of this export, such as a version (default: the commit)")
    .option("--paths <paths>", "pages to include, separated by commas (default: all)")
    .option(
      "--remote-scripts <hosts>",
      "hosts from which pages may load files (default: the project's)",
    )
    .option("--addresses <form>", "page addresses: file, folder or clean (default: file)")
    .option("--format <format>", "tar.gz or zip (default: the extension of --out, or tar.gz)")
    .option("--watch", "follow the export until it ends")
    .option("--out <path>", "follow the export and download its bundle to this folder or archive")
    .addHelpText(
      "after",
      formatExamples(
        "exports start docs.example.com --watch",
        "exports start docs.example.com --ref v2.1 --label 2.1 --out docs-2.1.tar.gz",
      ),
    )
    .action(async (domain: string, flags: StartFlags) => {
      const client = await openServiceClient(context, flags);
      const { ref, label: version, addresses } = flags;
      const out = flags.out === undefined ? undefined : readDestination(context, flags.out);
      if (out) await protectDestination(out);
      const format = flags.format ?? (out?.format === "folder" ? "zip" : out?.format);
      const [paths, remoteScripts] = [flags.paths, flags.remoteScripts].map(readList);
      const body = { domain, ref, version, addresses, format, remoteScripts, paths };
      const started = (await client.call("POST", jobsPath, body)) as StaticExportJob;
      if (!flags.watch && out === undefined) return showExport(context, flags, started);
      const job = await watch(context, client, started.jobId);
      if (job.status !== "completed" || out === undefined)
        return reportOutcome(context, flags, job);
      await download(context, client, { job, out, isJson: flags.json });
    });
}

async function callJob(
  client: Client,
  method: string,
  id: string,
  action = "",
): Promise<StaticExportJob> {
  return (await client.call(
    method,
    `${jobsPath}/${encodeURIComponent(id)}${action}`,
  )) as StaticExportJob;
}

async function watch(
  { terminal }: CommandContext,
  client: Client,
  id: string,
): Promise<StaticExportJob> {
  let lastLine = "";
  for await (const { type, data } of client.events(
    `${jobsPath}/${encodeURIComponent(id)}/events`,
  )) {
    if (type !== "job") continue;
    const line = formatState(data as StaticExportJob);
    if (line !== lastLine) terminal.note((lastLine = line));
  }
  return await callJob(client, "GET", id);
}

function formatState({ status, progress, pageCount, waitingFor }: StaticExportJob): string {
  const pages = pageCount === 0 ? "" : `, ${formatCount(pageCount, "page")}`;
  const waiting = waitingFor === undefined ? "" : `: ${waitingFor}`;
  return `${status} ${progress}%${pages}${waiting}`;
}

/** Prints the outcome of a followed export and sets the exit code. */
function reportOutcome(context: CommandContext, flags: ClientFlags, job: StaticExportJob): void {
  showExport(context, flags, job);
  if (job.status === "failed") context.setExitCode(exitCodes.failed);
}

interface DownloadOptions {
  readonly job: StaticExportJob;
  readonly out: Destination;
  readonly isJson: true | undefined;
}

/** Writes the bundle of a completed job as its archive, or unpacked to a folder. */
async function download(
  { terminal }: CommandContext,
  client: Client,
  { job, out, isJson }: DownloadOptions,
): Promise<void> {
  await protectDestination(out);
  const { format, path } = out;
  if (format !== "folder" && format !== job.format) {
    throw new OctavoError(
      "invalid_input",
      `This export is a ${job.format} archive; name a file with the extension .${job.format}, or a folder.`,
    );
  }
  const { bundleUrl } = (await client.call("POST", `${jobsPath}/${job.jobId}/bundle`)) as {
    readonly bundleUrl: string;
  };
  const sizeBytes = await writeAtomically(path, async (partialPath) => {
    if (format !== "folder") return await client.download(bundleUrl, partialPath);
    const archive = `${partialPath}.${job.format}`;
    try {
      const bytes = await client.download(bundleUrl, archive);
      // The module is loaded here, because most commands unpack nothing.
      const { unpackBundle } = await import("../../bundles/index.ts");
      const read = async (_: string, range: object = {}) => createReadStream(archive, range);
      await unpackBundle({ read }, { key: archive, format: job.format, bytes }, partialPath);
      return bytes;
    } finally {
      await rm(archive, { force: true });
    }
  });
  if (isJson) terminal.print(JSON.stringify({ ...job, file: path, sizeBytes }));
  else terminal.print(`${path} (${formatBytes(sizeBytes)})`);
}

/** Writes a file or folder to a temporary folder, and moves it to its destination once it is complete. */
async function writeAtomically(
  path: string,
  write: (partialPath: string) => Promise<number>,
): Promise<number> {
  const scratch = await mkdtemp(join(dirname(path), ".octavo-"));
  try {
    const partialPath = join(scratch, basename(path));
    const sizeBytes = await write(partialPath);
    await rm(path, { recursive: true, force: true });
    await rename(partialPath, path);
    return sizeBytes;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function listExports(
  { terminal }: CommandContext,
  { json }: ClientFlags,
  exportJobs: readonly StaticExportJob[],
): void {
  const rows = exportJobs.map((job) => [
    job.jobId,
    job.status,
    job.domain,
    job.version,
    String(job.pageCount),
    job.createdAt,
  ]);
  const headings = ["ID", "STATUS", "DOMAIN", "LABEL", "PAGES", "CREATED"];
  const lines = json ? [JSON.stringify(exportJobs)] : formatTable(headings, rows);
  for (const line of lines) terminal.print(line);
}

function showExport(
  { terminal }: CommandContext,
  { json }: ClientFlags,
  job: StaticExportJob,
): void {
  if (json) return terminal.print(JSON.stringify(job));
  const { createdBy, ...facts } = job;
  for (const [fact, value] of Object.entries({ ...facts, createdBy: createdBy?.name ?? null })) {
    if (value !== null) terminal.print(`${`${fact}:`.padEnd(12)}${value}`);
  }
}
