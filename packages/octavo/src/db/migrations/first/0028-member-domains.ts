import { domainToASCII } from "node:url";
import { sql } from "kysely";
import type { Kysely } from "kysely";

interface Row {
  readonly id: string;
  readonly organization_id: string;
  readonly email: string;
  readonly has_signed_in: boolean;
}

/**
 * Brings domains of members' addresses into punycode, the form in which addresses are compared. Two members of one
 * organization may turn out to have the same address. An invitation gives way to the other member; if both have signed
 * in, they have different accounts of the provider, and both stay as they are.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<Row>`
    select id, organization_id, email, subject is not null as has_signed_in
    from members where email ~ '[^\x01-\x7f]' order by id`.execute(db);
  for (const member of rows) {
    const email = toStoredAddress(member.email);
    if (email === undefined || email === member.email) continue;
    const other = await findOther(db, member, email);
    const outdated = other && chooseInvitation(member, other);
    if (other && !outdated) continue;
    if (outdated) await sql`delete from members where id = ${outdated.id}`.execute(db);
    if (outdated === member) continue;
    await sql`update members
      set email = ${email}, name = case when name = email then ${email} else name end
      where id = ${member.id}`.execute(db);
  }
}

function toStoredAddress(email: string): string | undefined {
  const at = email.lastIndexOf("@");
  const domain = domainToASCII(email.slice(at + 1));
  return domain === "" ? undefined : `${email.slice(0, at)}@${domain}`;
}

async function findOther(
  db: Kysely<unknown>,
  { organization_id: organizationId }: Row,
  email: string,
): Promise<Row | undefined> {
  const { rows } = await sql<Row>`
    select id, organization_id, email, subject is not null as has_signed_in
    from members where organization_id = ${organizationId} and email = ${email}`.execute(db);
  return rows[0];
}

function chooseInvitation(member: Row, other: Row): Row | undefined {
  return [member, other].find(({ has_signed_in: hasSignedIn }) => !hasSignedIn);
}
