import { z } from "zod";
import { deliveryStates, testEvent } from "../../jobs/index.ts";
import { webhookEvents } from "../../projects/index.ts";
import type { WebhookEvent } from "../../projects/index.ts";
import { nextCursor, createPageQuery } from "../cursor.ts";
import { agentJob } from "./agent-job.ts";
import {
  describeErrorResponses,
  describeJsonResponse,
  locationHeader,
  describeEmptyResponse,
  describeTimestamp,
} from "./responses.ts";
import { deployment } from "./deployment.ts";
import { staticExportJob } from "./static-export.ts";

const url = z.string().min(1).max(2_048).meta({
  description: "The https address to which messages are sent, without a user name or password.",
  example: "https://example.com/hooks/octavo",
});
const events = z.array(z.enum(webhookEvents));

const fields = {
  id: z.string().meta({ example: "wh_06f4k2…" }),
  url,
  events: events.meta({ description: "The events that the webhook receives." }),
  createdAt: describeTimestamp("When the webhook was created."),
  disabledAt: describeTimestamp(
    "When the receiver responded with 410 Gone, after which no messages are sent to it.",
  ).nullable(),
};

const webhook = z
  .object(fields)
  .meta({ id: "Webhook", description: "A receiver of the events of the organization's jobs." });

const createdWebhook = z
  .object({
    ...fields,
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
    ...fields,
    deliveries: z.array(delivery).meta({
      description:
        "The newest 20 deliveries, newest first. A delivery is stored for 14 days after it ends.",
    }),
  })
  .meta({ id: "WebhookDetails", description: "A webhook and the delivery of its messages." });

const chosenEvents = events
  .min(1)
  .refine((list) => new Set(list).size === list.length, { error: "must name each event once" })
  .meta({ description: "The events to receive.", example: ["static_export.completed"] });
const createWebhook = z.strictObject({ url, events: chosenEvents }).meta({ id: "CreateWebhook" });
const updateWebhook = z
  .strictObject({ url: url.optional(), events: chosenEvents.optional() })
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

const messageTime = describeTimestamp("When the job, or the turn of an agent job, ended.");
const staticExportMessage = z
  .object({
    type: z.enum(["static_export.completed", "static_export.failed"]),
    timestamp: messageTime,
    data: staticExportJob,
  })
  .meta({ id: "StaticExportMessage", description: "A static export has ended." });
const agentMessage = z
  .object({
    type: z.enum(["agent.completed", "agent.failed"]),
    timestamp: messageTime,
    data: agentJob,
  })
  .meta({ id: "AgentMessage", description: "A turn of an agent job has ended." });

const deploymentMessage = z
  .object({
    type: z.enum(["deployment.ready", "deployment.published", "deployment.failed"]),
    timestamp: messageTime,
    data: deployment,
  })
  .meta({ id: "DeploymentMessage", description: "A deployment has ended or was published." });

const tags = ["Webhooks"];

/** The requests, responses and descriptions of the routes. */
export const webhookOperations = {
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
        "The webhook; `Location` names it. Its `secret` is never shown again.",
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
      "Sends a message of the type `webhook.test`, which is attempted once. Responds with 409 while another test is " +
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

const header = (name: string, description: string) => ({
  name,
  in: "header" as const,
  required: true,
  description,
  schema: { type: "string" as const },
});
const signatureParameters = [
  header(
    "webhook-id",
    "The message's ID, which is the same on every attempt. A message with a known ID is a duplicate.",
  ),
  header(
    "webhook-timestamp",
    "When the attempt was sent, in seconds since 1970. Refuse messages that are minutes old.",
  ),
  header("webhook-signature", "`v1,` and the base64 of HMAC-SHA256 of `<id>.<timestamp>.<body>`."),
];

const testMessage = z
  .object({
    type: z.literal(testEvent),
    timestamp: describeTimestamp("When the test was requested."),
    data: z.object({ webhookId: z.string() }),
  })
  .meta({ id: "WebhookTestMessage", description: "A test message was requested." });

function getMessageSchema(event: WebhookEvent | typeof testEvent) {
  if (event === testEvent) return testMessage;
  if (event.startsWith("deployment.")) return deploymentMessage;
  return event.startsWith("agent.") ? agentMessage : staticExportMessage;
}

function describeMessage(event: WebhookEvent | typeof testEvent) {
  const message = getMessageSchema(event);
  const schema = { $ref: `#/components/schemas/${message.meta()?.id}` };
  const post = {
    operationId: `on${event.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: `Sent on ${event}`,
    tags,
    // The signature identifies the sender.
    security: [],
    parameters: signatureParameters,
    requestBody: { required: true, content: { "application/json": { schema } } },
    responses: {
      "2XX": { description: "Accepted. After any other response the message is retried." },
    },
  };
  return { post };
}

/** The messages that the service sends, keyed by event, for the `webhooks` section of an OpenAPI document. */
export const webhookMessages = Object.fromEntries(
  ([...webhookEvents, testEvent] as const).map((event) => [event, describeMessage(event)]),
);
