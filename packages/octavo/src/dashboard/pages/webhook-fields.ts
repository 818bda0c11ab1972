import { webhookEvents } from "../../projects/index.ts";
import type { WebhookEvent, WebhookFields } from "../../projects/index.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";

/** The entered fields and the reason why they were refused. */
export interface RejectedWebhook extends WebhookFields {
  readonly sentence: string;
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
export function renderWebhookFields(
  { url, events }: WebhookFields,
  rejected: RejectedWebhook | undefined,
): SafeHtml {
  return safeHtml`${rejected && safeHtml`<p class="notice danger" id="webhook-error" role="alert">${rejected.sentence}</p>`}
    <div class="grow">
      <label for="url">Address</label>
      <input
        id="url"
        name="url"
        type="url"
        required
        maxlength="2048"
        autocomplete="off"
        spellcheck="false"
        placeholder="https://example.com/hooks/octavo"
        value="${rejected?.url ?? url}"
        ${rejected && safeHtml`aria-invalid="true" aria-describedby="webhook-error"`}
      />
    </div>
    <fieldset class="scopes">
      <legend>Send a message when</legend>
      ${webhookEvents.map((event) => eventBox(event, (rejected?.events ?? events).includes(event)))}
    </fieldset>`;
}

function eventBox(event: WebhookEvent, isChecked: boolean): SafeHtml {
  return safeHtml`<label
    ><input type="checkbox" name="events" value="${event}" ${isChecked && "checked"} />
    <span><code>${event}</code> ${eventTitles[event]}</span></label
  >`;
}
