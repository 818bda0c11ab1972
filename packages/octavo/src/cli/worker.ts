import type { Command } from "commander";
import type { CommandContext } from "./context.ts";
import { addAddressFlags, addServiceFlags, readConfig } from "./service-flags.ts";
import type { Flags } from "./service-flags.ts";

export function addWorker(program: Command, context: CommandContext): void {
  const command = program
    .command("worker")
    .summary("run a worker only, beside a service on the same PostgreSQL")
    .description(
      "Works on jobs until it is told to stop, and takes no requests but for its health and metrics. It needs the PostgreSQL that the service uses, and the same OCTAVO_SECRET.",
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
      const { runService } = await import("./service.ts");
      await runService(context, { config, hasDemo: false });
    });
}
