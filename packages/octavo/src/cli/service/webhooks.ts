import type { Command } from "commander";
import { OctavoError } from "@octavo/site/core";
import type { Webhook, WebhookChanges, WebhookEvent, WebhookFields } from "../../projects/index.ts";
import type { CommandContext } from "../context.ts";
import { formatExamples } from "../flags.ts";
import { addTargetFlags, runOnTarget } from "./target-flags.ts";
import type { TargetFlags, ManagementTargets } from "./target-flags.ts";
import { formatTable } from "../format.ts";
import { listAll, readAllPages } from "./list-all.ts";

interface WebhookFlags extends TargetFlags {
  readonly address?: string;
  readonly events?: string;
  readonly json?: true;
}

/** A webhook as the API or the data folder returns it. The API sends times as text. */
type ShownWebhook = Pick<Webhook, "id" | "url" | "events"> & {
  readonly disabledAt: Date | string | null;
};

/** The delivery of a message, as the API or the data folder returns it. */
interface ShownDelivery {
  readonly id: string;
  readonly event: string;
  readonly jobId: string | null;
  readonly state: string;
  readonly attempts: number;
  readonly responseStatus: number | null;
  readonly error: string | null;
  readonly createdAt: Date | string;
}

type WebhookDetails = ShownWebhook & { readonly deliveries: readonly ShownDelivery[] };

/** The webhooks of one organization, local or remote. Throws in the same cases as `Webhooks`. */
interface ManagedWebhooks {
  create(fields: WebhookFields): Promise<ShownWebhook & { readonly secret: string }>;
  list(): Promise<readonly ShownWebhook[]>;
  get(id: string): Promise<WebhookDetails>;
  update(id: string, changes: WebhookChanges): Promise<ShownWebhook>;
  /**
   * Sends a test message. Like `sendAgain`, throws `invalid_input` for a data folder, because only a running service
   * can send messages.
   */
  test(id: string): Promise<ShownDelivery>;
  sendAgain(id: string, deliveryId: string): Promise<ShownDelivery>;
  remove(id: string): Promise<void>;
}

const webhooksPath = "/v2/webhooks";

const webhookTargets: ManagementTargets<ManagedWebhooks> = {
  remote: (client) => {
    async function call<Reply>(method: string, path: string, body?: object): Promise<Reply> {
      return (await client.call(method, path, body)) as Reply;
    }
    return {
      create: (fields) => call("POST", webhooksPath, fields),
      list: () => listAll<ShownWebhook>(client, webhooksPath, "webhooks"),
      get: (id) => call("GET", getWebhookPath(id)),
      update: (id, changes) => call("PATCH", getWebhookPath(id), changes),
      test: (id) => call("POST", `${getWebhookPath(id)}/test`),
      sendAgain: (id, deliveryId) =>
        call("POST", `${getWebhookPath(id)}/deliveries/${encodeURIComponent(deliveryId)}/send`),
      remove: async (id) => void (await client.call("DELETE", getWebhookPath(id))),
    };
  },
  local: ({ webhooks, database }, scope) => ({
    create: (fields) => webhooks.create(scope.organizationId, fields),
    list: () => readAllPages((page) => webhooks.list(scope, page)),
    async get(id) {
      const { createWebhookDeliveries } = await import("../../jobs/index.ts");
      const webhook = await webhooks.get(scope, id);
      return { ...webhook, deliveries: await createWebhookDeliveries(database).listNewest(id) };
    },
    update: (id, changes) => webhooks.update(scope, id, changes),
    test: refuseToSend,
    sendAgain: refuseToSend,
    remove: (id) => webhooks.remove(scope, id),
  }),
};

export function defineWebhooks(group: Command, context: CommandContext): void {
  group
    .description(
      "Manages webhooks, which are called when a job of an organization ends. With --url, these are the webhooks " +
        "of a running service, otherwise those in the data folder.",
    )
    .addHelpText(
      "after",
      formatExamples("webhooks create https://example.com/hooks", "webhooks list"),
    );

  addTargetFlags(group.command("create"))
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
      runOnTarget(context, flags, webhookTargets, (webhooks) =>
        createWebhook(context, webhooks, { ...flags, address }),
      ),
    );

  addTargetFlags(group.command("list"))
    .summary("list the webhooks")
    .description("Lists the webhooks of an organization, newest first.")
    .addHelpText("after", formatExamples("webhooks list"))
    .option("--json", "print the list, or an error object, as JSON")
    .action((flags: WebhookFlags) =>
      runOnTarget(context, flags, webhookTargets, (webhooks) =>
        listWebhooks(context, webhooks, flags),
      ),
    );

  addTargetFlags(group.command("show"))
    .summary("show a webhook and its deliveries")
    .description("Shows a webhook and the deliveries of its newest 20 messages.")
    .addHelpText("after", formatExamples("webhooks show <id>"))
    .argument("<id>", "ID of the webhook, from `octavo webhooks list`")
    .option("--json", "print the webhook, or an error object, as JSON")
    .action((id: string, flags: WebhookFlags) =>
      runOnTarget(context, flags, webhookTargets, async (webhooks) =>
        showWebhook(context, await webhooks.get(id), flags),
      ),
    );

  addTargetFlags(group.command("update"))
    .summary("change a webhook")
    .description(
      "Changes a webhook's address or events, but not its secret. Enables the webhook if a response with the status 410 disabled it.",
    )
    .addHelpText("after", formatExamples("webhooks update <id> --events agent.failed"))
    .argument("<id>", "ID of the webhook, from `octavo webhooks list`")
    .option("--address <address>", "https address that receives the messages")
    .option("--events <names>", "events to send, separated by commas")
    .option("--json", "print the webhook, or an error object, as JSON")
    .action((id: string, flags: WebhookFlags) =>
      runOnTarget(context, flags, webhookTargets, (webhooks) =>
        updateWebhook(context, webhooks, { ...flags, id }),
      ),
    );

  defineSending(group, context);

  addTargetFlags(group.command("delete"))
    .summary("delete a webhook")
    .description("Deletes a webhook. Its pending messages are not sent.")
    .addHelpText("after", formatExamples("webhooks delete <id>"))
    .argument("<id>", "ID of the webhook, from `octavo webhooks list`")
    .action((id: string, flags: WebhookFlags) =>
      runOnTarget(context, flags, webhookTargets, async (webhooks) => {
        await webhooks.remove(id);
        context.terminal.print(`Deleted ${id}.`);
      }),
    );
}

