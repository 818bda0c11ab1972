import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { sql } from "kysely";
import type { ExpressionBuilder, Kysely } from "kysely";
import { OctavoError, sha256, createInputError } from "@octavo/site/core";
import {
  accessScopes,
  createLimitedKeyError,
  isId,
  createId,
  requireRight,
  scopesOfRole,
} from "../core/index.ts";
import type {
  AccessScope,
  Actor,
  MemberRole,
  OrganizationPlan,
  ScopeHolder,
} from "../core/index.ts";
import { transact } from "../db/index.ts";
import type { Row, Database, Param, Tables } from "../db/index.ts";
import { recordEvent, toColumn } from "./audit.ts";
import type { ActorScope } from "./audit.ts";
import { toPage } from "./page.ts";
import type { ListPage, ListRequest } from "./page.ts";
import { lockOrganization } from "./organizations.ts";

/** The scope of a call (an organization or one of its projects) and its actor. */
export interface KeyScope extends ActorScope {
  /** The ID of a project; null means all projects of the organization. */
  readonly projectId: string | null;
}

/** The authenticated caller with the key's scope, plan and permissions. */
export interface Caller extends KeyScope, ScopeHolder {
  readonly projectId: string | null;
  readonly keyId: string;
  readonly actor: Actor;
  /** The person who owns the key; null for a key of the organization. */
  readonly memberId: string | null;
  readonly plan: OrganizationPlan;
}

/** A caller with the name of its organization. */
interface NamedCaller extends Caller {
  readonly organizationName: string;
}

/** The user who is signed in to the dashboard, with a key or as a member. */
export interface SignedInUser extends KeyScope, ScopeHolder {
  readonly projectId: string | null;
  readonly sessionId: string;
  readonly actor: Actor;
  /** The signed-in person, or the owner of the key; null for a key of the organization. */
  readonly memberId: string | null;
  readonly plan: OrganizationPlan;
  readonly organizationName: string;
  /** The member's role; null for a key. */
  readonly role: MemberRole | null;
}

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly projectId: string | null;
  readonly scopes: readonly AccessScope[];
  /** When the key expires; null means never. */
  readonly expiresAt: Date | null;
  /** The person who owns the key. */
  readonly memberId: string | null;
  readonly createdBy: Actor | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

export interface KeyOptions {
  /** Defaults to all scopes. */
  readonly scopes?: readonly AccessScope[] | undefined;
  /** A time in the future. If omitted, the key never expires. */
  readonly expiresAt?: Date | undefined;
  /** The person who owns the key. The key cannot do more than its owner can, and ends with the owner's membership. */
  readonly memberId?: string | undefined;
}

/** The caller that revokes a key. Scopes are omitted for the operator, who may revoke any key. */
type KeyRevoker = KeyScope & Partial<ScopeHolder>;

export interface Keys {
  /**
   * Creates a key. Only this call returns `secret`, which is the whole key. `scope.projectId` limits the key. Throws
   * `invalid_input` for an empty or long name, an empty list of scopes, and a time in the past.
   */
  create(
    scope: KeyScope,
    name: string,
    options?: KeyOptions,
  ): Promise<ApiKey & { readonly secret: string }>;
  /**
   * Lists active keys, newest first. A limited scope sees only the keys limited to its project. `actor` limits the list
   * to the actor's own keys: the key itself, or the keys of the person.
   */
  list(scope: KeyScope, page: ListRequest & { actor?: Actor }): Promise<ListPage<ApiKey>>;
  /** Throws `not_found` if the key is outside the scope, revoked or expired. */
  get(scope: KeyScope, keyId: string): Promise<ApiKey>;
  /**
   * Revokes a key on every node immediately, because each call queries the database. Throws in the same cases as `get`. Also throws
   * `forbidden` if a key that may not administer the whole organization revokes another key, and `conflict` for the
   * last key that may administer it.
   */
  revoke(by: KeyRevoker, keyId: string): Promise<void>;
  /** Returns undefined if the key is malformed, unknown, revoked or expired. A malformed key causes no query. */
  authenticate(key: string): Promise<Caller | undefined>;
  /** Returns the holder of a key that was authenticated before, or undefined if the key is no longer valid. */
  findHolder(keyId: string): Promise<NamedCaller | undefined>;
  /** Returns the given keys that are neither revoked, expired nor unknown. */
  findValid(keyIds: readonly string[]): Promise<ReadonlySet<string>>;
}

