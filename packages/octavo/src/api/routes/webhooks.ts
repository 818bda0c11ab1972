import type { FastifyRequest } from "fastify";
import type { WebhookDelivery } from "../../jobs/index.ts";
import type { Webhook } from "../../projects/index.ts";
import type { Api, ApiServices } from "../api.ts";
import { requireWholeOrganization } from "../../projects/index.ts";
import { parseBasePath } from "../base-path.ts";
import { toCursor } from "../cursor.ts";
import { expectNoBody } from "../json-body.ts";
import { declareRight } from "../route-rights.ts";
import { webhookOperations as operations } from "../schemas/webhook.ts";

const path = "/v2/webhooks";

export function addWebhookRoutes(api: Api, services: ApiServices): void {
  const { webhooks, webhookDeliveries, baseUrl } = services;

  /**
   * Finds the webhook in the path before the body is checked, so that a 404 takes precedence over every error in the
   * body.
   */
  async function findWebhook(request: FastifyRequest): Promise<void> {
    const { webhookId } = request.params as { webhookId: string };
    await webhooks.get(request.caller, webhookId);
  }

  api.post(
    path,
    { schema: operations.create, ...declareRight("webhooks.manage") },
    async ({ caller, body }, reply) => {
      webhooks.check(body);
      requireWholeOrganization(caller, "create webhooks");
      const made = await webhooks.create(caller.organizationId, body, caller.actor);
      const location = `${parseBasePath(baseUrl())}${path}/${made.id}`;
      const response = { ...toBody(made), secret: made.secret };
      return reply.code(201).header("location", location).send(response);
    },
  );

  api.get(
    path,
    { schema: operations.list, ...declareRight("webhooks.manage") },
    async ({ caller, query: { limit, cursor } }) => {
      const { items, next } = await webhooks.list(caller, { limit, before: cursor });
      return { webhooks: items.map(toBody), nextCursor: toCursor(next) };
    },
  );

  const get = {
    schema: operations.get,
    ...declareRight("webhooks.manage"),
    onRequest: findWebhook,
  };
  api.get(`${path}/:webhookId`, get, async ({ caller, params }) => {
    const webhook = await webhooks.get(caller, params.webhookId);
    const deliveries = await webhookDeliveries.newest(webhook.id);
    return { ...toBody(webhook), deliveries: deliveries.map(toDeliveryBody) };
  });

  const update = {
    schema: operations.update,
    ...declareRight("webhooks.manage"),
    onRequest: findWebhook,
  };
  api.patch(`${path}/:webhookId`, update, async ({ caller, params, body }) =>
    toBody(await webhooks.update(caller, params.webhookId, body)),
  );

  const remove = {
    schema: operations.remove,
    ...declareRight("webhooks.manage"),
    onRequest: findWebhook,
    preValidation: expectNoBody,
  };
  api.delete(`${path}/:webhookId`, remove, async ({ caller, params }, reply) => {
    await webhooks.remove(caller, params.webhookId);
    return reply.code(204).send();
  });

  addSendingRoutes(api, services, findWebhook);
}

/** Adds the routes that send messages on request: tests and repeated deliveries. */
function addSendingRoutes(
  api: Api,
  { webhooks, webhookDeliveries, webhookSender }: ApiServices,
  findWebhook: (request: FastifyRequest) => Promise<void>,
): void {
  async function findDelivery(request: FastifyRequest): Promise<void> {
    await findWebhook(request);
    const { webhookId, deliveryId } = request.params as { webhookId: string; deliveryId: string };
    await webhookDeliveries.get(webhookId, deliveryId);
  }

  const send = {
    ...declareRight("webhooks.manage"),
    onRequest: findWebhook,
    preValidation: expectNoBody,
  };
  api.post(
    `${path}/:webhookId/test`,
    { ...send, schema: operations.test },
    async ({ caller, params: { webhookId } }, reply) => {
      const webhook = await webhooks.get(caller, webhookId);
      const sent = await webhookSender.sendTest(caller, webhook);
      return reply.code(202).send(toDeliveryBody(await webhookDeliveries.get(webhookId, sent)));
    },
  );

  const resend = { ...send, schema: operations.sendAgain, onRequest: findDelivery };
  api.post(
    `${path}/:webhookId/deliveries/:deliveryId/send`,
    resend,
    async ({ caller, params: { webhookId, deliveryId } }, reply) => {
      const webhook = await webhooks.get(caller, webhookId);
      await webhookSender.sendAgain(caller, webhook, deliveryId);
      const delivery = await webhookDeliveries.get(webhookId, deliveryId);
      return reply.code(202).send(toDeliveryBody(delivery));
    },
  );
}

function toBody({ id, url, events, createdAt, disabledAt }: Webhook) {
  return {
    id,
    url,
    events: [...events],
    createdAt: createdAt.toISOString(),
    disabledAt: toText(disabledAt),
  };
}

function toDeliveryBody(delivery: WebhookDelivery) {
  return {
    id: delivery.id,
    event: delivery.event,
    jobId: delivery.jobId,
    state: delivery.state,
    attempts: delivery.attempts,
    responseStatus: delivery.responseStatus,
    error: delivery.error,
    createdAt: delivery.createdAt.toISOString(),
    attemptedAt: toText(delivery.attemptedAt),
    nextAttemptAt: toText(delivery.nextAttemptAt),
  };
}

function toText(time: Date | null): string | null {
  return time && time.toISOString();
}
