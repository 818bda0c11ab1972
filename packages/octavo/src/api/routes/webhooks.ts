import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { deliveryStates } from "../../jobs/index.ts";
import type { WebhookDelivery } from "../../jobs/index.ts";
import { requireWholeOrganization, webhookEvents } from "../../projects/index.ts";
import type { Webhook } from "../../projects/index.ts";
import type { Api, ApiServices } from "../api.ts";
import { parseBasePath } from "../base-path.ts";
import { toCursor, nextCursor, createPageQuery } from "../cursor.ts";
import { expectNoBody } from "../request-body.ts";
import { declareRight } from "../route-rights.ts";
import {
  describeErrorResponses,
  describeJsonResponse,
  locationHeader,
  describeEmptyResponse,
  describeTimestamp,
} from "../schemas/responses.ts";

const url = z.string().min(1).max(2_048).meta({
  description: "The https address to which messages are sent, without a user name or password.",
  example: "https://example.com/hooks/octavo",
});
const events = z.array(z.enum(webhookEvents));

const webhookFields = {
  id: z.string().meta({ example: "wh_06f4k2…" }),
  url,
  events: events.meta({ description: "The events that the webhook receives." }),
  createdAt: describeTimestamp("When the webhook was created."),
  disabledAt: describeTimestamp(
    "When the receiver responded with 410 Gone, after which no messages are sent to it.",
  ).nullable(),
};

const webhook = z
  .object(webhookFields)
  .meta({ id: "Webhook", description: "A receiver of the events of the organization's jobs." });

const createdWebhook = z
  .object({
    ...webhookFields,
    secret: z.string().meta({
      description: "The signing secret. Only this response contains it.",
      example: "whsec_…",
    }),
  })
  .meta({ id: "CreatedWebhook", description: "A new webhook with its secret." });

const delivery = z
  .object({
    id: z.string().meta({
      description: "The ID sent as `webhook-id`; it is the same on every attempt.",
      example: "msg_06f4k2…",
    }),
    event: z.string(),
    jobId: z.string().nullable().meta({
      description: "The job that the message is about; null for a test message.",
    }),
    state: z.enum(deliveryStates).meta({
      description: "`pending` until it is `delivered`, or `failed` after the last attempt.",
    }),
    attempts: z.int().min(0).meta({ description: "Number of attempts so far." }),
    responseStatus: z.int().nullable().meta({
      description: "The status of the response to the last attempt; null if there was no response.",
    }),
    error: z.string().nullable().meta({ description: "Why the last attempt failed." }),
    createdAt: describeTimestamp("When the job ended."),
    attemptedAt: describeTimestamp("When the last attempt ended.").nullable(),
    nextAttemptAt: describeTimestamp(
      "When the next attempt is due; set while `pending`.",
    ).nullable(),
  })
  .meta({ id: "WebhookDelivery", description: "The delivery of one message." });

const webhookDetails = z
  .object({
    ...webhookFields,
    deliveries: z.array(delivery).meta({
      description:
        "The newest 20 deliveries, newest first. A delivery is stored for 14 days after it ends.",
    }),
  })
  .meta({ id: "WebhookDetails", description: "A webhook and the delivery of its messages." });

const requestedEvents = events
  .min(1)
  .refine((list) => new Set(list).size === list.length, { error: "must not name an event twice" })
  .meta({ description: "The events to receive.", example: ["static_export.completed"] });
const createWebhook = z
  .strictObject({ url, events: requestedEvents })
  .meta({ id: "CreateWebhook" });
const updateWebhook = z
  .strictObject({ url: url.optional(), events: requestedEvents.optional() })
  .meta({ id: "UpdateWebhook", description: "Omitted fields keep their values." });

const webhookPath = z.object({ webhookId: z.string().meta({ description: "The webhook's ID." }) });
const deliveryPath = webhookPath.extend({
  deliveryId: z
    .string()
    .meta({ description: "The delivery's ID, from the webhook's list of deliveries." }),
});
const webhookQuery = z.object(createPageQuery("webhook"));
const webhookList = z
  .object({ webhooks: z.array(webhook), nextCursor })
  .meta({ id: "WebhookList", description: "Newest first." });

const tags = ["Webhooks"];

