import type { Command } from "commander";
import { OctavoError } from "@octavo/site/core";
import type { Webhook, WebhookEvent } from "../projects/index.ts";
import type { CommandContext } from "./context.ts";
import { everyPage } from "./every-page.ts";
import { chooseOrganization, organizationFlag } from "./organization-choice.ts";
import { addDataFlags, withRecords } from "./service-flags.ts";
import { table } from "./table.ts";
import type { Records } from "./records.ts";

interface WebhookFlags {
  readonly url?: string;
  readonly events?: string;
  readonly org?: string;
  readonly json?: true;
}

export function addWebhooks(program: Command, context: CommandContext): void {
  const group = program
    .command("webhooks")
    .description("receivers that are told when a job of an organisation ends");

  addDataFlags(group.command("create"))
    .description("Make a webhook. Its secret is shown this once; it signs every message.")
    .requiredOption("--url <url>", "https address that messages are sent to")
    .option("--events <names>", "what to be told of, by commas; everything when absent")
    .option(...organizationFlag)
    .option("--json", "one JSON object")
    .action((flags: WebhookFlags) =>
      withRecords(context, { ...flags }, (records) => createWebhook(context, records, flags)),
    );

  addDataFlags(group.command("list"))
    .description("Webhooks of an organisation, newest first.")
    .option(...organizationFlag)
    .option("--json", "one JSON list")
    .action((flags: WebhookFlags) =>
      withRecords(context, { ...flags }, (records) => listWebhooks(context, records, flags)),
    );

  addDataFlags(group.command("delete"))
    .description("Delete a webhook; messages to it that wait are not sent.")
    .argument("<id>", "the webhook's ID, as `octavo webhooks list` shows it")
    .option(...organizationFlag)
    .action((id: string, flags: WebhookFlags) =>
      withRecords(context, { ...flags }, async (records) => {
        await records.webhooks.remove(await chooseOrganization(records, flags.org), id);
        context.terminal.print(`Deleted ${id}.`);
      }),
    );
}

async function createWebhook(
  { terminal }: CommandContext,
  records: Records,
  flags: WebhookFlags,
): Promise<void> {
  const { organizationId } = await chooseOrganization(records, flags.org);
  const fields = { url: flags.url ?? "", events: await readEvents(flags.events) };
  const { secret, ...webhook } = await records.webhooks.create(organizationId, fields);
  if (flags.json) {
    terminal.print(JSON.stringify({ ...webhook, secret }));
    return;
  }
  terminal.note(`Made the webhook ${webhook.id}. This is its secret; it is not shown again:`);
  terminal.print(secret);
}

async function readEvents(text: string | undefined): Promise<readonly WebhookEvent[]> {
  const { webhookEvents } = await import("../projects/index.ts");
  if (text === undefined) return webhookEvents;
  const names = new Set(text.split(",").map((name) => name.trim()));
  const events = webhookEvents.filter((event) => names.delete(event));
  const [unknown] = names;
  if (unknown === undefined) return events;
  throw new OctavoError(
    "invalid_input",
    `--events takes ${webhookEvents.join(", ")}, not ${JSON.stringify(unknown)}.`,
  );
}

async function listWebhooks(
  { terminal }: CommandContext,
  records: Records,
  flags: WebhookFlags,
): Promise<void> {
  const scope = await chooseOrganization(records, flags.org);
  const webhooks = await everyPage((page) => records.webhooks.list(scope, page));
  const lines = flags.json
    ? [JSON.stringify(webhooks)]
    : table(["ID", "STATE", "URL", "EVENTS"], webhooks.map(rowOf));
  for (const line of lines) terminal.print(line);
}

function rowOf({ id, disabledAt, url, events }: Webhook): string[] {
  return [id, disabledAt ? "disabled" : "active", url, events.join(",")];
}
