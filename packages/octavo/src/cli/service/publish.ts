import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join, relative, resolve, sep } from "node:path";
import type { Command } from "commander";
import { OctavoError, countProblems, resolveRealPath } from "@octavo/site/core";
import type { Client } from "../../client/index.ts";
import { formatCount } from "../../core/index.ts";
import type { AddressedDeployment } from "../../jobs/index.ts";
import type { Project } from "../../projects/index.ts";
import type { Site } from "../../publish/index.ts";
import type { CommandContext } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { formatExamples } from "../flags.ts";
import { formatBytes } from "../format.ts";
import { readExportSettings, remoteApisFlag, type SettingsFlags } from "../site/export-settings.ts";
import { countFailingProblems, failOnFlag, readFailOn, type FailOnFlags } from "../site/fail-on.ts";
import { formatProblemCounts } from "../site/problem-lines.ts";
import { openScratchFolder, renderWithProgress } from "../site/render-command.ts";
import { asFolderFlag, hasConfiguration } from "../site/site-folder.ts";
import { createFolderOrigin } from "../site/site-origin.ts";
import { readDeployment, showDeployment } from "./deployments.ts";
import { findProjectId } from "./project-argument.ts";
import { addClientFlags, openServiceClient } from "./target-flags.ts";
import type { ClientFlags } from "./target-flags.ts";

interface PublishFlags extends ClientFlags, FailOnFlags, SettingsFlags {
  readonly project?: string;
  readonly ref?: string;
  readonly commit?: string;
}

export function definePublish(command: Command, context: CommandContext): void {
  addClientFlags(command)
    .description(
      "Publishes a site on a running service and prints its address. A folder is rendered here, unless another program " +
        "has already rendered it, and uploaded. A project is built by the service.",
    )
    .argument("[what]", "folder, or ID or host name of a project", ".")
    .option("--project <project>", "project to which a folder is uploaded (default: the only one)")
    .option("--ref <ref>", "branch, tag or commit of a project, which becomes a preview")
    .option("--commit <hash>", "commit from which the folder's files were built")
    .option(
      "--remote-scripts <hosts>",
      "hosts from which pages may load files (default: the project's)",
    )
    .option(...remoteApisFlag)
    .option("--cache <dir>", "cache folder for rendered pages (default: ~/.cache/octavo)")
    .option("--no-cache", "render every page again")
    .option(...failOnFlag)
    .option("--strict", "same as --fail-on warning")
    .option(...asFolderFlag)
    .addHelpText(
      "after",
      formatExamples(
        "publish docs --project docs.example.com",
        "publish build --project docs.example.com --commit $GITHUB_SHA",
        "publish docs.example.com",
        "publish docs.example.com --ref new-navigation",
      ),
    )
    .action(async (what: string, flags: PublishFlags) => {
      const path = resolve(context.invocationDir, what);
      const isFolder = flags.ref === undefined && (await isFolderAt(path));
      if (!isFolder && flags.project !== undefined) throw createFolderError(what, flags);
      const client = await openServiceClient(context, flags);
      if (isFolder) await publishFolder(context, flags, { client, what, path });
      else await publishProject(context, flags, { client, project: what });
    });
}

