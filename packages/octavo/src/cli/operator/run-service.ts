import { once } from "node:events";
import { existsSync } from "node:fs";
import type { Config } from "../../config/index.ts";
import { adminKeyFile, prepareFirstStart } from "../../projects/index.ts";
import type { FirstStart } from "../../projects/index.ts";
import { createLogger } from "../../telemetry/index.ts";
import type { CommandContext } from "../context.ts";
import { readVersion } from "../version.ts";
import { createDemo, demoCommands, findDemo } from "./demo.ts";
import { openNode } from "../../node/index.ts";

export interface ServiceOptions {
  readonly config: Config;
  /** Makes a project out of the manual where the service starts for the first time, and says how to export it. */
  readonly hasDemo: boolean;
}

/** Runs a node of the service until the process is told to stop; its running jobs are then given back. */
export async function runService(
  context: CommandContext,
  { config, hasDemo }: ServiceOptions,
): Promise<void> {
  const { terminal } = context;
  const stopping = context.interrupted();
  const log = createLogger({ level: config.logLevel });
  let first: FirstStart | undefined;
  let demo: string | undefined;
  await using node = await openNode({
    config,
    log,
    version: readVersion(),
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
      `Its health and metrics are at ${operationsUrl}/readyz and ${operationsUrl}/metrics`,
    );
  }
  if (url !== undefined) {
    terminal.print(`The dashboard is at this address; the API is described at ${url}/docs`);
  }
  tellKey(context, first, config);
  const keyFile = adminKeyFile(config.dataFolder);
  if (demo !== undefined && url !== undefined && existsSync(keyFile)) {
    terminal.print(
      "\nThese commands start an export of the demo project, wait for its end, and fetch its bundle:\n",
    );
    const commands = demoCommands({ url, keyFile, domain: demo });
    for (const command of commands) terminal.print(`${command}\n`);
  }
  if (!stopping.aborted) await once(stopping, "abort");
  log.info({}, "Stopping; running jobs are given back");
}

/** Shown to a person who looks, once; a log, a pipe and every later start get the place only. */
function tellKey(
  { terminal }: CommandContext,
  first: FirstStart | undefined,
  config: Config,
): void {
  const keyFile = adminKeyFile(config.dataFolder);
  if (first && terminal.hasReader) {
    terminal.print(`The admin key is ${first.key}, kept in ${keyFile}`);
  } else if (existsSync(keyFile)) terminal.print(`The admin key is in ${keyFile}`);
}
