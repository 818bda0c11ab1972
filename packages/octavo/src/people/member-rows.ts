/** Changes to members' rows, with their audit entries, that the administration of members and sign-ins share. */
import { sql } from "kysely";
import type { Kysely } from "kysely";
import { createId } from "../core/index.ts";
import type { Actor, MemberRole } from "../core/index.ts";
import type { Row, Tables } from "../db/index.ts";
import { lockOrganization, recordEvent, toColumn } from "../projects/index.ts";
import type { ActorScope } from "../projects/index.ts";

/** Records that a member was seen. The next sign-in leads to the organization of the member seen last. */
export async function recordLastSeen(db: Kysely<Tables>, memberId: string): Promise<void> {
  const seen = { last_seen_at: sql<Date>`now()` };
  await db.updateTable("members").set(seen).where("id", "=", memberId).execute();
}

export function toActor({ id, name, email }: Pick<Row<"members">, "id" | "name" | "email">): Actor {
  return { type: "person", id, name, ...(email !== null && { email }) };
}

interface NewMember {
  readonly by: ActorScope;
  readonly email: string | null;
  readonly name: string;
  readonly role: MemberRole;
  readonly source: Row<"members">["source"];
  readonly identity?: { readonly issuer: string; readonly subject: string };
}

/** Adds an invited member or one admitted at sign-in. */
export async function addMember(
  transaction: Kysely<Tables>,
  { by, identity, ...columns }: NewMember,
): Promise<Row<"members">> {
  const id = createId("member");
  const row = await transaction
    .insertInto("members")
    .values({
      ...columns,
      ...identity,
      id,
      organization_id: by.organizationId,
      created_by: toColumn(by.actor),
      last_seen_at: identity ? sql<Date>`now()` : null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const action = identity ? "member.joined" : "member.invited";
  const details = { role: columns.role, source: columns.source };
  const person = { type: "person", id, name: columns.name } as const;
  const actor = identity ? person : by.actor;
  await recordEvent(transaction, { ...by, actor }, { ...toMemberEvent(row), action, details });
  return row;
}

export async function setRole(
  transaction: Kysely<Tables>,
  by: ActorScope,
  member: Row<"members">,
  role: MemberRole,
): Promise<void> {
  await transaction.updateTable("members").set({ role }).where("id", "=", member.id).execute();
  const details = { from: member.role, to: role };
  await recordEvent(transaction, by, {
    ...toMemberEvent(member),
    action: "member.changed",
    details,
  });
}

/** Deletes a member with their sessions and keys. */
export async function deleteMember(
  transaction: Kysely<Tables>,
  by: ActorScope,
  member: Row<"members">,
): Promise<void> {
  await transaction.deleteFrom("members").where("id", "=", member.id).execute();
  await recordEvent(transaction, by, { ...toMemberEvent(member), action: "member.removed" });
}

function toMemberEvent({ id, name }: Row<"members">) {
  return { target: { id, name } };
}

/** Reports whether no other owner has signed in. Locks the organization so that the result stays valid. */
export async function isLastOwner(
  transaction: Kysely<Tables>,
  member: Row<"members">,
): Promise<boolean> {
  if (member.role !== "owner" || member.subject === null) return false;
  await lockOrganization(transaction, member.organization_id);
  const other = await transaction
    .selectFrom("members")
    .select("id")
    .where("organization_id", "=", member.organization_id)
    .where("role", "=", "owner")
    .where("subject", "is not", null)
    .where("id", "!=", member.id)
    .executeTakeFirst();
  return !other;
}
