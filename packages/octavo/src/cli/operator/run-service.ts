import { once } from "node:events";
import { existsSync } from "node:fs";
import type { Config } from "../../config/index.ts";
import { getAdminKeyPath, prepareFirstStart } from "../../projects/index.ts";
import type { FirstStart, Project } from "../../projects/index.ts";
import type { EngineThread } from "../../engine/index.ts";
import { createLogger } from "../../telemetry/index.ts";
import type { CommandContext } from "../context.ts";
import { readVersion } from "../version.ts";
import { openNode } from "../../node/index.ts";
import { createDemo, findDemo, formatDemoCommands } from "./demo.ts";

interface ServiceOptions {
  readonly config: Config;
  /** Whether the first start of the service creates a project from the manual and prints how to export it. */
  readonly hasDemo: boolean;
  readonly engineThread?: EngineThread | undefined;
}

/** Runs a node of the service until the process is asked to stop. The node's running jobs are then released. */
export async function runService(
  context: CommandContext,
  { config, hasDemo, engineThread }: ServiceOptions,
): Promise<void> {
  const { terminal } = context;
  const stopping = context.interrupted();
  const log = createLogger({ level: config.logLevel, isForTerminal: terminal.isInteractive });
  let first: FirstStart | undefined;
  let demo: Project | undefined;
  await using node = await openNode({
    config,
    log,
    version: readVersion(),
    engineThread,
    async prepare({ records, hosting }) {
      first = await prepareFirstStart(records.database.kysely, config.dataFolder);
      if (!hasDemo) return;
      demo = first
        ? await createDemo({ records, hosting, organizationId: first.organization.id })
        : await findDemo(records);
    },
  });
  const { url, operationsUrl } = node;
  terminal.print(url === undefined ? "Octavo is working on jobs." : `Octavo is ready at ${url}`);
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
    terminal.print(`Readers find the demo project at ${site.url}/ once it is built`);
  }
  printAdminKey(context, first, config);
  const keyFile = getAdminKeyPath(config.dataFolder);
  if (demo !== undefined && url !== undefined && existsSync(keyFile)) {
    terminal.print(
      "\nThese commands export the demo project, wait until the export completes, and download its bundle:\n",
    );
    const commands = formatDemoCommands({ url, keyFile });
    for (const command of commands) terminal.print(`${command}\n`);
  }
  if (!stopping.aborted) await once(stopping, "abort");
  log.info({}, "Stopping; running jobs are released");
}

/**
 * Prints the admin key once, if standard output is a terminal. In logs and pipes, and on later starts, only the key's
 * path is printed.
 */
function printAdminKey(
  { terminal }: CommandContext,
  first: FirstStart | undefined,
  config: Config,
): void {
  const keyFile = getAdminKeyPath(config.dataFolder);
  if (first && terminal.isStdoutTerminal) {
    terminal.print(`The admin key is ${first.key}, which is stored in ${keyFile}`);
  } else if (existsSync(keyFile)) terminal.print(`The admin key is in ${keyFile}`);
}
