import { sql } from "kysely";
import type { Kysely } from "kysely";
import { z } from "zod";
import { OctavoError, isOctavoError, sha256 } from "@octavo/site/core";
import { openOnce, memberRoles } from "../core/index.ts";
import type { Actor, MemberRole } from "../core/index.ts";
import type { Row, Tables } from "../db/index.ts";
import { transact } from "../db/index.ts";
import type { Vault } from "../projects/index.ts";
import { findOldestOrganization, recordEvent } from "../projects/index.ts";
import type { OpenIdOptions, Identity } from "./open-id.ts";
import {
  addMember,
  deleteMember,
  isLastOwner,
  recordLastSeen,
  setRole,
  toActor,
} from "./member-rows.ts";

/** The time that a person has to sign in at the provider, in seconds. */
export const signInTimeoutSeconds = 10 * 60;

const Attempt = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string().optional(),
  until: z.number(),
});

/** The rules by which people become members of the oldest organization without an invitation. */
interface Admission {
  /**
   * Roles, keyed by the provider's group names. For a person in several groups, the role with the most rights applies.
   */
  readonly groups: ReadonlyMap<string, MemberRole>;
  /** Roles, keyed by the domain of a verified email address. */
  readonly domains: ReadonlyMap<string, MemberRole>;
}

/** Sign-ins with the operator's provider. */
export interface SignIns {
  /** The provider's display name. */
  readonly providerName: string;
  /**
   * Returns the provider's URL, to which the browser must be sent, and the sealed state that the browser must keep
   * until the sign-in ends. `finish` returns `next`. Throws `unavailable`.
   */
  start(
    next: string | undefined,
  ): Promise<{ readonly address: string; readonly sealedAttempt: string }>;
  /**
   * Finishes an attempt from `start`, which is possible only once. `sealedAttempt` is the state that the browser kept;
   * `query` is the query that the provider returned. Throws `forbidden` for values that do not belong together or were
   * used before, and for people who are not members.
   */
  finish(
    sealedAttempt: string | undefined,
    query: string,
  ): Promise<{ readonly person: AdmittedPerson; readonly next: string | undefined }>;
}

interface SignInsOptions extends OpenIdOptions {
  readonly db: Kysely<Tables>;
  /** Seals the state that browsers keep. */
  readonly vault: Vault;
  readonly admission: Admission;
  readonly providerName: string;
}

const vaultOwner = "sign-in";

export function createSignIns(options: SignInsOptions): SignIns {
  const { db, vault, admission, providerName } = options;
  // Loaded at the first sign-in, because loading the client library takes 30 ms.
  const openProvider = openOnce(async () =>
    (await import("./open-id.ts")).createOpenIdProvider(options),
  );

  function openAttempt(sealedAttempt: string | undefined): z.output<typeof Attempt> {
    try {
      const text = vault.open(Buffer.from(sealedAttempt ?? "", "base64url"), vaultOwner);
      const attempt = Attempt.parse(JSON.parse(text));
      if (attempt.until > Date.now()) return attempt;
    } catch (error) {
      if (!isOctavoError(error) && !(error instanceof z.ZodError)) throw error;
    }
    throw new OctavoError(
      "forbidden",
      "This sign-in was not started in this browser, or it took too long. Start again.",
    );
  }

  return {
    providerName,
    async start(next) {
      const provider = await openProvider();
      const { address, attempt } = await provider.start();
      const until = Date.now() + signInTimeoutSeconds * 1000;
      const text = JSON.stringify({ ...attempt, next, until });
      return {
        address,
        sealedAttempt: Buffer.from(vault.seal(text, vaultOwner)).toString("base64url"),
      };
    },
    async finish(sealedAttempt, query) {
      const attempt = openAttempt(sealedAttempt);
      if (new URLSearchParams(query).get("state") !== attempt.state)
        throw createForeignResponseError();
      const provider = await openProvider();
      await markAttemptUsed(db, attempt.state);
      const identity = await provider.finish(query, attempt);
      return { person: await admitPerson(db, admission, identity), next: attempt.next };
    },
  };
}

function createForeignResponseError(): OctavoError {
  return new OctavoError(
    "forbidden",
    "The provider's response does not belong to this browser's last sign-in. Start again.",
  );
}

async function markAttemptUsed(db: Kysely<Tables>, state: string): Promise<void> {
  const cutoff = new Date(Date.now() - 2 * signInTimeoutSeconds * 1000);
  await db.deleteFrom("used_sign_ins").where("used_at", "<", cutoff).execute();
  const row = await db
    .insertInto("used_sign_ins")
    .values({ state_hash: sha256(state), used_at: sql<Date>`now()` })
    .onConflict((conflict) => conflict.doNothing())
    .returning("state_hash")
    .executeTakeFirst();
  if (!row) throw new OctavoError("forbidden", "This sign-in was already used. Start again.");
}

/** An authenticated person and their membership. */
interface AdmittedPerson {
  readonly organizationId: string;
  readonly memberId: string;
  readonly actor: Actor;
}

type MemberRow = Row<"members">;

interface SignInContext {
  readonly transaction: Kysely<Tables>;
  readonly identity: Identity;
  /** The role that the provider's groups give; undefined if they give no role. */
  readonly groupRole: MemberRole | undefined;
  readonly admission: Admission;
  /** The organization to which groups and domains apply; undefined if there is no organization. */
  readonly oldestId: string | undefined;
}

/**
 * Finds the member for a person who has signed in, first by the provider's identifier, then by an invitation to the
 * person's verified address, then by the rules for groups and domains. A person in several organizations enters the
 * organization that they used last. Pending invitations from other organizations are accepted as well. Roles from
 * groups are updated at every sign-in. A person who became a member because of a group and is no longer in any group
 * that makes people members is removed, except for the last owner. Throws `forbidden` for everyone else.
 */
