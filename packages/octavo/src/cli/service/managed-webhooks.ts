import { OctavoError } from "@octavo/site/core";
import type { Webhook, WebhookChanges, WebhookFields } from "../../projects/index.ts";
import { everyListed } from "./every-listed.ts";
import { everyPage } from "./every-page.ts";
import type { Places } from "./place-flags.ts";

/** A webhook as both places show it; a running service sends times as text. */
export type ShownWebhook = Pick<Webhook, "id" | "url" | "events"> & {
  readonly disabledAt: Date | string | null;
};

/** The delivery of a message, as the API shows it. */
export interface ShownDelivery {
  readonly id: string;
  readonly event: string;
  readonly jobId: string | null;
  readonly state: string;
  readonly attempts: number;
  readonly responseStatus: number | null;
  readonly error: string | null;
  readonly createdAt: Date | string;
}

export type WebhookDetails = ShownWebhook & { readonly deliveries: readonly ShownDelivery[] };

/** The webhooks of one organisation, wherever they are stored. Errors as those of `Webhooks`. */
export interface ManagedWebhooks {
  create(fields: WebhookFields): Promise<ShownWebhook & { readonly secret: string }>;
  list(): Promise<readonly ShownWebhook[]>;
  get(id: string): Promise<WebhookDetails>;
  update(id: string, changes: WebhookChanges): Promise<ShownWebhook>;
  /** Only a running service sends messages: throws `invalid_input` elsewhere, and so does `sendAgain`. */
  test(id: string): Promise<ShownDelivery>;
  sendAgain(id: string, deliveryId: string): Promise<ShownDelivery>;
  remove(id: string): Promise<void>;
}

const path = "/v2/webhooks";
const pathOf = (id: string) => `${path}/${encodeURIComponent(id)}`;

export const webhookPlaces: Places<ManagedWebhooks> = {
  remote: (client) => {
    async function call<Answer>(method: string, called: string, body?: object): Promise<Answer> {
      return (await client.call(method, called, body)) as Answer;
    }
    return {
      create: (fields) => call("POST", path, fields),
      list: () => everyListed<ShownWebhook>(client, path, "webhooks"),
      get: (id) => call("GET", pathOf(id)),
      update: (id, changes) => call("PATCH", pathOf(id), changes),
      test: (id) => call("POST", `${pathOf(id)}/test`),
      sendAgain: (id, deliveryId) =>
        call("POST", `${pathOf(id)}/deliveries/${encodeURIComponent(deliveryId)}/send`),
      remove: async (id) => void (await client.call("DELETE", pathOf(id))),
    };
  },
  local: ({ webhooks, database }, scope) => ({
    create: (fields) => webhooks.create(scope.organizationId, fields),
    list: () => everyPage((page) => webhooks.list(scope, page)),
    async get(id) {
      const { createWebhookDeliveries } = await import("../../jobs/index.ts");
      const webhook = await webhooks.get(scope, id);
      return { ...webhook, deliveries: await createWebhookDeliveries(database).newest(id) };
    },
    update: (id, changes) => webhooks.update(scope, id, changes),
    test: refuseToSend,
    sendAgain: refuseToSend,
    remove: (id) => webhooks.remove(scope, id),
  }),
};

async function refuseToSend(): Promise<never> {
  throw new OctavoError(
    "invalid_input",
    "Messages are sent by a running service: name its address with --url.",
  );
}
