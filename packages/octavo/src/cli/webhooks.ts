import type { Command } from "commander";
import { OctavoError } from "@octavo/site/core";
import type { Webhook, WebhookEvent } from "../projects/index.ts";
import type { CommandContext } from "./context.ts";
import { formatExamples } from "./examples.ts";
import { everyPage } from "./every-page.ts";
import { chooseOrganization, organizationFlag } from "./organization-choice.ts";
import { addDataFlags, withRecords } from "./service-flags.ts";
import { formatTable } from "./table.ts";
import type { Records } from "./records.ts";

interface WebhookFlags {
  readonly url?: string;
  readonly events?: string;
  readonly org?: string;
  readonly json?: true;
}

export function defineWebhooks(group: Command, context: CommandContext): void {
  group
    .description("Manages webhooks, which are called when a job of an organisation ends.")
    .addHelpText(
      "after",
      formatExamples("webhooks create --url https://example.com/hooks", "webhooks list"),
    );

  addDataFlags(group.command("create"))
    .summary("create a webhook")
    .description("Creates a webhook. Its secret, which signs every message, is shown only once.")
    .addHelpText(
      "after",
      formatExamples("webhooks create --url https://example.com/hooks --events agent.failed"),
    )
    .requiredOption("--url <url>", "https address that receives the messages")
    .option("--events <names>", "events to send, separated by commas (default: all)")
    .option(...organizationFlag)
    .option("--json", "print the result, or the error, as one JSON object")
    .action((flags: WebhookFlags) =>
      withRecords(context, { ...flags }, (records) => createWebhook(context, records, flags)),
    );

  addDataFlags(group.command("list"))
    .summary("list the webhooks")
    .description("Lists the webhooks of an organisation, newest first.")
    .addHelpText("after", formatExamples("webhooks list"))
    .option(...organizationFlag)
    .option("--json", "print the list, or an error object, as JSON")
    .action((flags: WebhookFlags) =>
      withRecords(context, { ...flags }, (records) => listWebhooks(context, records, flags)),
    );

  addDataFlags(group.command("delete"))
    .summary("delete a webhook")
    .description("Deletes a webhook. Messages that are waiting for it are not sent.")
    .addHelpText("after", formatExamples("webhooks delete <id>"))
    .argument("<id>", "ID of the webhook, as webhooks list shows it")
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
  terminal.note(`Created the webhook ${webhook.id}. This is its secret, which is not shown again:`);
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
    : formatTable(["ID", "STATE", "URL", "EVENTS"], webhooks.map(rowOf));
  for (const line of lines) terminal.print(line);
}

function rowOf({ id, disabledAt, url, events }: Webhook): string[] {
  return [id, disabledAt ? "disabled" : "active", url, events.join(",")];
}
