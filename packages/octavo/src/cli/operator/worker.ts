import type { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { addAddressFlags, addServiceFlags, readConfig } from "../service-flags.ts";
import type { Flags } from "../service-flags.ts";

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
    .action(async (flags: Flags) => {
      const config = readConfig(context, { ...flags, roles: "worker" });
      const { runService } = await import("./run-service.ts");
      await runService(context, { config, hasDemo: false });
    });
}