function defineSending(group: Command, context: CommandContext): void {
  addTargetFlags(group.command("test"))
    .summary("send a test message")
    .description(
      "Sends a message of the type webhook.test, in a single attempt. Requires a running service.",
    )
    .addHelpText("after", formatExamples("webhooks test <id> --url https://octavo.example.com"))
    .argument("<id>", "ID of the webhook, from `octavo webhooks list`")
    .option("--json", "print the delivery, or an error object, as JSON")
    .action((id: string, flags: WebhookFlags) =>
      runOnTarget(context, flags, webhookTargets, async (webhooks) =>
        printDelivery(context, await webhooks.test(id), flags),
      ),
    );

  addTargetFlags(group.command("send-again"))
    .summary("send a message again")
    .description(
      "Sends a delivered or failed message again, with the same ID and body. Requires a running service.",
    )
    .addHelpText(
      "after",
      formatExamples("webhooks send-again <id> <message> --url https://octavo.example.com"),
    )
    .argument("<id>", "ID of the webhook, from `octavo webhooks list`")
    .argument("<message>", "ID of the message, from `octavo webhooks show`")
    .option("--json", "print the delivery, or an error object, as JSON")
    .action((id: string, message: string, flags: WebhookFlags) =>
      runOnTarget(context, flags, webhookTargets, async (webhooks) =>
        printDelivery(context, await webhooks.sendAgain(id, message), flags),
      ),
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
  terminal.note(
    `Created the webhook ${webhook.id}. This is its secret, which will not be shown again:`,
  );
  terminal.print(secret);
}

function showWebhook(
  { terminal }: CommandContext,
  webhook: WebhookDetails,
  flags: WebhookFlags,
): void {
  const { deliveries } = webhook;
  const header = ["MESSAGE", "STATE", "ATTEMPTS", "RESPONSE", "EVENT", "JOB"];
  const lines = flags.json
    ? [JSON.stringify(webhook)]
    : [
        ...formatTable(["ID", "STATE", "URL", "EVENTS"], [toWebhookRow(webhook)]),
        "",
        ...formatTable(header, deliveries.map(toDeliveryRow)),
      ];
  for (const line of lines) terminal.print(line);
}

function toDeliveryRow(delivery: ShownDelivery): string[] {
  const { id, state, attempts, responseStatus, error, event, jobId } = delivery;
  return [id, state, String(attempts), String(responseStatus ?? error ?? "-"), event, jobId ?? "-"];
}

async function updateWebhook(
  { terminal }: CommandContext,
  webhooks: ManagedWebhooks,
  flags: WebhookFlags & { readonly id: string },
): Promise<void> {
  const { id, address: url } = flags;
  const events = flags.events === undefined ? undefined : await readEvents(flags.events);
  const webhook = await webhooks.update(id, {
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events }),
  });
  terminal.print(flags.json ? JSON.stringify(webhook) : `Changed ${id}.`);
}

function printDelivery(
  { terminal }: CommandContext,
  delivery: ShownDelivery,
  flags: WebhookFlags,
): void {
  const { id } = delivery;
  terminal.print(flags.json ? JSON.stringify(delivery) : `Sending ${id}.`);
}

async function readEvents(text: string | undefined): Promise<readonly WebhookEvent[]> {
  const { webhookEvents } = await import("../../projects/index.ts");
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
    : formatTable(["ID", "STATE", "URL", "EVENTS"], listed.map(toWebhookRow));
  for (const line of lines) terminal.print(line);
}

function toWebhookRow({ id, disabledAt, url, events }: ShownWebhook): string[] {
  return [id, disabledAt ? "disabled" : "active", url, events.join(",")];
}

const getWebhookPath = (id: string) => `${webhooksPath}/${encodeURIComponent(id)}`;

async function refuseToSend(): Promise<never> {
  throw new OctavoError(
    "invalid_input",
    "Only a running service sends messages. Set its address with --url.",
  );
}
