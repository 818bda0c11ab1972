import { webhookEvents } from "../../projects/index.ts";
import type { Webhook } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import { renderRelativeTime } from "../format.ts";
import { renderCopyableText, renderEmptyNote, renderPageHead, renderStatusBadge } from "./parts.ts";
import { renderWebhookFields } from "./webhook-fields.ts";
import type { RejectedWebhook } from "./webhook-fields.ts";

export interface WebhooksView {
  readonly webhooks: readonly Webhook[];
  /** A webhook that was just created. Its secret is shown only this once. */
  readonly created?: (Webhook & { readonly secret: string }) | undefined;
  readonly rejected?: RejectedWebhook | undefined;
}

export function renderWebhooksPage(addresses: Addresses, view: WebhooksView): SafeHtml {
  const { webhooks, created, rejected } = view;
  return safeHtml`${renderPageHead([], "Webhooks")}
    <p class="soft">Your addresses that receive a message when a job of any project ends.</p>
    ${created && createdWebhook(created)}
    <section aria-labelledby="active">
      <h2 id="active">Receivers</h2>
      ${webhooks.length === 0 && renderEmptyNote("No webhooks yet.")}
      <ul class="rows">
        ${webhooks.map((webhook) => webhookRow(addresses, webhook))}
      </ul>
    </section>
    <section class="card" aria-labelledby="make">
      <h2 id="make">Create a webhook</h2>
      <form class="inline" method="post" action="${addresses.webhooks}">
        ${renderWebhookFields({ url: "", events: webhookEvents }, rejected)}
        <button class="primary" type="submit">Create</button>
      </form>
    </section>`;
}

function createdWebhook({ url, secret }: { readonly url: string; readonly secret: string }) {
  return safeHtml`<section class="card made" aria-labelledby="made">
    <h2 id="made">The secret of ${new URL(url).host}</h2>
    <p>It signs every message. Copy it now. It will not be shown again.</p>
    <p>${renderCopyableText(secret, "the secret")}</p>
  </section>`;
}

function webhookRow(addresses: Addresses, webhook: Webhook): SafeHtml {
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
