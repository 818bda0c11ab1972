import { webhookEvents } from "../../projects/index.ts";
import type { WebhookEvent, WebhookFields } from "../../projects/index.ts";
import type { RefusedForm } from "../form.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import { renderField, renderFieldRefusal } from "./parts.ts";

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
  refused: RefusedForm | undefined,
): SafeHtml {
  const chosen: readonly unknown[] = refused ? [refused.sent["events"]].flat() : events;
  return safeHtml`${renderField({ name: "url", label: "Address", type: "url", value: url, placeholder: "https://example.com/hooks/octavo", isRequired: true, maxLength: 2_048, refused })}
    <fieldset class="scopes">
      <legend>Send a message when</legend>
      ${renderFieldRefusal(refused, { name: "events", label: "Events" })}
      ${webhookEvents.map((event) => eventBox(event, chosen.includes(event)))}
    </fieldset>`;
}

function eventBox(event: WebhookEvent, isChecked: boolean): SafeHtml {
  return safeHtml`<label
    ><input type="checkbox" name="events" value="${event}" ${isChecked && "checked"} />
    <span><code>${event}</code> ${eventTitles[event]}</span></label
  >`;
}