/** The maximum length of a key's name, wherever it is given. */
export const maxKeyNameLength = 200;

/** The precision of `lastUsedAt`. A key in use causes one write per interval. */
const lastUsedPrecisionMs = 60_000;

/**
 * The format of a key: `octavo_`, 48 hexadecimal digits (192 random bits), and 8 digits of the CRC-32 of the preceding
 * text. Secret scanners and the service can therefore recognize a well-formed key without a lookup.
 */
const keyPattern = /^(octavo_[0-9a-f]{48})([0-9a-f]{8})$/;

export function createKeys({ kysely: db, prepare }: Pick<Database, "kysely" | "prepare">): Keys {
  const findByHash = prepare((param: Param<{ hash: string }>) =>
    selectCallers(db).where("api_keys.hash", "=", param("hash")),
  );
  const selectKeys = (scope: KeyScope) =>
    db
      .selectFrom("api_keys")
      .where("organization_id", "=", scope.organizationId)
      .where(isActive)
      .$if(scope.projectId !== null, (query) => query.where("project_id", "=", scope.projectId));

  async function get(scope: KeyScope, keyId: string): Promise<ApiKey> {
    const row = isId("key", keyId)
      ? await selectKeys(scope).selectAll().where("id", "=", keyId).executeTakeFirst()
      : undefined;
    if (row) return toApiKey(row);
    const shownId = JSON.stringify(keyId.slice(0, 100));
    throw new OctavoError("not_found", `The API key ${shownId} does not exist.`);
  }

  return {
    async create(scope, name, options = {}) {
      if (name === "" || name.length > maxKeyNameLength) {
        throw createInputError(`A key needs a name of 1 to ${maxKeyNameLength} characters.`); // prettier-ignore
      }
      const secret = generateKey();
      const key = { scope, name, secret, ...checkOptions(options) };
      const row = await transact(db, (transaction) => createKey(transaction, key));
      return { ...toApiKey(row), secret };
    },

    async list(scope, { limit, before, actor }) {
      let query = selectKeys(scope)
        .selectAll()
        .orderBy("id", "desc")
        .limit(limit + 1);
      if (actor) query = query.where(actor.type === "key" ? "id" : "member_id", "=", actor.id);
      if (before !== undefined) query = query.where("id", "<", before);
      return toPage(await query.execute(), limit, toApiKey);
    },

    get,

    async revoke(by, keyId) {
      const { id, memberId } = await get(by, keyId);
      if (!by.actor || ![id, memberId].includes(by.actor.id)) {
        if (by.scopes) requireRight({ ...by, scopes: by.scopes }, "keys.manage");
        requireWholeOrganization(by, "revoke other keys");
      }
      await transact(db, (transaction) => revokeKey(transaction, by, id));
    },

    async authenticate(key) {
      if (!isWellFormedKey(key)) return undefined;
      const [row] = await findByHash({ hash: sha256(key) });
      if (!row) return undefined;
      await recordUse(db, row);
      return toCaller(row);
    },

    async findHolder(keyId) {
      if (!isId("key", keyId)) return undefined;
      const row = await selectCallers(db)
        .select("organizations.name as organization_name")
        .where("api_keys.id", "=", keyId)
        .executeTakeFirst();
      if (!row) return undefined;
      await recordUse(db, row);
      return {
        ...toCaller(row),
        organizationName: row.organization_name,
      };
    },

    findValid: (keyIds) => findValidKeys(db, keyIds),
  };
}

/** Throws `forbidden` if the key is limited to one project. */
export function requireWholeOrganization({ projectId }: KeyScope, action: string): void {
  if (projectId === null) return;
  throw createLimitedKeyError(projectId, action);
}