async function admitPerson(
  db: Kysely<Tables>,
  admission: Admission,
  identity: Identity,
): Promise<AdmittedPerson> {
  const groupRoles = identity.groups.map((group) => admission.groups.get(group));
  // The roles are listed from the role with the most rights.
  const groupRole = memberRoles.find((role) => groupRoles.includes(role));
  const row = await transact(db, async (transaction) => {
    const oldestId = (await findOldestOrganization(transaction))?.id;
    const context = { transaction, identity, groupRole, admission, oldestId };
    const member = await findMember(context);
    if (member) await recordLastSeen(transaction, member.id);
    return member;
  });
  if (row) return { organizationId: row.organization_id, memberId: row.id, actor: toActor(row) };
  const personName = identity.email ?? "This account, which has no verified email address,";
  throw new OctavoError(
    "forbidden",
    `${personName} is not a member of any organization on this service. Ask an owner to invite you.`,
  );
}

async function findMember(context: SignInContext): Promise<MemberRow | undefined> {
  const existingMembers = await findExistingMembers(context);
  if (existingMembers.length === 0) return await admitNewcomer(context);
  const keptMembers: MemberRow[] = [];
  for (const member of existingMembers) {
    if (await applyGroupRole(context, member))
      keptMembers.push(await storeIdentity(context, member));
  }
  const accepted = await acceptInvitations(context, keptMembers);
  return [...keptMembers, ...accepted][0];
}

/** Returns the person's members in all organizations, the last used first. */
async function findExistingMembers({
  transaction,
  identity,
}: SignInContext): Promise<readonly MemberRow[]> {
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

/**
 * Updates a member's role to the role from their groups. Returns false if they are no longer in a group that makes them
 * a member.
 */
async function applyGroupRole(context: SignInContext, member: MemberRow): Promise<boolean> {
  const { transaction, groupRole, oldestId } = context;
  if (member.organization_id !== oldestId) return true;
  const hasLeftGroups = member.source === "groups" && groupRole === undefined;
  const role = hasLeftGroups ? undefined : (groupRole ?? member.role);
  if (role === member.role) return true;
  // Without its last owner, the organization would have no administrator.
  if (await isLastOwner(transaction, member)) return true;
  const by = { organizationId: member.organization_id, actor: toActor(member) };
  if (role === undefined) await deleteMember(transaction, by, member);
  else await setRole(transaction, by, member, role);
  return role !== undefined;
}

async function admitNewcomer(context: SignInContext): Promise<MemberRow | undefined> {
  const { transaction, identity, groupRole, admission, oldestId } = context;
  const { email, issuer, subject } = identity;
  const [accepted] = await acceptInvitations(context, []);
  if (accepted) return accepted;
  const otherMember = email === null ? undefined : await findOtherAccount(context, email);
  if (otherMember) throw createTakenAddressError(otherMember);
  const domain = email?.slice(email.lastIndexOf("@") + 1) ?? "";
  const role = groupRole ?? admission.domains.get(domain);
  if (!role || oldestId === undefined) return undefined;
  const source = groupRole ? "groups" : "domain";
  const { name } = identity;
  const by = { organizationId: oldestId };
  const newMember = { by, email, name, role, source, identity: { issuer, subject } } as const;
  return await addMember(transaction, newMember);
}

/**
 * Makes a person a member of every organization that has invited their verified address and in which they are not yet a
 * member. Does nothing if the address belongs to a different account of the provider in any organization, because it is
 * unclear which account was invited.
 */
async function acceptInvitations(
  context: SignInContext,
  memberships: readonly MemberRow[],
): Promise<readonly MemberRow[]> {
  const { transaction, identity } = context;
  const { email } = identity;
  if (email === null || (await findOtherAccount(context, email))) return [];
  const ownOrganizationIds = new Set(memberships.map(({ organization_id: id }) => id));
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
    if (ownOrganizationIds.has(member.organization_id)) continue;
    const joinedMember = await storeIdentity(context, member);
    await recordJoining(transaction, joinedMember);
    accepted.push(joinedMember);
  }
  return accepted;
}

async function recordJoining(transaction: Kysely<Tables>, member: MemberRow): Promise<void> {
  const { id, name, organization_id: organizationId, role, source } = member;
  const event = { action: "member.joined", target: { id, name }, details: { role, source } } as const; // prettier-ignore
  await recordEvent(transaction, { organizationId, actor: toActor(member) }, event);
}

/** Stores the identity that the provider reported in the member's row. */
async function storeIdentity(context: SignInContext, member: MemberRow): Promise<MemberRow> {
  const { transaction, identity, groupRole, oldestId } = context;
  const { issuer, subject, name, email } = identity;
  const isAdmittedByGroup = groupRole !== undefined && member.organization_id === oldestId;
  return await transaction
    .updateTable("members")
    .set({ issuer, subject, name })
    .$if(email !== null, (query) => query.set({ email }))
    .$if(isAdmittedByGroup, (query) => query.set({ source: "groups" }))
    .where("id", "=", member.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Finds a member who has the same address but a different account of the provider. */
async function findOtherAccount(
  { transaction, identity }: SignInContext,
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

/**
 * Creates the error for an address that belongs to a different account, because the new owner of a reassigned address
 * is not the same person.
 */
function createTakenAddressError({ email }: MemberRow): OctavoError {
  return new OctavoError(
    "forbidden",
    `The address ${email} belongs to a member with a different account of the provider. Ask an owner to remove ` +
      "that member and invite you.",
  );
}
