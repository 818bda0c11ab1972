import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { isOctavoError } from "@octavo/site/core";
import { requireWholeOrganization, webhookEvents, type Webhook } from "../../projects/index.ts";
import { parseForm } from "../form.ts";
import { createPageOptions } from "../page-rights.ts";
import { renderWebhookPage, renderWebhooksPage, type WebhooksView } from "../pages/webhooks.ts";
import type { RejectedWebhook } from "../pages/webhook-fields.ts";
import type { DashboardServices } from "../services.ts";
import { getHolder } from "../session/sessions.ts";

/** More than an organization can have. */
const maxListed = 100;

const Fields = z.object({
  url: z.string().trim().default(""),
  events: z.preprocess((given) => [given].flat(), z.array(z.enum(webhookEvents))).catch([]),
});
const noEvents = "Choose at least one event.";

export function addWebhookPages(app: FastifyInstance, services: DashboardServices): void {
  const { webhooks, addresses } = services;
  const options = createPageOptions("webhooks.manage");

  app.get("/webhooks", options, (request, reply) => sendList(services, request, { reply }));

  app.post("/webhooks", options, async (request, reply) => {
    const holder = getHolder(request);
    requireWholeOrganization(holder, "create webhooks");
    const fields = parseForm(Fields, request.body);
    const { result, rejected } = await tryFields(fields, () =>
      webhooks.create(holder.organizationId, fields, holder.actor),
    );
    if (rejected) return sendList(services, request, { reply: reply.code(400), rejected });
    // Not a redirect: only this response contains the secret.
    return sendList(services, request, { reply, created: result });
  });

  app.get("/webhooks/:webhookId", options, async (request, reply) =>
    sendWebhook(services, request, { reply, webhook: await findWebhook(services, request) }),
  );

  app.post("/webhooks/:webhookId", options, async (request, reply) => {
    const webhook = await findWebhook(services, request);
    const fields = parseForm(Fields, request.body);
    const { rejected } = await tryFields(fields, () =>
      webhooks.update(getHolder(request), webhook.id, fields),
    );
    if (rejected) {
      return sendWebhook(services, request, { reply: reply.code(400), webhook, rejected });
    }
    return reply.redirect(addresses.webhook(webhook.id), 303);
  });

  addWebhookActions(app, services);
}

function addWebhookActions(app: FastifyInstance, services: DashboardServices): void {
  const { webhooks, webhookSender, addresses } = services;
  const options = createPageOptions("webhooks.manage");

  app.post("/webhooks/:webhookId/delete", options, async (request, reply) => {
    const { id } = await findWebhook(services, request);
    await webhooks.remove(getHolder(request), id);
    return reply.redirect(addresses.webhooks, 303);
  });

  app.post("/webhooks/:webhookId/test", options, async (request, reply) => {
    const webhook = await findWebhook(services, request);
    await webhookSender.sendTest(getHolder(request), webhook);
    return reply.redirect(addresses.webhook(webhook.id), 303);
  });

  app.post("/webhooks/:webhookId/deliveries/:deliveryId/send", options, async (request, reply) => {
    const webhook = await findWebhook(services, request);
    const { deliveryId } = request.params as { readonly deliveryId: string };
    await webhookSender.sendAgain(getHolder(request), webhook, deliveryId);
    return reply.redirect(addresses.webhook(webhook.id), 303);
  });
}

/** Throws `not_found` if the user's scope does not contain the webhook. */
async function findWebhook(
  { webhooks }: DashboardServices,
  request: FastifyRequest,
): Promise<Webhook> {
  const { webhookId } = request.params as { readonly webhookId: string };
  return await webhooks.get(getHolder(request), webhookId);
}

type Fields = z.output<typeof Fields>;

/** Runs a write and returns the form's error, with the entered fields, if it is rejected. */
async function tryFields<Result>(
  fields: Fields,
  write: () => Promise<Result>,
): Promise<
  | { readonly result: Result; readonly rejected?: undefined }
  | { readonly result?: undefined; readonly rejected: RejectedWebhook }
> {
  if (fields.events.length === 0) return { rejected: { ...fields, sentence: noEvents } };
  try {
    return { result: await write() };
  } catch (error) {
    if (!isOctavoError(error, "invalid_input") && !isOctavoError(error, "conflict")) throw error;
    return { rejected: { ...fields, sentence: error.message } };
  }
}

async function sendList(
  { webhooks, addresses, sendPage }: DashboardServices,
  request: FastifyRequest,
  { reply, ...rest }: { readonly reply: FastifyReply } & Pick<WebhooksView, "created" | "rejected">,
) {
  const { items } = await webhooks.list(getHolder(request), { limit: maxListed });
  return sendPage(request, reply, {
    title: "Webhooks",
    section: "webhooks",
    main: renderWebhooksPage(addresses, { webhooks: items, ...rest }),
  });
}

interface ShownWebhook {
  readonly reply: FastifyReply;
  readonly webhook: Webhook;
  readonly rejected?: RejectedWebhook;
}

async function sendWebhook(
  { webhookDeliveries, addresses, sendPage }: DashboardServices,
  request: FastifyRequest,
  { reply, webhook, rejected }: ShownWebhook,
) {
  const deliveries = await webhookDeliveries.newest(webhook.id);
  return sendPage(request, reply, {
    title: "Webhook",
    section: "webhooks",
    isLive: rejected === undefined && deliveries.some(({ state }) => state === "pending"),
    main: renderWebhookPage(addresses, { webhook, deliveries, rejected }),
  });
}
