import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { formatCount } from "../../core/index.ts";
import type { WebhookDelivery } from "../../jobs/index.ts";
import { requireWholeOrganization, webhookEvents } from "../../projects/index.ts";
import type { Webhook, WebhookEvent, WebhookFields } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { parseForm, tryForm } from "../form.ts";
import type { RefusedForm } from "../form.ts";
import { renderRelativeTime } from "../format.ts";
import { liveInterval } from "../layout.ts";
import { createPageOptions } from "../page-rights.ts";
import {
  renderCopyableText,
  renderEmptyNote,
  renderPageHead,
  renderStatusBadge,
  renderField,
  renderFieldRefusal,
} from "../pages/parts.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import type { DashboardServices } from "../services.ts";
import { getSignedInUser } from "../session/sessions.ts";

/** The maximum number of listed webhooks. No organization can have this many. */
const maxListed = 100;

const Fields = z.object({
  url: z.string().trim().default(""),
  events: z
    .preprocess((given) => [given].flat(), z.array(z.enum(webhookEvents)))
    .catch([])
    .refine((events) => events.length > 0, "Choose at least one event."),
});

export function addWebhookPages(app: FastifyInstance, services: DashboardServices): void {
  const { webhooks, addresses } = services;
  const options = createPageOptions("webhooks.manage");

  app.get("/webhooks", options, (request, reply) => sendList(services, request, { reply }));

  app.post("/webhooks", options, async (request, reply) => {
    const user = getSignedInUser(request);
    requireWholeOrganization(user, "create webhooks");
    const attempt = await tryForm(services, { request, reply, field: "url" }, async () =>
      webhooks.create(user.organizationId, parseForm(Fields, request.body), user.actor),
    );
    // This response cannot be a redirect because only it contains the secret.
    return sendList(services, request, {
      reply,
      created: attempt.result,
      refused: attempt.refused,
    });
  });

  app.get("/webhooks/:webhookId", options, async (request, reply) =>
    sendWebhook(services, request, { reply, webhook: await findWebhook(services, request) }),
  );

  app.post("/webhooks/:webhookId", options, async (request, reply) => {
    const webhook = await findWebhook(services, request);
    const { refused } = await tryForm(services, { request, reply, field: "url" }, async () =>
      webhooks.update(getSignedInUser(request), webhook.id, parseForm(Fields, request.body)),
    );
    if (refused) return sendWebhook(services, request, { reply, webhook, refused });
    return reply.redirect(addresses.webhook(webhook.id), 303);
  });

  addWebhookActions(app, services);
}

function addWebhookActions(app: FastifyInstance, services: DashboardServices): void {
  const { webhooks, webhookSender, addresses } = services;
  const options = createPageOptions("webhooks.manage");

  app.post("/webhooks/:webhookId/delete", options, async (request, reply) => {
    const { id } = await findWebhook(services, request);
    await webhooks.remove(getSignedInUser(request), id);
    return reply.redirect(addresses.webhooks, 303);
  });

  app.post("/webhooks/:webhookId/test", options, async (request, reply) => {
    const webhook = await findWebhook(services, request);
    await webhookSender.sendTest(getSignedInUser(request), webhook);
    return reply.redirect(addresses.webhook(webhook.id), 303);
  });

  app.post("/webhooks/:webhookId/deliveries/:deliveryId/send", options, async (request, reply) => {
    const webhook = await findWebhook(services, request);
    const { deliveryId } = request.params as { readonly deliveryId: string };
    await webhookSender.sendAgain(getSignedInUser(request), webhook, deliveryId);
    return reply.redirect(addresses.webhook(webhook.id), 303);
  });
}

/** Returns the webhook that the path names. Throws `not_found` if the user's scope does not contain it. */
async function findWebhook(
  { webhooks }: DashboardServices,
  request: FastifyRequest,
): Promise<Webhook> {
  const { webhookId } = request.params as { readonly webhookId: string };
  return await webhooks.get(getSignedInUser(request), webhookId);
}

async function sendList(
  { webhooks, addresses, sendPage }: DashboardServices,
  request: FastifyRequest,
  { reply, ...rest }: { readonly reply: FastifyReply } & Pick<WebhooksView, "created" | "refused">,
) {
  const { items } = await webhooks.list(getSignedInUser(request), { limit: maxListed });
  return sendPage(request, reply, {
    title: "Webhooks",
    section: "webhooks",
    main: renderWebhooksPage(addresses, { webhooks: items, ...rest }),
  });
}

