import type { Expression, Kysely, Selectable } from "kysely";
import { OctavoError, sha256 } from "@octavo/site/core";
import { isId, newId } from "../core/index.ts";
import type { OrganizationPlan } from "../core/index.ts";
import type { ApiKeysTable, Database, Param, Tables } from "../db/index.ts";
import { generateKey, isWellFormedKey, keyPrefix } from "./key-format.ts";
import { toPage } from "./page.ts";
import type { ListPage, ListRequest } from "./page.ts";

/** What a call has access to: an organisation, or one of its projects. */
export interface KeyScope {
  readonly organizationId: string;
  /** Null means every project of the organisation. */
  readonly projectId: string | null;
}

/** The authenticated caller: the key's scope and plan. */
export interface Caller extends KeyScope {
  readonly keyId: string;
  readonly plan: OrganizationPlan;
}

/** A caller with names, for the dashboard. */
export interface KeyHolder extends Caller {
  readonly keyName: string;
  readonly organizationName: string;
}

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly projectId: string | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

export interface Keys {
  /** Returns `secret`, the whole key, this one time only. `scope.projectId` limits the key. */
  create(scope: KeyScope, name: string): Promise<ApiKey & { readonly secret: string }>;
  /** Active keys, newest first; a limited scope sees the keys limited to its project. */
  list(scope: KeyScope, page: ListRequest): Promise<ListPage<ApiKey>>;
  /** Throws `not_found` if there is none in scope, or it is revoked. */
  get(scope: KeyScope, keyId: string): Promise<ApiKey>;
  /**
   * Takes effect at once, on every node: each call queries the database. Throws as `get` does, and `forbidden` if a key
   * that is limited to a project is to revoke another one.
   */
  revoke(by: KeyScope & Partial<Pick<Caller, "keyId">>, keyId: string): Promise<void>;
  /** Undefined if the key is malformed (which costs no query), unknown or revoked. */
  authenticate(key: string): Promise<Caller | undefined>;
  /** The holder of a key that was authenticated before; undefined if it is unknown or revoked by now. */
  findHolder(keyId: string): Promise<KeyHolder | undefined>;
  /** The given keys without revoked and unknown ones. */
  findValid(keyIds: readonly string[]): Promise<ReadonlySet<string>>;
}

/** The precision of `lastUsedAt`: a key in use costs one write per interval. */
const lastUsedPrecisionMs = 60_000;

export function createKeys({ kysely: db, prepare }: Pick<Database, "kysely" | "prepare">): Keys {
  const findByHash = prepare((given: Param<{ hash: string }>) => callerByHash(db, given("hash")));
  const keysIn = (scope: KeyScope) =>
    db
      .selectFrom("api_keys")
      .where("organization_id", "=", scope.organizationId)
      .where("revoked_at", "is", null)
      .$if(scope.projectId !== null, (query) => query.where("project_id", "=", scope.projectId));

  async function get(scope: KeyScope, keyId: string): Promise<ApiKey> {
    const row = isId("key", keyId)
      ? await keysIn(scope).selectAll().where("id", "=", keyId).executeTakeFirst()
      : undefined;
    if (row) return toApiKey(row);
    const shown = JSON.stringify(keyId.slice(0, 100));
    throw new OctavoError("not_found", `There is no API key ${shown}.`);
  }

  return {
    async create(scope, name) {
      const secret = generateKey();
      const row = await insertKey(db, { scope, name, secret });
      return { ...toApiKey(row), secret };
    },

    async list(scope, { limit, before }) {
      let query = keysIn(scope)
        .selectAll()
        .orderBy("id", "desc")
        .limit(limit + 1);
      if (before !== undefined) query = query.where("id", "<", before);
      return toPage(await query.execute(), limit, toApiKey);
    },

    get,

    async revoke(by, keyId) {
      const { id } = await get(by, keyId);
      if (id !== by.keyId) requireWholeOrganization(by, "revoke other keys");
      await db
        .updateTable("api_keys")
        .set({ revoked_at: new Date() })
        .where("id", "=", id)
        .execute();
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
      const row = await callersIn(db)
        .select(["api_keys.name", "organizations.name as organization_name"])
        .where("api_keys.id", "=", keyId)
        .executeTakeFirst();
      if (!row) return undefined;
      await recordUse(db, row);
      return {
        ...toCaller(row),
        keyName: row.name,
        organizationName: row.organization_name,
      };
    },

    findValid: (keyIds) => findValidKeys(db, keyIds),
  };
}

/** Throws `forbidden` unless a key is valid for the whole organisation. */
export function requireWholeOrganization({ projectId }: KeyScope, act: string): void {
  if (projectId === null) return;
  throw new OctavoError(
    "forbidden",
    `This API key is limited to the project ${projectId}; use one of the whole organization to ${act}.`,
  );
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
    .where("revoked_at", "is", null)
    .execute();
  return new Set(rows.map((row) => row.id));
}

/** Stores the hash of a key that the caller generated. */
export async function insertKey(
  db: Kysely<Tables>,
  { scope, name, secret }: { scope: KeyScope; name: string; secret: string },
): Promise<Selectable<ApiKeysTable>> {
  return db
    .insertInto("api_keys")
    .values({
      id: newId("key"),
      organization_id: scope.organizationId,
      project_id: scope.projectId,
      name,
      prefix: keyPrefix(secret),
      hash: sha256(secret),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** One index lookup and the organisation's plan: this runs before every call. */
function callerByHash(db: Kysely<Tables>, hash: Expression<string>) {
  return callersIn(db).where("api_keys.hash", "=", hash);
}

/** Active keys with the columns of a caller. */
function callersIn(db: Kysely<Tables>) {
  return db
    .selectFrom("api_keys")
    .innerJoin("organizations", "organizations.id", "api_keys.organization_id")
    .select([
      "api_keys.id",
      "api_keys.organization_id",
      "api_keys.project_id",
      "api_keys.last_used_at",
      "organizations.plan",
    ])
    .where("api_keys.revoked_at", "is", null);
}

function toCaller(row: {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string | null;
  readonly plan: OrganizationPlan;
}): Caller {
  return {
    keyId: row.id,
    organizationId: row.organization_id,
    projectId: row.project_id,
    plan: row.plan,
  };
}

async function recordUse(
  db: Kysely<Tables>,
  { id, last_used_at }: Pick<Selectable<ApiKeysTable>, "id" | "last_used_at">,
): Promise<void> {
  const now = Date.now();
  const due = new Date(now - lastUsedPrecisionMs);
  if (last_used_at && last_used_at > due) return;
  await db
    .updateTable("api_keys")
    .set({ last_used_at: new Date(now) })
    .where("id", "=", id)
    .where((where) =>
      where.or([where("last_used_at", "is", null), where("last_used_at", "<", due)]),
    )
    .execute();
}

function toApiKey(row: Selectable<ApiKeysTable>): ApiKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    projectId: row.project_id,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}
