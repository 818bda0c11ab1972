import { rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { Client } from "../../client/index.ts";
import type { StaticExportJob } from "../../jobs/index.ts";
import { addClientFlags, openServiceClient } from "./target-flags.ts";
import type { ClientFlags } from "./target-flags.ts";
import { listAll } from "./list-all.ts";
import type { CommandContext } from "../context.ts";
import { readList } from "../site/export-settings.ts";
import { formatExamples } from "../flags.ts";
import { exitCodes } from "../failure.ts";
import { formatBytes, formatTable, formatQuantity } from "../format.ts";

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

const jobs = "/v1/static-export/jobs";
const idArgument = ["<id>", "ID of the export, as exports list shows it"] as const;

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
      listExports(context, flags, await listAll<StaticExportJob>(client, jobs, "jobs", query));
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
      endWith(context, flags, await watch(context, client, id));
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
    .option("--out <file>", "file to write (default: the domain with the format's extension)")
    .addHelpText("after", formatExamples("exports download <id> --out docs.tar.gz"))
    .action(async (id: string, flags: ClientFlags & OutFlag) => {
      const client = await openServiceClient(context, flags);
      await download(context, client, { job: await callJob(client, "GET", id), flags });
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
    .option("--remote-scripts <hosts>", "hosts from which pages may load (default: the project's)")
    .option("--addresses <form>", "page addresses: file, folder or clean (default: file)")
    .option("--format <format>", "tar.gz or zip (default: tar.gz)")
    .option("--watch", "follow the export until it ends")
    .option("--out <file>", "follow the export and download its bundle to this file")
    .addHelpText(
      "after",
      formatExamples(
        "exports start docs.example.com --watch",
        "exports start docs.example.com --ref v2.1 --label 2.1 --out docs-2.1.tar.gz",
      ),
    )
    .action(async (domain: string, flags: StartFlags) => {
      const client = await openServiceClient(context, flags);
      const { ref, label: version, addresses, format, out } = flags;
      const [paths, remoteScripts] = [flags.paths, flags.remoteScripts].map(readList);
      const body = { domain, ref, version, addresses, format, remoteScripts, paths };
      const started = (await client.call("POST", jobs, body)) as StaticExportJob;
      if (!flags.watch && out === undefined) return showExport(context, flags, started);
      const job = await watch(context, client, started.jobId);
      if (job.status !== "completed" || out === undefined) return endWith(context, flags, job);
      await download(context, client, { job, flags });
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
    `${jobs}/${encodeURIComponent(id)}${action}`,
  )) as StaticExportJob;
}

async function watch(
  { terminal }: CommandContext,
  client: Client,
  id: string,
): Promise<StaticExportJob> {
  let told = "";
  for await (const { type, data } of client.events(`${jobs}/${encodeURIComponent(id)}/events`)) {
    if (type !== "job") continue;
    const line = formatState(data as StaticExportJob);
    if (line !== told) terminal.note((told = line));
  }
  return await callJob(client, "GET", id);
}

function formatState({ status, progress, pageCount, waitingFor }: StaticExportJob): string {
  const pages = pageCount === 0 ? "" : `, ${formatQuantity(pageCount, "page")}`;
  const waiting = waitingFor === undefined ? "" : `: ${waitingFor}`;
  return `${status} ${progress}%${pages}${waiting}`;
}

/** Prints the outcome of a followed export and sets the exit code. */
function endWith(context: CommandContext, flags: ClientFlags, job: StaticExportJob): void {
  showExport(context, flags, job);
  if (job.status === "failed") context.exitWith(exitCodes.failed);
}

async function download(
  { terminal, invocationDir }: CommandContext,
  client: Client,
  { job, flags }: { readonly job: StaticExportJob; readonly flags: ClientFlags & OutFlag },
): Promise<void> {
  const file = resolve(invocationDir, flags.out ?? `${job.domain}.${job.format}`);
  const bundle = (await client.call("POST", `${jobs}/${job.jobId}/bundle`)) as {
    readonly bundleUrl: string;
  };
  const sizeBytes = await writeWhole(file, (partial) => client.download(bundle.bundleUrl, partial));
  if (flags.json) terminal.print(JSON.stringify({ ...job, file, sizeBytes }));
  else terminal.print(`${file} (${formatBytes(sizeBytes)})`);
}

/** Writes a file under a temporary name and renames it once it is complete. */
async function writeWhole(
  file: string,
  write: (partial: string) => Promise<number>,
): Promise<number> {
  const partial = `${file}.${process.pid}.part`;
  try {
    const sizeBytes = await write(partial);
    await rename(partial, file);
    return sizeBytes;
  } finally {
    await rm(partial, { force: true });
  }
}

function listExports(
  { terminal }: CommandContext,
  { json }: ClientFlags,
  exported: readonly StaticExportJob[],
): void {
  const rows = exported.map((job) => [
    job.jobId,
    job.status,
    job.domain,
    job.version,
    String(job.pageCount),
    job.createdAt,
  ]);
  const headings = ["ID", "STATUS", "DOMAIN", "LABEL", "PAGES", "STARTED"];
  const lines = json ? [JSON.stringify(exported)] : formatTable(headings, rows);
  for (const line of lines) terminal.print(line);
}

function showExport(
  { terminal }: CommandContext,
  { json }: ClientFlags,
  job: StaticExportJob,
): void {
  if (json) return terminal.print(JSON.stringify(job));
  for (const [fact, value] of Object.entries(job)) {
    if (value !== null) terminal.print(`${`${fact}:`.padEnd(12)}${value}`);
  }
}
