import type { Command } from "commander";
import { OctavoError } from "@octavo/site/core";
import type { WebhookEvent } from "../projects/index.ts";
import type { CommandContext } from "./context.ts";
import { formatExamples } from "./examples.ts";
import { webhookPlaces } from "./managed-webhooks.ts";
import type { ManagedWebhooks, ShownWebhook } from "./managed-webhooks.ts";
import { addPlaceFlags, withPlace } from "./place-flags.ts";
import type { PlaceFlags } from "./place-flags.ts";
import { formatTable } from "./table.ts";

interface WebhookFlags extends PlaceFlags {
  readonly events?: string;
  readonly json?: true;
}

export function defineWebhooks(group: Command, context: CommandContext): void {
  group
    .description(
      "Manages webhooks, which are called when a job of an organisation ends: with --url those of a running service, else those in the data folder.",
    )
    .addHelpText(
      "after",
      formatExamples("webhooks create https://example.com/hooks", "webhooks list"),
    );

  addPlaceFlags(group.command("create"))
    .summary("create a webhook")
    .description("Creates a webhook. Its secret, which signs every message, is shown only once.")
    .addHelpText(
      "after",
      formatExamples("webhooks create https://example.com/hooks --events agent.failed"),
    )
    .argument("<address>", "https address that receives the messages")
    .option("--events <names>", "events to send, separated by commas (default: all)")
    .option("--json", "print the result, or the error, as one JSON object")
    .action((address: string, flags: WebhookFlags) =>
      withPlace(context, flags, webhookPlaces, (webhooks) =>
        createWebhook(context, webhooks, { ...flags, address }),
      ),
    );

  addPlaceFlags(group.command("list"))
    .summary("list the webhooks")
    .description("Lists the webhooks of an organisation, newest first.")
    .addHelpText("after", formatExamples("webhooks list"))
    .option("--json", "print the list, or an error object, as JSON")
    .action((flags: WebhookFlags) =>
      withPlace(context, flags, webhookPlaces, (webhooks) =>
        listWebhooks(context, webhooks, flags),
      ),
    );

  addPlaceFlags(group.command("delete"))
    .summary("delete a webhook")
    .description("Deletes a webhook. Messages that are waiting for it are not sent.")
    .addHelpText("after", formatExamples("webhooks delete <id>"))
    .argument("<id>", "ID of the webhook, as webhooks list shows it")
    .action((id: string, flags: WebhookFlags) =>
      withPlace(context, flags, webhookPlaces, async (webhooks) => {
        await webhooks.remove(id);
        context.terminal.print(`Deleted ${id}.`);
      }),
    );
}

async function createWebhook(
  { terminal }: CommandContext,
  webhooks: ManagedWebhooks,
  flags: WebhookFlags & { readonly address: string },
): Promise<void> {
  const fields = { url: flags.address, events: await readEvents(flags.events) };
  const { secret, ...webhook } = await webhooks.create(fields);
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
  webhooks: ManagedWebhooks,
  flags: WebhookFlags,
): Promise<void> {
  const listed = await webhooks.list();
  const lines = flags.json
    ? [JSON.stringify(listed)]
    : formatTable(["ID", "STATE", "URL", "EVENTS"], listed.map(rowOf));
  for (const line of lines) terminal.print(line);
}

function rowOf({ id, disabledAt, url, events }: ShownWebhook): string[] {
  return [id, disabledAt ? "disabled" : "active", url, events.join(",")];
}
