import { sql } from "kysely";
import type { Kysely, Selectable } from "kysely";
import { OctavoError } from "@octavo/site/core";
import { memberRoles } from "../core/index.ts";
import type { Actor, MemberRole } from "../core/index.ts";
import { transact } from "../db/index.ts";
import type { MembersTable, Tables } from "../db/index.ts";
import { addMember, deleteMember, setRole } from "./members.ts";
import type { Identity } from "./open-id.ts";

/** Who becomes a member without an invitation: of the oldest organisation. */
export interface Admission {
  /** Roles by the names of the provider's groups; of several the one with the most rights. */
  readonly groups: ReadonlyMap<string, MemberRole>;
  /** Roles by the domain of verified e-mail addresses. */
  readonly domains: ReadonlyMap<string, MemberRole>;
}

/** A person who has proved who they are, and whose they are. */
export interface AdmittedPerson {
  readonly organizationId: string;
  readonly memberId: string;
  readonly actor: Actor;
}

type MemberRow = Selectable<MembersTable>;

interface Arrival {
  readonly transaction: Kysely<Tables>;
  readonly identity: Identity;
  /** By the provider's groups. */
  readonly groupRole: MemberRole | undefined;
  readonly admission: Admission;
}

/**
 * Finds the member that somebody who signed in is: by the provider's identifier, else by an invitation to their
 * verified address, else as groups and domains say. Roles of groups count at every sign-in: who lost them all is no
 * member any more. Throws `forbidden` for everybody else.
 */
export async function admit(
  db: Kysely<Tables>,
  admission: Admission,
  identity: Identity,
): Promise<AdmittedPerson> {
  const groupRole = highest(identity.groups.map((group) => admission.groups.get(group)));
  const row = await transact(db, async (transaction) => {
    const arrival = { transaction, identity, groupRole, admission };
    const known = await findKnown(arrival);
    return known ? updateKnown(arrival, known) : welcome(arrival);
  });
  if (row) return toPerson(row);
  const who = identity.email ?? "This account, which has no verified e-mail address,";
  throw new OctavoError(
    "forbidden",
    `${who} is not a member of an organisation here. Ask an owner to invite you.`,
  );
}

async function findKnown({ transaction, identity }: Arrival): Promise<MemberRow | undefined> {
  return await transaction
    .selectFrom("members")
    .selectAll()
    .where("issuer", "=", identity.issuer)
    .where("subject", "=", identity.subject)
    .orderBy(sql`last_seen_at desc nulls last`)
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
}

/** Undefined if the groups that made them a member are gone. */
async function updateKnown(arrival: Arrival, member: MemberRow): Promise<MemberRow | undefined> {
  const { transaction, groupRole } = arrival;
  const by = { organizationId: member.organization_id, actor: toPerson(member).actor };
  if (member.source === "groups" && groupRole === undefined) {
    await deleteMember(transaction, by, member);
    return undefined;
  }
  if (groupRole !== undefined && groupRole !== member.role) {
    await setRole(transaction, by, { member, role: groupRole });
  }
  return await bind(arrival, member.id);
}

async function welcome(arrival: Arrival): Promise<MemberRow | undefined> {
  const { transaction, identity, groupRole, admission } = arrival;
  const { email, issuer, subject } = identity;
  const invited = email === null ? undefined : await findByAddress(transaction, email);
  if (invited && invited.subject !== null) throw takenAddress(invited);
  if (invited) return await bind(arrival, invited.id);
  const domain = email?.slice(email.lastIndexOf("@") + 1) ?? "";
  const role = groupRole ?? admission.domains.get(domain);
  const organization = role && (await oldestOrganization(transaction));
  if (!role || !organization) return undefined;
  const source = groupRole ? "groups" : "domain";
  const { name } = identity;
  const by = { organizationId: organization.id };
  const added = { by, email, name, role, source, identity: { issuer, subject } } as const;
  return await addMember(transaction, added);
}

/** Remembers who the provider says it is. */
async function bind(
  { transaction, identity, groupRole }: Arrival,
  memberId: string,
): Promise<MemberRow> {
  const { issuer, subject, name, email } = identity;
  return await transaction
    .updateTable("members")
    .set({ issuer, subject, name, last_seen_at: sql<Date>`now()` })
    .$if(email !== null, (query) => query.set({ email }))
    .$if(groupRole !== undefined, (query) => query.set({ source: "groups" }))
    .where("id", "=", memberId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function findByAddress(
  transaction: Kysely<Tables>,
  email: string,
): Promise<MemberRow | undefined> {
  return await transaction
    .selectFrom("members")
    .selectAll()
    .where("email", "=", email)
    .orderBy("id")
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
}

/** An address that was given to somebody else does not make them the same person. */
function takenAddress({ email }: MemberRow): OctavoError {
  return new OctavoError(
    "forbidden",
    `The address ${email} belongs to a member with another account of the provider. Ask an owner to remove that member and to invite you.`,
  );
}

async function oldestOrganization(transaction: Kysely<Tables>) {
  return await transaction
    .selectFrom("organizations")
    .select("id")
    .orderBy("created_at")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
}

function highest(roles: readonly (MemberRole | undefined)[]): MemberRole | undefined {
  return memberRoles.find((role) => roles.includes(role));
}

function toPerson(row: MemberRow): AdmittedPerson {
  const { id, name, email } = row;
  const actor = { type: "person", id, name, ...(email !== null && { email }) } as const;
  return { organizationId: row.organization_id, memberId: id, actor };
}