interface ShownWebhook {
  readonly reply: FastifyReply;
  readonly webhook: Webhook;
  readonly refused?: RefusedForm;
}

async function sendWebhook(
  { webhookDeliveries, addresses, sendPage }: DashboardServices,
  request: FastifyRequest,
  { reply, webhook, refused }: ShownWebhook,
) {
  const deliveries = await webhookDeliveries.listNewest(webhook.id);
  return sendPage(request, reply, {
    title: "Webhook",
    section: "webhooks",
    isLive: refused === undefined && deliveries.some(({ state }) => state === "pending"),
    main: renderWebhookPage(addresses, { webhook, deliveries, refused }),
  });
}

interface WebhooksView {
  readonly webhooks: readonly Webhook[];
  /** A webhook that was just created. Its secret is shown only on this page. */
  readonly created?: (Webhook & { readonly secret: string }) | undefined;
  readonly refused?: RefusedForm | undefined;
}

function renderWebhooksPage(addresses: Addresses, view: WebhooksView): SafeHtml {
  const { webhooks, created, refused } = view;
  return safeHtml`${renderPageHead([], "Webhooks")}
    <p class="soft">These addresses receive a message when a job of any project ends.</p>
    ${created && renderCreatedWebhook(created)}
    <section aria-labelledby="active">
      <h2 id="active">Receivers</h2>
      ${webhooks.length === 0 && renderEmptyNote("No webhooks yet.")}
      <ul class="rows">
        ${webhooks.map((webhook) => renderWebhookRow(addresses, webhook))}
      </ul>
    </section>
    <section class="card" aria-labelledby="make">
      <h2 id="make">Create a webhook</h2>
      <form class="inline" method="post" action="${addresses.webhooks}">
        ${renderWebhookFields({ url: "", events: webhookEvents }, refused)}
        <button class="primary" type="submit">Create</button>
      </form>
    </section>`;
}

function renderCreatedWebhook({ url, secret }: { readonly url: string; readonly secret: string }) {
  return safeHtml`<section class="card made" aria-labelledby="made">
    <h2 id="made">The secret of ${new URL(url).host}</h2>
    <p>It signs every message. Copy it now. It will not be shown again.</p>
    <p>${renderCopyableText(secret, "the secret")}</p>
  </section>`;
}

function renderWebhookRow(addresses: Addresses, webhook: Webhook): SafeHtml {
  const { id, url, events, createdAt, disabledAt } = webhook;
  return safeHtml`<li class="row key">
    <div class="row-main">
      <a class="row-title" href="${addresses.webhook(id)}">${url}</a>
      ${disabledAt && renderStatusBadge("failed", "disabled")}
    </div>
    <span class="row-facts">
      <span>${events.length === webhookEvents.length ? "all events" : events.join(", ")}</span>
      <span>created ${renderRelativeTime(createdAt)}</span>
    </span>
  </li>`;
}

interface WebhookView {
  readonly webhook: Webhook;
  readonly deliveries: readonly WebhookDelivery[];
  readonly refused: RefusedForm | undefined;
}

function renderWebhookPage(addresses: Addresses, view: WebhookView): SafeHtml {
  const { webhook, refused } = view;
  const address = addresses.webhook(webhook.id);
  const badge = webhook.disabledAt && renderStatusBadge("failed", "disabled");
  return safeHtml`${renderPageHead([["Webhooks", addresses.webhooks]], new URL(webhook.url).host, badge)}
    ${
      webhook.disabledAt &&
      safeHtml`<p class="notice">
        The receiver responded with 410 Gone ${renderRelativeTime(webhook.disabledAt)}, so no more messages
        are sent to it. Save the webhook to enable it again.
      </p>`
    }
    <section class="card" aria-labelledby="change">
      <h2 id="change">Receiver</h2>
      <form class="inline" method="post" action="${address}">
        ${renderWebhookFields(webhook, refused)}
        <button class="primary" type="submit">Save</button>
      </form>
    </section>
    ${renderDeliveryList(address, view)}
    <details class="revoke">
      <summary>Delete…</summary>
      <form method="post" action="${address}/delete">
        <p>Its deliveries are also deleted, and pending messages are not sent.</p>
        <button class="danger" type="submit">Delete this webhook</button>
      </form>
    </details>`;
}

