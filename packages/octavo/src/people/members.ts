import { sql } from "kysely";
import type { Kysely } from "kysely";
import { OctavoError, createInputError } from "@octavo/site/core";
import { isId, memberRoles } from "../core/index.ts";
import type { Actor, MemberRole } from "../core/index.ts";
import { normalizeEmailAddress } from "./email-address.ts";
import {
  addMember,
  deleteMember,
  isLastOwner,
  recordLastSeen,
  setRole,
  toActor,
} from "./member-rows.ts";
import { transact, findViolatedConstraint } from "../db/index.ts";
import type { Row, Tables } from "../db/index.ts";
import {
  deleteWebhooksCreatedBy,
  isCreatedBy,
  lockOrganization,
  revokeKeysCreatedBy,
  selectKeysCreatedBy,
  selectWebhooksCreatedBy,
} from "../projects/index.ts";
import type { ActorScope } from "../projects/index.ts";

/** A member of an organization or an invited person. */
export interface Member {
  readonly id: string;
  readonly organizationId: string;
  /**
   * The address that the provider verified, or the address of the invitation. Null if the provider has not verified any
   * address.
   */
  readonly email: string | null;
  readonly name: string;
  readonly role: MemberRole;
  readonly source: "invited" | "groups" | "domain";
  readonly hasSignedIn: boolean;
  readonly createdBy: Actor | null;
  readonly lastSeenAt: Date | null;
}

/** A person's membership in an organization. */
export interface Membership {
  readonly memberId: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly role: MemberRole;
}

/** The kinds of objects that a person creates for the organization and that remain when the person leaves. */
export const createdKinds = ["keys", "invitations", "webhooks"] as const;
export type CreatedKind = (typeof createdKinds)[number];

/** A member's sessions and keys, and the objects that they created for the organization. */
export interface MemberBelongings {
  readonly member: Member;
  /** The number of the member's sessions. Sessions and `ownKeys` end with the membership. */
  readonly sessionCount: number;
  readonly ownKeys: readonly string[];
  /** The names of objects that remain with the organization unless they are removed explicitly. */
  readonly created: Readonly<Record<CreatedKind, readonly string[]>>;
}

export interface Members {
  /** Lists all members by name. The list is not paginated, because an organization has few members. */
  list(organizationId: string): Promise<readonly Member[]>;
  /** Throws `invalid_input` for an invalid email address, and `conflict` if a member already has the address. */
  invite(
    by: ActorScope,
    person: { readonly email: string; readonly role: MemberRole },
  ): Promise<Member>;
  /** Throws `not_found`, and `conflict` for the last owner. */
  changeRole(by: ActorScope, memberId: string, role: MemberRole): Promise<void>;
  /** Lists what belongs to a member and what they created. Throws `not_found`. */
  listBelongings(organizationId: string, memberId: string): Promise<MemberBelongings>;
  /**
   * Removes a member with their sessions and keys, and with the objects of `kindsToRemove` that they created for the
   * organization. Throws in the same cases as `changeRole`, and `conflict` if no key could administer the organization afterward.
   */
  remove(by: ActorScope, memberId: string, kindsToRemove?: readonly CreatedKind[]): Promise<void>;
  /** Lists the organizations of the person behind a member, by name. */
  listMemberships(memberId: string): Promise<readonly Membership[]>;
  /**
   * Switches the person that a member represents to another organization, which is also the organization of their next
   * sign-in. Throws `not_found` unless the person is a member of that organization.
   */
  switchOrganization(memberId: string, organizationId: string): Promise<{ readonly actor: Actor }>;
}

export function createMembers(db: Kysely<Tables>): Members {
  return {
    async list(organizationId) {
      const rows = await db
        .selectFrom("members")
        .selectAll()
        .where("organization_id", "=", organizationId)
        .orderBy(sql`lower(name)`)
        .orderBy("id")
        .execute();
      return rows.map(toMember);
    },

    async invite(by, person) {
      const email = normalizeEmailAddress(person.email);
      if (email === undefined) {
        const shownEmail = JSON.stringify(person.email.trim().slice(0, 100));
        throw createInputError(`${shownEmail} is not an email address.`);
      }
      const newMember = { by, email, name: email, role: person.role, source: "invited" } as const;
      const row = await requireUniqueEmail(email, () =>
        transact(db, (transaction) => addMember(transaction, newMember)),
      );
      return toMember(row);
    },

    changeRole: (by, memberId, role) =>
      transact(db, async (transaction) => {
        const member = await lockMember(transaction, by.organizationId, memberId);
        if (member.role === role) return;
        await requireAnotherOwner(transaction, member);
        await setRole(transaction, by, member, role);
      }),

    async listBelongings(organizationId, memberId) {
      const member = await findMember(db, organizationId, memberId);
      return await listBelongings(db, member);
    },

    remove: (by, memberId, kinds = []) =>
      transact(db, async (transaction) => {
        const member = await lockMember(transaction, by.organizationId, memberId);
        await requireAnotherOwner(transaction, member);
        const creatorIds = await listCreatorIds(transaction, member.id);
        if (kinds.includes("keys")) await revokeKeysCreatedBy(transaction, by, creatorIds);
        if (kinds.includes("webhooks")) await deleteWebhooksCreatedBy(transaction, by, creatorIds);
        if (kinds.includes("invitations")) {
          const invited = await selectInvitations(transaction, by.organizationId, creatorIds).execute(); // prettier-ignore
          for (const person of invited) await deleteMember(transaction, by, person);
        }
        await deleteMember(transaction, by, member);
      }),

    async listMemberships(memberId) {
      const rows = await selectSamePerson(db, memberId)
        .innerJoin("organizations", "organizations.id", "members.organization_id")
        .select(["members.id", "members.organization_id", "members.role"])
        .select("organizations.name as organization_name")
        .orderBy(sql`lower(organizations.name)`)
        .orderBy("members.id")
        .execute();
      return rows.map((row) => ({
        memberId: row.id,
        organizationId: row.organization_id,
        organizationName: row.organization_name,
        role: row.role,
      }));
    },

    async switchOrganization(memberId, organizationId) {
      const row = await selectSamePerson(db, memberId)
        .selectAll("members")
        .where("members.organization_id", "=", organizationId)
        .executeTakeFirst();
      if (!row) throw new OctavoError("not_found", "You are not a member of that organization.");
      await recordLastSeen(db, row.id);
      return { actor: toActor(row) };
    },
  };
}