/** The requests, responses and descriptions of the routes. */
const operations = {
  create: {
    operationId: "createWebhook",
    summary: "Create a webhook",
    description:
      "When a job of any project ends, its state is sent to `url`, signed according to Standard Webhooks. A message " +
      "whose receiver does not respond with 2xx is retried for about a day. An organization can have at most 20 " +
      "webhooks.",
    tags,
    body: createWebhook,
    response: {
      201: describeJsonResponse(
        "The webhook; `Location` contains its path. Its `secret` is never shown again.",
        createdWebhook,
        locationHeader,
      ),
      ...describeErrorResponses(400, 401, 403, 409, 413, 415, 503),
    },
  },
  list: {
    operationId: "listWebhooks",
    summary: "List webhooks",
    tags,
    querystring: webhookQuery,
    response: {
      200: describeJsonResponse(
        "Webhooks of the organization, without their secrets.",
        webhookList,
      ),
      ...describeErrorResponses(400, 401, 403, 503),
    },
  },
  get: {
    operationId: "getWebhook",
    summary: "Get a webhook and its newest deliveries",
    tags,
    params: webhookPath,
    response: {
      200: describeJsonResponse("The webhook and its newest deliveries.", webhookDetails),
      ...describeErrorResponses(401, 403, 404, 503),
    },
  },
  update: {
    operationId: "updateWebhook",
    summary: "Change a webhook",
    description:
      "The secret does not change. Any update, including an empty object, enables a disabled webhook again.",
    tags,
    params: webhookPath,
    body: updateWebhook,
    response: {
      200: describeJsonResponse("The changed webhook.", webhook),
      ...describeErrorResponses(400, 401, 403, 404, 413, 415, 503),
    },
  },
  test: {
    operationId: "testWebhook",
    summary: "Send a test message",
    description:
      "Sends a `webhook.test` message once, without retries. Responds with 409 while another test is " +
      "pending, or if the webhook is disabled.",
    tags,
    params: webhookPath,
    response: {
      202: describeJsonResponse(
        "The delivery of the message, which will be sent shortly.",
        delivery,
      ),
      ...describeErrorResponses(400, 401, 403, 404, 409, 413, 415, 503),
    },
  },
  sendAgain: {
    operationId: "resendWebhookMessage",
    summary: "Send a message again",
    description:
      "Sends a delivered or failed message again: the same bytes with the same `webhook-id`. Responds with 409 if " +
      "the message is still being sent, or if the webhook is disabled.",
    tags,
    params: deliveryPath,
    response: {
      202: describeJsonResponse("The delivery, which is pending again.", delivery),
      ...describeErrorResponses(400, 401, 403, 404, 409, 413, 415, 503),
    },
  },
  remove: {
    operationId: "deleteWebhook",
    summary: "Delete a webhook",
    description: "Pending messages of the webhook are not sent.",
    tags,
    params: webhookPath,
    response: {
      204: describeEmptyResponse("The webhook is deleted."),
      ...describeErrorResponses(400, 401, 403, 404, 413, 415, 503),
    },
  },
};

const webhooksPath = "/v2/webhooks";

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
    webhooksPath,
    { schema: operations.create, ...declareRight("webhooks.manage") },
    async ({ caller, body }, reply) => {
      webhooks.check(body);
      requireWholeOrganization(caller, "create webhooks");
      const created = await webhooks.create(caller.organizationId, body, caller.actor);
      const location = `${parseBasePath(baseUrl())}${webhooksPath}/${created.id}`;
      const response = { ...toBody(created), secret: created.secret };
      return reply.code(201).header("location", location).send(response);
    },
  );

  api.get(
    webhooksPath,
    { schema: operations.list, ...declareRight("webhooks.manage") },
    async ({ caller, query: { limit, cursor } }) => {
      const { items, next } = await webhooks.list(caller, { limit, before: cursor });
      return { webhooks: items.map(toBody), nextCursor: toCursor(next) };
    },
  );

  const getOptions = {
    schema: operations.get,
    ...declareRight("webhooks.manage"),
    onRequest: findWebhook,
  };
  api.get(`${webhooksPath}/:webhookId`, getOptions, async ({ caller, params }) => {
    const webhook = await webhooks.get(caller, params.webhookId);
    const deliveries = await webhookDeliveries.listNewest(webhook.id);
    return { ...toBody(webhook), deliveries: deliveries.map(toDeliveryBody) };
  });

  const updateOptions = {
    schema: operations.update,
    ...declareRight("webhooks.manage"),
    onRequest: findWebhook,
  };
  api.patch(`${webhooksPath}/:webhookId`, updateOptions, async ({ caller, params, body }) =>
    toBody(await webhooks.update(caller, params.webhookId, body)),
  );

  const removeOptions = {
    schema: operations.remove,
    ...declareRight("webhooks.manage"),
    onRequest: findWebhook,
    preValidation: expectNoBody,
  };
  api.delete(`${webhooksPath}/:webhookId`, removeOptions, async ({ caller, params }, reply) => {
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

  const sendOptions = {
    ...declareRight("webhooks.manage"),
    onRequest: findWebhook,
    preValidation: expectNoBody,
  };
  api.post(
    `${webhooksPath}/:webhookId/test`,
    { ...sendOptions, schema: operations.test },
    async ({ caller, params: { webhookId } }, reply) => {
      const webhook = await webhooks.get(caller, webhookId);
      const deliveryId = await webhookSender.sendTest(caller, webhook);
      return reply
        .code(202)
        .send(toDeliveryBody(await webhookDeliveries.get(webhookId, deliveryId)));
    },
  );

  const resendOptions = { ...sendOptions, schema: operations.sendAgain, onRequest: findDelivery };
  api.post(
    `${webhooksPath}/:webhookId/deliveries/:deliveryId/send`,
    resendOptions,
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
    disabledAt: formatTimestamp(disabledAt),
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
    attemptedAt: formatTimestamp(delivery.attemptedAt),
    nextAttemptAt: formatTimestamp(delivery.nextAttemptAt),
  };
}

function formatTimestamp(time: Date | null): string | null {
  return time && time.toISOString();
}
