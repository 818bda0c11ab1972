import type { Webhook, WebhookFields } from "../projects/index.ts";
import { everyListed } from "./every-listed.ts";
import { everyPage } from "./every-page.ts";
import type { Places } from "./place-flags.ts";

/** A webhook as both places show it; a running service sends times as text. */
export type ShownWebhook = Pick<Webhook, "id" | "url" | "events"> & {
  readonly disabledAt: Date | string | null;
};

/** The webhooks of one organisation, wherever they are stored. Errors as those of `Webhooks`. */
export interface ManagedWebhooks {
  create(fields: WebhookFields): Promise<ShownWebhook & { readonly secret: string }>;
  list(): Promise<readonly ShownWebhook[]>;
  remove(id: string): Promise<void>;
}

const path = "/v2/webhooks";

export const webhookPlaces: Places<ManagedWebhooks> = {
  remote: (client) => ({
    create: async (fields) =>
      (await client.call("POST", path, fields)) as Awaited<ReturnType<ManagedWebhooks["create"]>>,
    list: () => everyListed<ShownWebhook>(client, path, "webhooks"),
    remove: async (id) => void (await client.call("DELETE", `${path}/${encodeURIComponent(id)}`)),
  }),
  local: ({ webhooks }, scope) => ({
    create: (fields) => webhooks.create(scope.organizationId, fields),
    list: () => everyPage((page) => webhooks.list(scope, page)),
    remove: (id) => webhooks.remove(scope, id),
  }),
};
