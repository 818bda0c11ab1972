import { sql } from "kysely";
import type { Kysely, Selectable } from "kysely";
import { OctavoError } from "@octavo/site/core";
import { memberRoles } from "../core/index.ts";
import type { Actor, MemberRole } from "../core/index.ts";
import { transact } from "../db/index.ts";
import type { MembersTable, Tables } from "../db/index.ts";
import { findOldestOrganization } from "../projects/index.ts";
import { addMember, deleteMember, isLastOwner, markSeen, setRole, toActor } from "./members.ts";
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
  /** Where groups and domains count; undefined if there is no organisation. */
  readonly oldestId: string | undefined;
}

/**
 * Finds the member that somebody who signed in is: by the provider's identifier, else by an invitation to their
 * verified address, else as groups and domains say. Of a member of several organisations that is the one that they used
 * last; invitations of others are accepted meanwhile. Roles of groups count at every sign-in: who lost them all is no
 * member any more, except the last owner. Throws `forbidden` for everybody else.
 */
export async function admit(
  db: Kysely<Tables>,
  admission: Admission,
  identity: Identity,
): Promise<AdmittedPerson> {
  const groupRole = highest(identity.groups.map((group) => admission.groups.get(group)));
  const row = await transact(db, async (transaction) => {
    const oldestId = (await findOldestOrganization(transaction))?.id;
    const arrival = { transaction, identity, groupRole, admission, oldestId };
    const member = await findMember(arrival);
    if (member) await markSeen(transaction, member.id);
    return member;
  });
  if (row) return { organizationId: row.organization_id, memberId: row.id, actor: toActor(row) };
  const who = identity.email ?? "This account, which has no verified e-mail address,";
  throw new OctavoError(
    "forbidden",
    `${who} is not a member of an organisation here. Ask an owner to invite you.`,
  );
}

async function findMember(arrival: Arrival): Promise<MemberRow | undefined> {
  const known = await findKnown(arrival);
  if (known.length === 0) return await welcome(arrival);
  const left: MemberRow[] = [];
  for (const member of known) {
    if (await keepKnown(arrival, member)) left.push(await bind(arrival, member));
  }
  const accepted = await acceptInvitations(arrival, left);
  return [...left, ...accepted][0];
}

/** The organisation that was used last comes first. */
async function findKnown({ transaction, identity }: Arrival): Promise<readonly MemberRow[]> {
  return await transaction
    .selectFrom("members")
    .selectAll()
    .where("issuer", "=", identity.issuer)
    .where("subject", "=", identity.subject)
    .orderBy(sql`last_seen_at desc nulls last`)
    .orderBy("id")
    .forUpdate()
    .execute();
}

/** Gives a member the role of their groups. False if the groups that made them a member are gone. */
async function keepKnown(arrival: Arrival, member: MemberRow): Promise<boolean> {
  const { transaction, groupRole, oldestId } = arrival;
  if (member.organization_id !== oldestId) return true;
  const isLost = member.source === "groups" && groupRole === undefined;
  const role = isLost ? undefined : (groupRole ?? member.role);
  if (role === member.role) return true;
  // Nobody could administer the organisation any more.
  if (await isLastOwner(transaction, member)) return true;
  const by = { organizationId: member.organization_id, actor: toActor(member) };
  if (role === undefined) await deleteMember(transaction, by, member);
  else await setRole(transaction, by, { member, role });
  return role !== undefined;
}

async function welcome(arrival: Arrival): Promise<MemberRow | undefined> {
  const { transaction, identity, groupRole, admission, oldestId } = arrival;
  const { email, issuer, subject } = identity;
  const [accepted] = await acceptInvitations(arrival, []);
  if (accepted) return accepted;
  const taken = email === null ? undefined : await findOther(arrival, email);
  if (taken) throw takenAddress(taken);
  const domain = email?.slice(email.lastIndexOf("@") + 1) ?? "";
  const role = groupRole ?? admission.domains.get(domain);
  if (!role || oldestId === undefined) return undefined;
  const source = groupRole ? "groups" : "domain";
  const { name } = identity;
  const by = { organizationId: oldestId };
  const added = { by, email, name, role, source, identity: { issuer, subject } } as const;
  return await addMember(transaction, added);
}

/**
 * Makes them a member wherever their verified address is invited and they are none yet. Nothing if the address belongs
 * to another account of the provider anywhere: which of the two was meant is not known.
 */
async function acceptInvitations(
  arrival: Arrival,
  memberships: readonly MemberRow[],
): Promise<readonly MemberRow[]> {
  const { transaction, identity } = arrival;
  const { email } = identity;
  if (email === null || (await findOther(arrival, email))) return [];
  const own = new Set(memberships.map(({ organization_id: id }) => id));
  const invited = await transaction
    .selectFrom("members")
    .selectAll()
    .where("email", "=", email)
    .where("subject", "is", null)
    .orderBy("id")
    .forUpdate()
    .execute();
  const accepted: MemberRow[] = [];
  for (const member of invited) {
    if (!own.has(member.organization_id)) accepted.push(await bind(arrival, member));
  }
  return accepted;
}

/** Remembers who the provider says it is. */
async function bind(arrival: Arrival, member: MemberRow): Promise<MemberRow> {
  const { transaction, identity, groupRole, oldestId } = arrival;
  const { issuer, subject, name, email } = identity;
  const isOfGroup = groupRole !== undefined && member.organization_id === oldestId;
  return await transaction
    .updateTable("members")
    .set({ issuer, subject, name })
    .$if(email !== null, (query) => query.set({ email }))
    .$if(isOfGroup, (query) => query.set({ source: "groups" }))
    .where("id", "=", member.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** A member who has the address, and is another account of the provider. */
async function findOther(
  { transaction, identity }: Arrival,
  email: string,
): Promise<MemberRow | undefined> {
  const { issuer, subject } = identity;
  return await transaction
    .selectFrom("members")
    .selectAll()
    .where("email", "=", email)
    .where("subject", "is not", null)
    .where((eb) => eb.not(eb.and([eb("issuer", "=", issuer), eb("subject", "=", subject)])))
    .limit(1)
    .executeTakeFirst();
}

/** An address that was given to somebody else does not make them the same person. */
function takenAddress({ email }: MemberRow): OctavoError {
  return new OctavoError(
    "forbidden",
    `The address ${email} belongs to a member with another account of the provider. Ask an owner to remove that member and to invite you.`,
  );
}

function highest(roles: readonly (MemberRole | undefined)[]): MemberRole | undefined {
  return memberRoles.find((role) => roles.includes(role));
}
