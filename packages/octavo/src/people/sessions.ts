import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Kysely } from "kysely";
import { OctavoError, sha256 } from "@octavo/site/core";
import { hasRight, createId, requireRight, scopesOfRole } from "../core/index.ts";
import type { Actor } from "../core/index.ts";
import { transact } from "../db/index.ts";
import type { Tables } from "../db/index.ts";
import { recordEvent } from "../projects/index.ts";
import type { SignedInUser, Keys } from "../projects/index.ts";

/** The lifetime of a session: a working day, after which the user must sign in again. */
export const sessionSeconds = 12 * 60 * 60;
/** The precision of `seenAt`. */
const seenPrecisionMs = 60_000;
/** The maximum number of listed sessions. */
const maxListedSessions = 200;

/** The key or member that signs in, and the browser in which they do. */
interface NewSession {
  readonly organizationId: string;
  readonly actor: Actor;
  /** The browser's IP address, if known. */
  readonly address: string;
  readonly browser: string;
}

export interface Session {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly browser: string;
  readonly createdAt: Date;
  readonly seenAt: Date;
}

export interface Sessions {
  /**
   * Starts a session and returns its token. Only the browser knows the token, because the service stores only a hash.
   */
  begin(person: NewSession): Promise<string>;
  /** Returns undefined if the session has ended or expired, or if its key or member is no longer valid. */
  find(token: string): Promise<SignedInUser | undefined>;
  /** Returns the holder unless the session has ended. Used for work that outlasts a request. */
  findById(sessionId: string): Promise<SignedInUser | undefined>;
  /**
   * Lists sessions, newest first: all sessions of the organization for users who manage members, and their own sessions
   * for other users.
   */
  list(holder: SignedInUser): Promise<readonly Session[]>;
  /** Ends a session immediately on every node. Throws `not_found`, and `forbidden` for another user's session. */
  end(holder: SignedInUser, sessionId: string): Promise<void>;
  /** Removes expired sessions. */
  removeExpired(): Promise<void>;
}

export function createSessions(db: Kysely<Tables>, keys: Pick<Keys, "findHolder">): Sessions {
  const selectCurrentSessions = () =>
    db
      .selectFrom("sessions")
      .innerJoin("organizations", "organizations.id", "sessions.organization_id")
      .leftJoin("members", "members.id", "sessions.member_id")
      .select([
        "sessions.id",
        "sessions.organization_id",
        "sessions.key_id",
        "sessions.seen_at",
        "organizations.name as organization_name",
        "organizations.plan",
        "members.id as member_id",
        "members.name",
        "members.email",
        "members.role",
      ])
      .where("sessions.expires_at", ">", sql<Date>`now()`);
  type Row = Awaited<ReturnType<ReturnType<typeof selectCurrentSessions>["executeTakeFirst"]>>;

  async function toHolder(row: Row): Promise<SignedInUser | undefined> {
    if (!row) return undefined;
    await recordUse(db, row);
    const { id: sessionId, organization_name: organizationName, plan } = row;
    if (row.key_id !== null) {
      const holder = await keys.findHolder(row.key_id);
      return holder && { ...holder, sessionId, role: null };
    }
    const { member_id: id, name, email, role } = row;
    if (id === null || name === null || role === null) return undefined;
    return {
      sessionId,
      organizationId: row.organization_id,
      organizationName,
      plan,
      role,
      memberId: id,
      projectId: null,
      scopes: scopesOfRole[role],
      actor: { type: "person", id, name, ...(email !== null && { email }) },
    };
  }

  return {
    async begin(person) {
      const token = randomBytes(32).toString("base64url");
      await transact(db, (transaction) => insertSession(transaction, person, token));
      return token;
    },
    async find(token) {
      const query = selectCurrentSessions().where("sessions.hash", "=", sha256(token));
      return toHolder(await query.executeTakeFirst());
    },
    async findById(sessionId) {
      return toHolder(
        await selectCurrentSessions().where("sessions.id", "=", sessionId).executeTakeFirst(),
      );
    },
    list: (holder) => listSessions(db, holder),
    end: (holder, sessionId) =>
      transact(db, (transaction) => endSession(transaction, holder, sessionId)),
    async removeExpired() {
      await db
        .deleteFrom("sessions")
        .where("expires_at", "<", sql<Date>`now()`)
        .execute();
    },
  };
}

async function insertSession(
  transaction: Kysely<Tables>,
  { organizationId, actor, address, browser }: NewSession,
  token: string,
): Promise<void> {
  const id = createId("session");
  const isKey = actor.type === "key";
  await transaction
    .insertInto("sessions")
    .values({
      id,
      organization_id: organizationId,
      hash: sha256(token),
      key_id: isKey ? actor.id : null,
      member_id: isKey ? null : actor.id,
      address,
      browser: browser.slice(0, 300),
      expires_at: new Date(Date.now() + sessionSeconds * 1000),
    })
    .execute();
  const target = { id, name: actor.name };
  const event = { action: "session.started", target, details: { address } } as const;
  await recordEvent(transaction, { organizationId, actor }, event);
}

async function listSessions(db: Kysely<Tables>, holder: SignedInUser): Promise<readonly Session[]> {
  const ownerColumn = holder.actor.type === "key" ? "sessions.key_id" : "sessions.member_id";
  const rows = await db
    .selectFrom("sessions")
    .leftJoin("members", "members.id", "sessions.member_id")
    .leftJoin("api_keys", "api_keys.id", "sessions.key_id")
    .select(["sessions.id", "address", "browser", "sessions.created_at", "seen_at"])
    .select(sql<string>`coalesce(members.name, api_keys.name)`.as("name"))
    .where("sessions.organization_id", "=", holder.organizationId)
    .where("sessions.expires_at", ">", sql<Date>`now()`)
    .where("api_keys.revoked_at", "is", null)
    .$if(!hasRight(holder, "members.manage"), (query) =>
      query.where(ownerColumn, "=", holder.actor.id),
    )
    .orderBy("sessions.id", "desc")
    .limit(maxListedSessions)
    .execute();
  return rows.map(({ created_at: createdAt, seen_at: seenAt, ...row }) => ({
    ...row,
    createdAt,
    seenAt,
  }));
}

async function endSession(
  transaction: Kysely<Tables>,
  holder: SignedInUser,
  sessionId: string,
): Promise<void> {
  const row = await transaction
    .deleteFrom("sessions")
    .where("id", "=", sessionId)
    .where("organization_id", "=", holder.organizationId)
    .returning(["key_id", "member_id"])
    .executeTakeFirst();
  if (!row) throw new OctavoError("not_found", "This session does not exist. It may have ended.");
  const isOwn = (row.key_id ?? row.member_id) === holder.actor.id;
  if (!isOwn) {
    requireRight(holder, "members.manage");
  }
  const target = { id: sessionId, name: null };
  await recordEvent(transaction, holder, { action: "session.ended", target });
}

async function recordUse(
  db: Kysely<Tables>,
  { id, seen_at }: { readonly id: string; readonly seen_at: Date },
): Promise<void> {
  const now = Date.now();
  if (seen_at.getTime() > now - seenPrecisionMs) return;
  await db
    .updateTable("sessions")
    .set({ seen_at: new Date(now) })
    .where("id", "=", id)
    .execute();
}
