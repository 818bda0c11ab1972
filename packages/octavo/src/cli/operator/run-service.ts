import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "../../config/index.ts";
import { getAdminKeyPath, prepareFirstStart } from "../../projects/index.ts";
import type { FirstStart, Project } from "../../projects/index.ts";
import type { EngineThread } from "../../engine/index.ts";
import { createLogger } from "../../telemetry/index.ts";
import type { CommandContext } from "../context.ts";
import { readVersion } from "../version.ts";
import { openNode } from "../../node/index.ts";
import { hostedRepository } from "../../core/index.ts";
import type { Hosting } from "../../hosting/index.ts";
import type { Records } from "../../node/index.ts";

interface ServiceOptions {
  readonly config: Config;
  /** Whether the first start of the service creates a project from the manual and prints how to export it. */
  readonly createsDemo: boolean;
  readonly engineThread?: EngineThread | undefined;
}

/** Runs a node of the service until the process is asked to stop. The node's running jobs are then released. */
export async function runService(
  context: CommandContext,
  { config, createsDemo, engineThread }: ServiceOptions,
): Promise<void> {
  const { terminal } = context;
  const stopSignal = context.listenForInterruption();
  const log = createLogger({ level: config.logLevel, isForTerminal: terminal.isInteractive });
  let firstStart: FirstStart | undefined;
  let demo: Project | undefined;
  await using node = await openNode({
    config,
    log,
    version: readVersion(),
    engineThread,
    async prepare({ records, hosting }) {
      firstStart = await prepareFirstStart(records.database.kysely, config.dataFolder);
      if (!createsDemo) return;
      demo = firstStart
        ? await createDemo({ records, hosting, organizationId: firstStart.organization.id })
        : await findDemo(records);
    },
  });
  const { url, operationsUrl } = node;
  terminal.print(
    url === undefined ? "Octavo is running as a worker." : `Octavo is ready at ${url}`,
  );
  if (url === undefined && operationsUrl !== undefined) {
    terminal.print(
      `Health and metrics are at ${operationsUrl}/readyz and ${operationsUrl}/metrics`,
    );
  }
  if (url !== undefined) {
    terminal.print(`The dashboard is at this address, and the manual at ${url}/manual/`);
  }
  if (demo !== undefined && config.roles.includes("sites")) {
    const site = await node.publishedSites.read(demo);
    terminal.print(`The demo project will be published at ${site.url}/ as soon as it is built`);
  }
  printAdminKey(context, firstStart, config);
  const keyFile = getAdminKeyPath(config.dataFolder);
  if (demo !== undefined && url !== undefined && existsSync(keyFile)) {
    terminal.print(
      "\nRun these commands in one shell, in order. They export the demo project, wait until the export completes, " +
        "and download its bundle:\n",
    );
    const commands = formatDemoCommands({ url, keyFile });
    for (const command of commands) terminal.print(`${command}\n`);
  }
  if (!stopSignal.aborted) await once(stopSignal, "abort");
  log.info({}, "Stopping; this node releases its running jobs");
}

/**
 * Prints the admin key once, if standard output is a terminal. In logs and pipes, and on later starts, only the key's
 * path is printed.
 */
function printAdminKey(
  { terminal }: CommandContext,
  firstStart: FirstStart | undefined,
  config: Config,
): void {
  const keyFile = getAdminKeyPath(config.dataFolder);
  if (firstStart && terminal.isStdoutTerminal) {
    terminal.print(`The admin key is ${firstStart.key}, which is stored in ${keyFile}`);
  } else if (existsSync(keyFile)) terminal.print(`The admin key is in ${keyFile}`);
}

const demoDomain = "demo.localhost";
const demoPage = fileURLToPath(new URL("../../../demo/try-an-agent.mdx", import.meta.url));

/** The part of the manual's `docs.json` to which the page is added. */
interface ManualConfig {
  readonly navigation: {
    readonly tabs: readonly { readonly groups: readonly { readonly pages: string[] }[] }[];
  };
}

interface DemoOptions {
  readonly records: Records;
  readonly hosting: Hosting;
  readonly organizationId: string;
}

/**
 * Creates a project in a repository that the service hosts: the manual, and a page with mistakes that an agent can
 * correct.
 */
async function createDemo(options: DemoOptions): Promise<Project> {
  const { records, hosting, organizationId } = options;
  const project = await records.projects.create(organizationId, {
    name: "Octavo's manual",
    domain: demoDomain,
    repository: hostedRepository,
  });
  const folder = await mkdtemp(join(tmpdir(), "octavo-demo-"));
  try {
    await cp(findManualFolder(), folder, { recursive: true });
    await addDemoPage(folder);
    await hosting.importFolder(project.id, folder, "Add the manual of Octavo");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return project;
}

/** Adds the page with mistakes to a copy of the manual, at the end of the first group of its navigation. */
async function addDemoPage(folder: string): Promise<void> {
  await cp(demoPage, join(folder, "try-an-agent.mdx"));
  const file = join(folder, "docs.json");
  const config = JSON.parse(await readFile(file, "utf8")) as ManualConfig;
  config.navigation.tabs[0]?.groups[0]?.pages.push("try-an-agent");
  await writeFile(file, `${JSON.stringify(config, null, 2)}\n`);
}

/** Returns the project that an earlier start created, if it still exists. */
async function findDemo({ organizations, projects }: Records): Promise<Project | undefined> {
  for (const { id } of await organizations.list()) {
    const scope = { organizationId: id, projectId: null };
    const project = await projects.findByDomain(scope, demoDomain);
    if (project) return project;
  }
  return undefined;
}

/** Returns command lines for a POSIX shell, to be run in order. Each command shows the service's response. */
function formatDemoCommands(demo: { readonly url: string; readonly keyFile: string }): string[] {
  const key = `-H "Authorization: Bearer $(cat '${demo.keyFile.replaceAll("'", String.raw`'\''`)}')"`;
  const jobs = `${demo.url}/v1/static-export/jobs`;
  const body = `-H "Content-Type: application/json" -d '{"domain":"${demoDomain}"}'`;
  return [
    `job=$(curl -sS ${jobs} ${key} ${body}); echo "$job"; id=$(echo "$job" | grep -o 'se_[0-9a-z]*' | head -n 1)`,
    // The stream of events ends when the job ends, and only its last event matters.
    `curl -sSN ${jobs}/$id/events ${key} -w '\\n' | tail -n 3`,
    `bundle=$(curl -sS -X POST ${jobs}/$id/bundle ${key}); echo "$bundle"; curl -sSfo demo.tar.gz "$(echo "$bundle" | grep -o 'http[^"]*')" && ls -l demo.tar.gz`,
  ];
}

/**
 * Returns the folder of Octavo's own manual, which is an ordinary site. In the repository, the folder is next to the
 * packages; in an installation, it is in the package.
 */
function findManualFolder(): string {
  const installed = fileURLToPath(new URL("../../manual", import.meta.url));
  return existsSync(installed)
    ? installed
    : fileURLToPath(new URL("../../../../../docs", import.meta.url));
}