async function findValidKeys(
  db: Kysely<Tables>,
  keyIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (keyIds.length === 0) return new Set();
  const rows = await db
    .selectFrom("api_keys")
    .select("id")
    .where("id", "in", keyIds)
    .where(isActive)
    .execute();
  return new Set(rows.map((row) => row.id));
}

function toKeyEvent(change: "created" | "revoked", row: Row<"api_keys">) {
  const { id, name, project_id: projectId } = row;
  return { action: `key.${change}`, target: { id, name }, projectId } as const;
}

const noScopesMessage = `A key needs at least one scope: ${accessScopes.join(", ")}.`;

function checkOptions({ scopes = accessScopes, expiresAt, memberId }: KeyOptions): KeyOptions {
  const orderedScopes = accessScopes.filter((scope) => scopes.includes(scope));
  if (orderedScopes.length === 0) throw createInputError(`scopes: ${noScopesMessage}`);
  if (expiresAt && !(expiresAt.getTime() > Date.now())) {
    throw createInputError("expiresAt must be a time in the future.");
  }
  return { scopes: orderedScopes, expiresAt, memberId };
}

/** Stores a key that the caller generated, in the caller's transaction. Only the key's hash is stored. */
export async function createKey(
  transaction: Kysely<Tables>,
  key: NewKey,
): Promise<Row<"api_keys">> {
  const row = await insertKey(transaction, key);
  const { scope, scopes, expiresAt } = key;
  const event = { ...toKeyEvent("created", row), details: { scopes, expiresAt } };
  await recordEvent(transaction, scope, event);
  return row;
}

/** Revokes the organization's active keys that one of these persons or keys created. Returns their number. */
export async function revokeKeysCreatedBy(
  transaction: Kysely<Tables>,
  by: ActorScope,
  creatorIds: readonly string[],
): Promise<number> {
  const keys = await selectKeysCreatedBy(transaction, by.organizationId, creatorIds).execute();
  for (const { id } of keys) await revokeKey(transaction, { ...by, projectId: null }, id);
  return keys.length;
}

/** Selects active keys that belong to the organization and were created by one of these persons or keys. */
export function selectKeysCreatedBy(
  db: Kysely<Tables>,
  organizationId: string,
  creatorIds: readonly string[],
) {
  return db
    .selectFrom("api_keys")
    .select(["id", "name"])
    .where("organization_id", "=", organizationId)
    .where("member_id", "is", null)
    .where(isCreatedBy(creatorIds))
    .where(isActive)
    .orderBy("id");
}

/** Matches rows whose `created_by` is one of these persons or keys. */
export function isCreatedBy(creatorIds: readonly string[]) {
  return sql<boolean>`created_by ->> 'id' = any(${[...creatorIds]})`;
}

async function revokeKey(
  transaction: Kysely<Tables>,
  by: KeyRevoker,
  keyId: string,
): Promise<void> {
  await requireAdministrator(transaction, by.organizationId, keyId);
  const row = await transaction
    .updateTable("api_keys")
    .set({ revoked_at: new Date() })
    .where("id", "=", keyId)
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordEvent(transaction, by, toKeyEvent("revoked", row));
}

/**
 * Throws `conflict` if no permanent key could administer the organization without this key. Locks the organization's
 * row until the transaction ends, so that two concurrent calls cannot revoke the last two keys.
 */
async function requireAdministrator(
  transaction: Kysely<Tables>,
  organizationId: string,
  withoutKeyId: string,
): Promise<void> {
  await lockOrganization(transaction, organizationId);
  const administrators = await transaction
    .selectFrom("api_keys")
    .select(["id", "expires_at"])
    .where("organization_id", "=", organizationId)
    .where("project_id", "is", null)
    .where("member_id", "is", null)
    .where(sql<boolean>`'admin' = any(scopes)`)
    .where(isActive)
    .execute();
  const others = administrators.filter(({ id }) => id !== withoutKeyId);
  const isAdministrator = others.length < administrators.length;
  if (!isAdministrator || others.some(({ expires_at }) => expires_at === null)) return;
  throw new OctavoError(
    "conflict",
    "This is the last API key that can administer the organization and does not expire. Create another such key first.",
  );
}

