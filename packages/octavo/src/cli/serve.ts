import type { Command } from "commander";
import type { CommandContext } from "./context.ts";
import { addAddressFlags, addServiceFlags, readConfig } from "./service-flags.ts";
import type { Flags } from "./service-flags.ts";

export function addServe(program: Command, context: CommandContext): void {
  const command = program
    .command("serve")
    .summary("run the service: HTTP interface and workers")
    .description(
      "Runs the service until it is told to stop. Each flag is also an environment variable (OCTAVO_PORT, ...).",
    );
  addAddressFlags(command)
    .option("--base-url <url>", "the service's address as seen from outside, used in links")
    .option("--roles <roles>", "api, worker, or both (api,worker)")
    .option("--demo", "on an empty data folder, make a project out of Octavo's own manual");
  addServiceFlags(command)
    .addHelpText(
      "after",
      `
Examples:
  octavo serve --port 8080 --data /var/lib/octavo
  octavo serve --roles api --database-url postgres://octavo@db/octavo`,
    )
    .action(async (flags: Flags) => {
      const config = readConfig(context, flags);
      const { runService } = await import("./service.ts");
      await runService(context, { config, hasDemo: flags["demo"] === true });
    });
}
