import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Insertable, Kysely } from "kysely";
import { OctavoError, createInputError } from "@octavo/site/core";
import { findDestination, isId, createId, explainDestinationRefusal } from "../core/index.ts";
import type { Actor, AllowList } from "../core/index.ts";
import { transact } from "../db/index.ts";
import type { Row, Tables } from "../db/index.ts";
import { recordEvent, toColumn } from "./audit.ts";
import type { ActorScope } from "./audit.ts";
import { isCreatedBy, type KeyScope } from "./keys.ts";
import { toPage } from "./page.ts";
import type { ListPage, ListRequest } from "./page.ts";
import type { Vault } from "./secrets.ts";
import { lockOrganization } from "./organizations.ts";

export const webhookEvents = [
  "static_export.completed",
  "static_export.failed",
  "agent.completed",
  "agent.failed",
  "deployment.ready",
  "deployment.published",
  "deployment.failed",
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** The maximum number of webhooks of an organization. The end of a job sends one message to each. */
const maxWebhooks = 20;

/** A receiver of the events of an organization's jobs. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly createdAt: Date;
  /** When the receiver responded with 410 Gone. No messages have been sent since then. */
  readonly disabledAt: Date | null;
}

export interface WebhookFields {
  readonly url: string;
  /** The events to send; at least one. */
  readonly events: readonly WebhookEvent[];
}

export type WebhookChanges = {
  readonly [Field in keyof WebhookFields]?: WebhookFields[Field] | undefined;
};

/**
 * The webhooks of an organization. A scope that is limited to one project sees no webhooks, because webhooks apply to
 * all projects.
 */
export interface Webhooks {
  /** Throws `invalid_input` for an address that is not allowed. Does not query the database. */
  check(fields: WebhookChanges): void;
  /**
   * Creates a webhook. Only this call returns `secret`, which consists of `whsec_` and base64. Throws in the same cases as `check`,
   * and `conflict` if the organization has reached the limit.
   */
  create(
    organizationId: string,
    fields: WebhookFields,
    actor?: Actor,
  ): Promise<Webhook & { readonly secret: string }>;
  /** Lists webhooks, newest first. */
  list(scope: KeyScope, page: ListRequest): Promise<ListPage<Webhook>>;
  /** Throws `not_found` if the webhook is outside the scope. */
  get(scope: KeyScope, webhookId: string): Promise<Webhook>;
  /**
   * Updates a webhook and enables it if it was disabled. Omitted fields keep their values. Throws as `check` and `get`
   * do.
   */
  update(scope: KeyScope, webhookId: string, changes: WebhookChanges): Promise<Webhook>;
  /** Deletes the webhook and its messages, including pending messages. Throws in the same cases as `get`. */
  remove(scope: KeyScope, webhookId: string): Promise<void>;
  /** Returns the bytes of the decrypted secret, or undefined if the webhook was deleted. Throws `unavailable`. */
  readSigningKey(webhookId: string): Promise<Uint8Array | undefined>;
  /** Disables the webhook within a transaction. Afterward, no messages are sent to it. */
  disable(transaction: Kysely<Tables>, webhookId: string): Promise<void>;
}

interface WebhooksOptions {
  readonly db: Kysely<Tables>;
  readonly vault: Vault;
  readonly allow: AllowList;
}

const maxAddressLength = 2_048;

export function createWebhooks({ db, vault, allow }: WebhooksOptions): Webhooks {
  const selectWebhooks = ({ organizationId, projectId }: KeyScope) =>
    db
      .selectFrom("webhooks")
      .select(["id", "url", "events", "created_at", "disabled_at"])
      .where("organization_id", "=", organizationId)
      .$if(projectId !== null, (query) => query.where(sql.lit(false)));

  async function get(scope: KeyScope, webhookId: string): Promise<Webhook> {
    const row = isId("webhook", webhookId)
      ? await selectWebhooks(scope).where("id", "=", webhookId).executeTakeFirst()
      : undefined;
    if (row) return toWebhook(row);
    const shownId = JSON.stringify(webhookId.slice(0, 100));
    throw new OctavoError("not_found", `The webhook ${shownId} does not exist.`);
  }

  return {
    get,
    check: (changes) => checkChanges(changes, allow),

    async create(organizationId, { url, events }, actor) {
      checkWebhookAddress(url, allow);
      const id = createId("webhook");
      const secret = generateSecret();
      const values = {
        id,
        organization_id: organizationId,
        url,
        events: [...events],
        secret: vault.seal(secret, id),
        created_by: toColumn(actor),
      };
      const row = await transact(db, (transaction) => insertWebhook(transaction, values, actor));
      return { ...toWebhook(row), secret };
    },

    async list(scope, { limit, before }) {
      const query = selectWebhooks(scope).orderBy("id", "desc");
      const olderQuery = before === undefined ? query : query.where("id", "<", before);
      return toPage(await olderQuery.limit(limit + 1).execute(), limit, toWebhook);
    },

    async update(scope, webhookId, changes) {
      checkChanges(changes, allow);
      const { id } = await get(scope, webhookId);
      const row = await transact(db, (transaction) =>
        updateWebhook(transaction, scope, { id, ...changes }),
      );
      // The webhook may have been deleted in the meantime.
      return row ? toWebhook(row) : get(scope, webhookId);
    },

    async remove(scope, webhookId) {
      const webhook = await get(scope, webhookId);
      await transact(db, (transaction) => deleteWebhook(transaction, scope, webhook));
    },

    async readSigningKey(webhookId) {
      const row = await db
        .selectFrom("webhooks")
        .select("secret")
        .where("id", "=", webhookId)
        .executeTakeFirst();
      return row && toSigningKey(vault.open(row.secret, webhookId));
    },

    async disable(transaction, webhookId) {
      await transaction
        .updateTable("webhooks")
        .set({ disabled_at: sql<Date>`coalesce(disabled_at, now())` })
        .where("id", "=", webhookId)
        .execute();
    },
  };
}

