import type { Command } from "commander";
import { startEngineThread } from "../../engine/index.ts";
import type { CommandContext } from "../context.ts";
import { formatExamples } from "../flags.ts";
import { addDataFlags, readConfig } from "../service-flags.ts";
import type { CommandFlags } from "../service-flags.ts";

export function defineServe(command: Command, context: CommandContext): void {
  command.description(
    "Runs the service until it is stopped. Options can also be set by environment variables, such as OCTAVO_PORT.",
  );
  addAddressFlags(command)
    .option("--base-url <url>", "external address of the service, used in links")
    .option(
      "--roles <roles>",
      "api, worker and sites, separated by commas (default: api,worker,sites)",
    )
    .option("--demo", "on the first start, create a project from Octavo's own manual");
  addServiceFlags(command)
    .addHelpText(
      "after",
      formatExamples(
        "serve --port 8080 --data /var/lib/octavo",
        "serve --roles api --database-url postgres://octavo@db/octavo",
      ),
    )
    .action(async (flags: CommandFlags) => {
      const config = readConfig(context, flags);
      // The database takes about as long to start as the service takes to load, so the database starts first.
      await using engineThread =
        config.database.kind === "embedded" ? startEngineThread() : undefined;
      const { runService } = await import("./run-service.ts");
      await runService(context, { config, createsDemo: flags["demo"] === true, engineThread });
    });
}

export function defineWorker(command: Command, context: CommandContext): void {
  command.description(
    "Runs jobs until it is stopped, and serves only its health and metrics. Requires the service's PostgreSQL and " +
      "OCTAVO_SECRET.",
  );
  addAddressFlags(command);
  addServiceFlags(command)
    .addHelpText(
      "after",
      `
Example:
  OCTAVO_SECRET_FILE=/etc/octavo/secret octavo worker --database-url postgres://octavo@db/octavo`,
    )
    .action(async (flags: CommandFlags) => {
      const config = readConfig(context, { ...flags, roles: "worker" });
      const { runService } = await import("./run-service.ts");
      await runService(context, { config, createsDemo: false });
    });
}

/** Adds the flags of commands that run the service. */
function addServiceFlags(command: Command): Command {
  return addDataFlags(command)
    .option(
      "--storage <location>",
      "where bundles are stored: fs, or s3://bucket/prefix (default: fs)",
    )
    .option("--model <provider/model>", "model for agent jobs (default: builtin/recipes)")
    .option("--log-level <level>", "trace, debug, info, warn, error or silent (default: info)");
}

/** Adds the flags for the address on which a node listens. */
function addAddressFlags(command: Command): Command {
  return command
    .option("--port <number>", "port to listen on, or 0 for any free port (default: 4400)")
    .option("--host <address>", "address to listen on (default: 127.0.0.1)");
}