/** Matches keys that are neither revoked nor expired. */
function isActive(where: ExpressionBuilder<Tables, "api_keys">) {
  return where.and([
    where("api_keys.revoked_at", "is", null),
    where.or([
      where("api_keys.expires_at", "is", null),
      where("api_keys.expires_at", ">", sql<Date>`now()`),
    ]),
  ]);
}

interface NewKey extends KeyOptions {
  readonly scope: KeyScope;
  readonly name: string;
  readonly secret: string;
}

async function insertKey(
  db: Kysely<Tables>,
  { scope, name, secret, scopes, expiresAt, memberId }: NewKey,
): Promise<Row<"api_keys">> {
  return db
    .insertInto("api_keys")
    .values({
      id: createId("key"),
      organization_id: scope.organizationId,
      project_id: scope.projectId,
      name,
      prefix: getKeyPrefix(secret),
      hash: sha256(secret),
      ...(scopes && { scopes: [...scopes] }),
      expires_at: expiresAt ?? null,
      member_id: memberId ?? null,
      created_by: toColumn(scope.actor),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Selects active keys with the columns of a caller. */
function selectCallers(db: Kysely<Tables>) {
  return db
    .selectFrom("api_keys")
    .innerJoin("organizations", "organizations.id", "api_keys.organization_id")
    .leftJoin("members", "members.id", "api_keys.member_id")
    .select([
      "api_keys.id",
      "api_keys.name",
      "api_keys.organization_id",
      "api_keys.project_id",
      "api_keys.scopes",
      "api_keys.last_used_at",
      "api_keys.member_id",
      "organizations.plan",
      "members.role",
    ])
    .where(isActive);
}

function toCaller(row: {
  readonly id: string;
  readonly name: string;
  readonly organization_id: string;
  readonly project_id: string | null;
  readonly scopes: AccessScope[];
  readonly role: MemberRole | null;
  readonly member_id: string | null;
  readonly plan: OrganizationPlan;
}): Caller {
  return {
    keyId: row.id,
    actor: { type: "key", id: row.id, name: row.name },
    memberId: row.member_id,
    organizationId: row.organization_id,
    projectId: row.project_id,
    scopes: row.scopes.filter((scope) => !row.role || scopesOfRole[row.role].includes(scope)),
    plan: row.plan,
  };
}

async function recordUse(
  db: Kysely<Tables>,
  { id, last_used_at }: Pick<Row<"api_keys">, "id" | "last_used_at">,
): Promise<void> {
  const now = Date.now();
  const staleBefore = new Date(now - lastUsedPrecisionMs);
  if (last_used_at && last_used_at > staleBefore) return;
  await db
    .updateTable("api_keys")
    .set({ last_used_at: new Date(now) })
    .where("id", "=", id)
    .where((where) =>
      where.or([where("last_used_at", "is", null), where("last_used_at", "<", staleBefore)]),
    )
    .execute();
}

function toApiKey(row: Row<"api_keys">): ApiKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    projectId: row.project_id,
    scopes: row.scopes,
    expiresAt: row.expires_at,
    memberId: row.member_id,
    createdBy: row.created_by,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}

export function generateKey(): string {
  const body = `octavo_${randomBytes(24).toString("hex")}`;
  return body + computeChecksum(body);
}

/** Reports whether `text` has the format and the checksum of a key. Does not check that the key exists. */
function isWellFormedKey(text: string): boolean {
  const match = keyPattern.exec(text);
  return match?.[1] !== undefined && computeChecksum(match[1]) === match[2];
}

/** Returns the part of a key that lists show, which is enough to tell keys apart. */
function getKeyPrefix(key: string): string {
  return key.slice(0, "octavo_".length + 6);
}

function computeChecksum(body: string): string {
  return crc32(body).toString(16).padStart(8, "0");
}
