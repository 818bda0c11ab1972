import type { Command } from "commander";
import type { AuditEvent } from "../../projects/index.ts";
import { addClientFlags, openServiceClient } from "./target-flags.ts";
import type { ClientFlags } from "./target-flags.ts";
import type { CommandContext } from "../context.ts";
import { iterateList } from "./list-all.ts";
import { formatExamples } from "../flags.ts";
import { formatTable } from "../format.ts";

interface AuditFlags extends ClientFlags {
  readonly actor?: string;
  readonly action?: string;
  readonly since?: string;
  readonly until?: string;
}

/** An event in the form in which a running service sends it. */
type SentEvent = Omit<AuditEvent, "at"> & { readonly at: string };

export function defineAudit(command: Command, context: CommandContext): void {
  addClientFlags(command)
    .description(
      "Lists the audit log of an organization on a running service, newest first; with --json, one event per line.",
    )
    .option("--actor <id>", "only actions of this key or person")
    .option("--action <name>", "only this action, such as key.created")
    .option("--since <time>", "only events from this time on, such as 2030-01-31T12:00:00Z")
    .option("--until <time>", "only events before this time")
    .addHelpText(
      "after",
      formatExamples("audit --action key.created", "audit --since 2030-01-01T00:00:00Z --json"),
    )
    .action((flags: AuditFlags) => listEvents(context, flags));
}

async function listEvents(context: CommandContext, flags: AuditFlags): Promise<void> {
  const { terminal } = context;
  const { actor, action, since, until } = flags;
  const filters = Object.entries({ actor, action, since, until }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const client = await openServiceClient(context, flags);
  const events = iterateList<SentEvent>(client, "/v2/audit", "events", Object.fromEntries(filters));
  if (flags.json) {
    // A log may be long, so each page is printed before the next is requested.
    for await (const event of events) terminal.print(JSON.stringify(event));
    return;
  }
  const rows = (await Array.fromAsync(events)).map(toEventRow);
  for (const line of formatTable(["AT", "WHO", "WHAT", "TARGET"], rows)) terminal.print(line);
}

function toEventRow({ at, actor, action, target }: SentEvent): string[] {
  return [
    at,
    actor?.name ?? (action === "session.refused" ? "-" : "the operator"),
    action,
    target.name ?? target.id,
  ];
}