/** Returns the IDs under which a person creates things: the member's own ID, and the IDs of their keys. */
async function listCreatorIds(db: Kysely<Tables>, memberId: string): Promise<string[]> {
  const keys = await db.selectFrom("api_keys").select("id").where("member_id", "=", memberId).execute(); // prettier-ignore
  return [memberId, ...keys.map(({ id }) => id)];
}

/** Selects people who were invited by one of these persons or keys and have not signed in. */
function selectInvitations(
  db: Kysely<Tables>,
  organizationId: string,
  creatorIds: readonly string[],
) {
  return db
    .selectFrom("members")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("subject", "is", null)
    .where(isCreatedBy(creatorIds))
    .orderBy("id");
}

async function listBelongings(
  db: Kysely<Tables>,
  member: Row<"members">,
): Promise<MemberBelongings> {
  const { id: memberId, organization_id: organizationId } = member;
  const creatorIds = await listCreatorIds(db, memberId);
  const sessions = await db.selectFrom("sessions").select("id").where("member_id", "=", memberId).execute(); // prettier-ignore
  const ownKeys = await db
    .selectFrom("api_keys")
    .select("name")
    .where("member_id", "=", memberId)
    .where("revoked_at", "is", null)
    .orderBy("id")
    .execute();
  const [keys, invitations, webhooks] = await Promise.all([
    selectKeysCreatedBy(db, organizationId, creatorIds).execute(),
    selectInvitations(db, organizationId, creatorIds).execute(),
    selectWebhooksCreatedBy(db, organizationId, creatorIds).execute(),
  ]);
  return {
    member: toMember(member),
    sessionCount: sessions.length,
    ownKeys: ownKeys.map(({ name }) => name),
    created: {
      keys: keys.map(({ name }) => name),
      invitations: invitations.map(({ name }) => name),
      webhooks: webhooks.map(({ url }) => new URL(url).host),
    },
  };
}

/**
 * Selects every membership that is linked to the member's sign-in account, including the given membership. Selects
 * nothing if the member has never signed in.
 */
function selectSamePerson(db: Kysely<Tables>, memberId: string) {
  return db
    .selectFrom("members as own")
    .innerJoin("members", (join) =>
      join.onRef("members.issuer", "=", "own.issuer").onRef("members.subject", "=", "own.subject"),
    )
    .where("own.id", "=", memberId);
}

/**
 * Locks the organization's row and then the member's, so that two concurrent calls cannot remove the last two owners.
 */
async function lockMember(
  transaction: Kysely<Tables>,
  organizationId: string,
  memberId: string,
): Promise<Row<"members">> {
  await lockOrganization(transaction, organizationId);
  return await findMember(transaction, organizationId, memberId);
}

async function findMember(
  db: Kysely<Tables>,
  organizationId: string,
  memberId: string,
): Promise<Row<"members">> {
  const row = isId("member", memberId)
    ? await db
        .selectFrom("members")
        .selectAll()
        .where("organization_id", "=", organizationId)
        .where("id", "=", memberId)
        .executeTakeFirst()
    : undefined;
  if (row) return row;
  throw new OctavoError("not_found", "This member does not exist.");
}

async function requireAnotherOwner(
  transaction: Kysely<Tables>,
  member: Row<"members">,
): Promise<void> {
  if (!(await isLastOwner(transaction, member))) return;
  throw new OctavoError(
    "conflict",
    `${member.name} is the last owner who has signed in. Make another member an owner first.`,
  );
}

async function requireUniqueEmail<Result>(
  email: string,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write();
  } catch (cause) {
    if (findViolatedConstraint(cause) !== "members_email") throw cause;
    throw new OctavoError("conflict", `There is already a member with the address ${email}.`, {
      cause,
    });
  }
}

function toMember(row: Row<"members">): Member {
  return {
    id: row.id,
    organizationId: row.organization_id,
    email: row.email,
    name: row.name,
    role: memberRoles.find((role) => role === row.role) ?? "viewer",
    source: row.source,
    hasSignedIn: row.subject !== null,
    createdBy: row.created_by,
    lastSeenAt: row.last_seen_at,
  };
}