function checkChanges({ url }: WebhookChanges, allow: AllowList): void {
  if (url !== undefined) checkWebhookAddress(url, allow);
}

async function insertWebhook(
  transaction: Kysely<Tables>,
  values: Insertable<Tables["webhooks"]>,
  actor: Actor | undefined,
): Promise<Row<"webhooks">> {
  const { id, organization_id: organizationId, url, events } = values;
  await checkWebhookLimit(transaction, organizationId);
  const target = { id, name: getHost(url) };
  const event = { action: "webhook.created", target, details: { events } } as const;
  await recordEvent(transaction, { organizationId, actor }, event);
  return await transaction
    .insertInto("webhooks")
    .values(values)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Deletes webhooks that one of these persons or keys created. Returns their number. */
export async function deleteWebhooksCreatedBy(
  transaction: Kysely<Tables>,
  by: ActorScope,
  creatorIds: readonly string[],
): Promise<number> {
  const webhooks = await selectWebhooksCreatedBy(transaction, by.organizationId, creatorIds).execute(); // prettier-ignore
  for (const webhook of webhooks) await deleteWebhook(transaction, by, webhook);
  return webhooks.length;
}

export function selectWebhooksCreatedBy(
  db: Kysely<Tables>,
  organizationId: string,
  creatorIds: readonly string[],
) {
  return db
    .selectFrom("webhooks")
    .select(["id", "url"])
    .where("organization_id", "=", organizationId)
    .where(isCreatedBy(creatorIds))
    .orderBy("id");
}

async function deleteWebhook(
  transaction: Kysely<Tables>,
  by: ActorScope,
  { id, url }: Pick<Webhook, "id" | "url">,
): Promise<void> {
  await transaction.deleteFrom("webhooks").where("id", "=", id).execute();
  await recordEvent(transaction, by, { action: "webhook.deleted", target: { id, name: getHost(url) } }); // prettier-ignore
}

async function updateWebhook(
  transaction: Kysely<Tables>,
  by: ActorScope,
  { id, url, events }: WebhookChanges & { readonly id: string },
): Promise<Row<"webhooks"> | undefined> {
  const row = await transaction
    .updateTable("webhooks")
    .set({
      disabled_at: null,
      ...(url !== undefined && { url }),
      ...(events !== undefined && { events: [...events] }),
    })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const target = { id, name: getHost(row.url) };
  const details = { events: row.events };
  await recordEvent(transaction, by, { action: "webhook.changed", target, details });
  return row;
}

/** Returns only the host of an address, because its other parts may contain a secret. */
function getHost(url: string): string {
  return new URL(url).host;
}

const secretPrefix = "whsec_";

/** Generates a secret in the format of Standard Webhooks: a prefix, and 24 to 64 random bytes in base64. */
function generateSecret(): string {
  return secretPrefix + randomBytes(32).toString("base64");
}

function toSigningKey(secret: string): Uint8Array {
  return Buffer.from(secret.slice(secretPrefix.length), "base64");
}

/**
 * Throws `conflict` if the organization has reached the limit. Locks the organization's row until the transaction ends,
 * so that two concurrent calls cannot both create the last webhook.
 */
async function checkWebhookLimit(
  transaction: Kysely<Tables>,
  organizationId: string,
): Promise<void> {
  await lockOrganization(transaction, organizationId);
  const { count } = await transaction
    .selectFrom("webhooks")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("organization_id", "=", organizationId)
    .executeTakeFirstOrThrow();
  if (count < maxWebhooks) return;
  throw new OctavoError(
    "conflict",
    `The organization has ${maxWebhooks} webhooks, which is the limit; delete one first.`,
  );
}

function toWebhook(
  row: Omit<Row<"webhooks">, "organization_id" | "secret" | "created_by">,
): Webhook {
  return {
    id: row.id,
    url: row.url,
    events: webhookEvents.filter((event) => row.events.includes(event)),
    createdAt: row.created_at,
    disabledAt: row.disabled_at,
  };
}

/**
 * Validates a webhook's address. Throws an `invalid_input` error with advice that does not repeat the address, because
 * some addresses contain a token. Names are resolved and their addresses checked again whenever a message is sent.
 */
function checkWebhookAddress(text: string, allow: AllowList): void {
  const url = text.length <= maxAddressLength && !/[\s\p{Cc}]/u.test(text) ? URL.parse(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw createInvalidUrlError(
      "is not an https address of at most 2,048 characters, such as https://example.com/hooks.",
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw createInvalidUrlError(
      "contains a user name or password, which must be removed. The signature identifies the sender.",
    );
  }
  const destination = findDestination(url);
  const refusal = destination && explainDestinationRefusal(destination, allow);
  if (refusal !== undefined) throw createInvalidUrlError(`is refused: ${refusal}`);
}

function createInvalidUrlError(problem: string): OctavoError {
  return createInputError(`url ${problem}`);
}