function renderDeliveryList(address: string, { webhook, deliveries }: WebhookView): SafeHtml {
  const isLive = deliveries.some(({ state }) => state === "pending");
  const pollAttributes =
    isLive &&
    safeHtml`hx-get="${address}" hx-select="#live" hx-trigger="every ${liveInterval}"
      hx-swap="outerMorph"`;
  return safeHtml`<section id="live" aria-labelledby="deliveries" ${pollAttributes}>
    <h2 id="deliveries">Newest deliveries</h2>
    ${
      webhook.disabledAt === null &&
      safeHtml`<form method="post" action="${address}/test">
        <button type="submit">Send a test</button>
      </form>`
    }
    ${deliveries.length === 0 && renderEmptyNote("No deliveries yet.")}
    <ul class="rows">
      ${deliveries.map((delivery) => renderDeliveryRow(address, webhook, delivery))}
    </ul>
  </section>`;
}

function renderDeliveryRow(address: string, webhook: Webhook, delivery: WebhookDelivery): SafeHtml {
  const { id, event, jobId, state, attempts, responseStatus, error } = delivery;
  const canSendAgain = state !== "pending" && delivery.isStored && webhook.disabledAt === null;
  return safeHtml`<li class="row key">
    <div class="row-main">
      <span class="row-title">${event}</span>
      ${renderStatusBadge(stateBadges[state], state)}
    </div>
    <span class="row-facts">
      <span>${responseStatus === null ? "no response" : `response ${responseStatus}`}</span>
      <span>${formatCount(attempts, "attempt")}</span>
      <span>${renderRelativeTime(delivery.attemptedAt ?? delivery.createdAt)}</span>
      ${delivery.nextAttemptAt && attempts > 0 && safeHtml`<span>next ${renderUtcTime(delivery.nextAttemptAt)}</span>`}
      ${jobId !== null && safeHtml`<span>job <code>${jobId}</code></span>`}
      <span><code>${id}</code></span>
    </span>
    ${
      canSendAgain &&
      safeHtml`<form method="post" action="${address}/deliveries/${id}/send">
        <button type="submit" aria-label="Send ${id} again">Send again</button>
      </form>`
    }
    ${error !== null && safeHtml`<p class="row-note">${error}</p>`}
  </li>`;
}

const stateBadges = { pending: "running", delivered: "completed", failed: "failed" } as const;

function renderUtcTime(moment: Date): SafeHtml {
  return safeHtml`<time datetime="${moment.toISOString()}">${moment.toISOString().slice(11, 16)} UTC</time>`;
}

const eventTitles: Readonly<Record<WebhookEvent, string>> = {
  "static_export.completed": "an export completed",
  "static_export.failed": "an export failed or was cancelled",
  "agent.completed": "a turn of an agent job completed",
  "agent.failed": "a turn failed or was cancelled",
  "deployment.ready": "a deployment is ready",
  "deployment.published": "a site shows another deployment",
  "deployment.failed": "a deployment failed or was cancelled",
};

/** Renders the fields of a new or changed webhook. */
function renderWebhookFields(
  { url, events }: WebhookFields,
  refused: RefusedForm | undefined,
): SafeHtml {
  const chosen: readonly unknown[] = refused ? [refused.sentFields["events"]].flat() : events;
  return safeHtml`${renderField({ name: "url", label: "Address", type: "url", value: url, placeholder: "https://example.com/hooks/octavo", isRequired: true, maxLength: 2_048, refused })}
    <fieldset class="scopes">
      <legend>Send a message when</legend>
      ${renderFieldRefusal(refused, { name: "events", label: "Events" })}
      ${webhookEvents.map((event) => renderEventBox(event, chosen.includes(event)))}
    </fieldset>`;
}

function renderEventBox(event: WebhookEvent, isChecked: boolean): SafeHtml {
  return safeHtml`<label
    ><input type="checkbox" name="events" value="${event}" ${isChecked && "checked"} />
    <span><code>${event}</code> ${eventTitles[event]}</span></label
  >`;
}