async function isFolderAt(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

function createFolderError(what: string, { ref }: PublishFlags): OctavoError {
  return new OctavoError(
    "invalid_input",
    ref === undefined
      ? `The folder ${JSON.stringify(what)} does not exist.`
      : "--project is for a folder to upload, and --ref is for a branch that the service builds; use only one of them.",
  );
}

interface ProjectTarget {
  readonly client: Client;
  readonly project: string;
}

/** Makes the service build a project, and prints the progress. */
async function publishProject(
  context: CommandContext,
  flags: PublishFlags,
  { client, project }: ProjectTarget,
): Promise<void> {
  const projectId = await findProjectId(client, project);
  const path = `/v2/projects/${projectId}/deployments`;
  const { ref } = flags;
  const body = ref === undefined ? {} : { ref };
  const { id } = (await client.call("POST", path, body)) as AddressedDeployment;
  let lastLine = "";
  for await (const { data } of client.events(`/v2/deployments/${id}/events`)) {
    const { status, progress, waitingFor } = data as AddressedDeployment;
    const waiting = waitingFor === undefined ? "" : `: ${waitingFor}`;
    const line = `${status} ${Math.floor(progress)}%${waiting}`;
    if (line !== lastLine) context.terminal.note((lastLine = line));
  }
  await reportDeployment(context, flags, { client, deployment: await readDeployment(client, id) });
}

interface FolderTarget {
  readonly client: Client;
  /** The folder as the user typed it. */
  readonly what: string;
  readonly path: string;
}

/** Uploads a folder's bundle to the service. */
async function publishFolder(
  context: CommandContext,
  flags: PublishFlags,
  { client, what, path }: FolderTarget,
): Promise<void> {
  const failOn = readFailOn(context, flags);
  const projectId = await findProjectId(client, flags.project);
  const project = (await client.call("GET", `/v2/projects/${projectId}`)) as Project;
  await using scratch = await openScratchFolder(context);
  const file = join(scratch.path, "bundle.zip");
  if (isBuiltSite(path)) {
    await packBuiltSite(context, path, file);
  } else {
    const settings = await readExportSettings(context, what, {
      ...flags,
      addresses: "clean",
      remoteScripts: flags.remoteScripts ?? project.remoteScripts.join(","),
    });
    const { problems, pages } = await renderWithProgress(context, {
      ...settings,
      origin: createFolderOrigin(context, settings.siteDir),
      outDir: join(scratch.path, "site"),
      archive: { format: "zip", file },
    });
    const counts = countProblems(problems);
    if (problems.length > 0) {
      context.terminal.note(`${formatCount(pages, "page")} with ${formatProblemCounts(counts)}.`);
    }
    if (countFailingProblems(counts, failOn) > 0) {
      const message = `The site was not published because of ${failOn.cause}; "octavo check ${what}" lists its problems.`;
      throw new OctavoError("site_invalid", message);
    }
  }
  const { size } = await stat(file);
  context.terminal.note(`Uploading ${formatBytes(size)}.`);
  const query = flags.commit === undefined ? "" : `?commit=${encodeURIComponent(flags.commit)}`;
  const target = `/v2/projects/${projectId}/deployments${query}`;
  const deployment = (await client.upload(target, file, "application/zip")) as AddressedDeployment;
  await reportDeployment(context, flags, { client, deployment });
}

/** Reports whether a folder is the output of a site generator rather than a documentation site to render. */
function isBuiltSite(path: string): boolean {
  return existsSync(join(path, "index.html")) && !hasConfiguration(path);
}

/** Packs the files of a folder unchanged. Throws `invalid_input` for a link that points outside the folder. */
async function packBuiltSite(
  { terminal }: CommandContext,
  folder: string,
  file: string,
): Promise<void> {
  const { packFiles } = await import("@octavo/site");
  const files: { readonly path: string; readonly source: string }[] = [];
  let omittedCount = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const path = relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/");
    if (path.split("/").some((name) => name.startsWith(".") && name !== ".well-known")) {
      omittedCount += 1;
      continue;
    }
    const source = await resolveRealPath(folder, path);
    if (!(await stat(source)).isFile()) {
      const message = `${JSON.stringify(path)} in ${basename(folder)} is not a file; remove it, or replace it with a copy of its target.`;
      throw new OctavoError("invalid_input", message);
    }
    files.push({ path, source });
  }
  if (omittedCount > 0) {
    const names =
      omittedCount === 1 ? "1 file whose name begins" : `${omittedCount} files whose names begin`;
    terminal.note(`Left out ${names} with a dot.`);
  }
  await packFiles(files, "zip", file);
}

/** Prints the address of a deployment for readers, and sets the exit code. */
async function reportDeployment(
  context: CommandContext,
  flags: PublishFlags,
  { client, deployment }: { readonly client: Client; readonly deployment: AddressedDeployment },
): Promise<void> {
  const { status, isLive, kind, projectId, url } = deployment;
  if (status !== "ready") context.setExitCode(exitCodes.failed);
  if (flags.json || status !== "ready") return showDeployment(context, flags, deployment);
  const site = (await client.call("GET", `/v2/projects/${projectId}/site`)) as Site & {
    readonly live: AddressedDeployment | null;
  };
  const { terminal } = context;
  const isVisible = isLive || site.live?.url === url;
  const isPreview = kind === "preview" || !isVisible;
  terminal.print(`${terminal.paint("green", "Published")} ${isPreview ? url : `${site.url}/`}`);
  if (isLive) return;
  if (isVisible) return terminal.note("Readers already see these files.");
  if (kind !== "preview") {
    terminal.note(
      `Readers still see another deployment. Run "octavo deployments publish ${deployment.id}" to show this one.`,
    );
  }
}
