import { randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import { OctavoError, createInputError } from "@octavo/site/core";
import { isHostWithin, toHostName, toPublicActor, type PublicActor } from "../core/index.ts";
import { findViolatedConstraint, transact } from "../db/index.ts";
import type { Row, Tables } from "../db/index.ts";
import { recordEvent, toColumn } from "../projects/index.ts";
import type { ActorScope, AuditAction, Project } from "../projects/index.ts";
import { announceSite, lockSite } from "./site-row.ts";

/** The maximum number of domains of a project. */
const maxDomains = 20;
const recordPrefix = "_octavo-challenge.";
const valuePrefix = "octavo-domain=";
/** The maximum length of a domain, which leaves room for the longer name of its record. */
const maxNameLength = 253 - recordPrefix.length;
/** The maximum number and length of the records that a message quotes. */
const maxQuotedRecords = 3;
const maxQuotedLength = 80;

/** A domain that a project has claimed. It shows the site once it is proven. */
export interface SiteDomain {
  readonly name: string;
  /** Whether the site's other hosts redirect to this domain. */
  readonly isCanonical: boolean;
  /** The DNS record by which the project can prove that it controls the domain. */
  readonly record: { readonly type: "TXT"; readonly name: string; readonly value: string };
  /** The time of the proof; null until the domain is proven. */
  readonly provenAt: Date | null;
  readonly provenBy: "dns" | "operator" | null;
  readonly checkedAt: Date | null;
  /** The reason why the last check did not prove the domain. */
  readonly problem: string | null;
  readonly createdAt: Date;
  readonly createdBy: PublicActor | null;
}

type DomainOwner = Pick<Project, "id" | "name">;

/** The domains of projects. Callers check that the scope has access to the project. */
export interface Domains {
  /** Lists the domains of a project by name. */
  list(projectId: string): Promise<readonly SiteDomain[]>;
  /**
   * Claims a domain with a new token, so that a domain that is added again must be proven again. Throws `invalid_input`
   * for a name that a site cannot have, and `conflict` if the project already has the domain or has too many.
   */
  add(by: ActorScope, project: DomainOwner, name: string): Promise<SiteDomain>;
  /**
   * Looks for the DNS record of an unproven domain. If the record is missing, the result's `problem` says so. Another
   * project that has the domain loses it if its own record is missing. Throws `not_found` if the project does not have
   * the domain, and `conflict` if the other project keeps it.
   */
  check(by: ActorScope, project: DomainOwner, name: string): Promise<SiteDomain>;
  /** Marks a domain as proven on the operator's authority. Throws in the same cases as `check`. */
  prove(by: ActorScope, project: DomainOwner, name: string): Promise<SiteDomain>;
  /** Throws `not_found` as `check` does. */
  remove(by: ActorScope, project: DomainOwner, name: string): Promise<void>;
}

/**
 * Returns the values of a name's TXT records; an empty list if the name has no such records. Throws `unavailable` if no
 * server responds.
 */
export type ReadTextRecords = (name: string) => Promise<readonly string[]>;

export interface DomainsOptions {
  readonly db: Kysely<Tables>;
  readonly readTextRecords: ReadTextRecords;
  /**
   * Hosts of the service itself. No site may use one of them, or a parent domain or subdomain of one, because cookies
   * must stay separate.
   */
  readonly ownHosts: readonly string[];
  /** The domain whose subdomains the service assigns to sites. */
  readonly sitesDomain: string | undefined;
}

export function createDomains(options: DomainsOptions): Domains {
  const { db, readTextRecords } = options;
  return {
    async list(projectId) {
      const rows = await db
        .selectFrom("site_domains")
        .selectAll()
        .where("project_id", "=", projectId)
        .orderBy("name")
        .execute();
      return rows.map(toDomain);
    },

    add: (by, project, name) =>
      addDomain(db, by, { project, name: normalizeDomainName(name, options) }),

    async check(by, project, typedName) {
      const row = await findDomain(db, project.id, typedName);
      if (row.proven_at) return toDomain(row);
      const { name, token } = row;
      const lookupResult = await readTextRecords(recordPrefix + name).catch((error: unknown) => {
        if (error instanceof OctavoError) return error;
        throw error;
      });
      if (!(lookupResult instanceof OctavoError) && lookupResult.includes(valuePrefix + token)) {
        return await proveDomain(db, by, {
          project,
          name,
          token,
          proof: { by: "dns", texts: lookupResult },
        });
      }
      const problem =
        lookupResult instanceof OctavoError
          ? lookupResult.message
          : describeMissingRecord(name, lookupResult);
      await db
        .updateTable("site_domains")
        .set({ checked_at: new Date(), problem })
        .where("project_id", "=", project.id)
        .where("token", "=", token)
        .execute();
      return toDomain(await findDomain(db, project.id, name));
    },

    async prove(by, project, typedName) {
      const row = await findDomain(db, project.id, typedName);
      if (row.proven_at) return toDomain(row);
      return await proveDomain(db, by, { ...row, project, proof: { by: "operator" } });
    },

    async remove(by, project, typedName) {
      const { name } = await findDomain(db, project.id, typedName);
      await changeSite(db, project.id, async (transaction) => {
        await transaction
          .deleteFrom("site_domains")
          .where("project_id", "=", project.id)
          .where("name", "=", name)
          .execute();
        await recordDomainEvent(transaction, by, { action: "domain.removed", project, name });
      });
    },
  };
}

/** Runs a change of a project's domains, one at a time, and announces it to all nodes. */
async function changeSite<Result>(
  db: Kysely<Tables>,
  projectId: string,
  work: (transaction: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  return await transact(db, async (transaction) => {
    await lockSite(transaction, projectId);
    const result = await work(transaction);
    await announceSite(transaction, projectId);
    return result;
  });
}

async function addDomain(
  db: Kysely<Tables>,
  by: ActorScope,
  { project, name }: { readonly project: DomainOwner; readonly name: string },
): Promise<SiteDomain> {
  const values = {
    project_id: project.id,
    name,
    token: randomBytes(24).toString("base64url"),
    created_by: toColumn(by.actor),
  };
  return await changeSite(db, project.id, async (transaction) => {
    const domains = await transaction
      .selectFrom("site_domains")
      .select("name")
      .where("project_id", "=", project.id)
      .execute();
    if (domains.some((one) => one.name === name)) {
      throw createConflict(`The project already has the domain ${name}.`);
    }
    if (domains.length >= maxDomains) {
      throw createConflict(`A project can have at most ${maxDomains} domains. Remove one first.`);
    }
    const insert = transaction.insertInto("site_domains").values(values);
    const row = await insert.returningAll().executeTakeFirstOrThrow();
    await recordDomainEvent(transaction, by, { action: "domain.added", project, name });
    return toDomain(row);
  });
}

/** A domain and its proof. */
interface ProvenDomain {
  readonly project: DomainOwner;
  readonly name: string;
  readonly token: string;
  readonly proof: Proof;
}

async function proveDomain(
  db: Kysely<Tables>,
  by: ActorScope,
  { project, name, token, proof }: ProvenDomain,
): Promise<SiteDomain> {
  const now = new Date();
  const result = changeSite(db, project.id, async (transaction) => {
    await revokeOtherProof(transaction, name, proof);
    const row = await transaction
      .updateTable("site_domains")
      .set({ proven_at: now, proven_by: proof.by, checked_at: now, problem: null })
      .where("project_id", "=", project.id)
      .where("token", "=", token)
      .returningAll()
      .executeTakeFirst();
    if (!row) throw createConflict(`The domain ${name} was changed in the meantime. Try again.`);
    await recordDomainEvent(transaction, by, { action: "domain.proven", project, name });
    return toDomain(row);
  });
  return await result.catch((error: unknown) => {
    if (findViolatedConstraint(error) !== "site_domains_proven") throw error;
    throw createConflict(`Another project of this service has just proven the domain ${name}.`);
  });
}

async function findDomain(handle: Kysely<Tables>, projectId: string, name: string) {
  const row = await handle
    .selectFrom("site_domains")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("name", "=", toHostName(name) ?? "")
    .executeTakeFirst();
  if (row) return row;
  const shownName = JSON.stringify(name.slice(0, 100));
  throw new OctavoError("not_found", `The project does not have the domain ${shownName}.`);
}

/**
 * Makes a domain the target to which the site's other hosts redirect. With null, no host redirects. The caller has
 * locked the site and announces the change. Throws `not_found` if the project does not have the domain, and `conflict`
 * if it is not proven.
 */
export async function setCanonicalDomain(
  transaction: Kysely<Tables>,
  projectId: string,
  name: string | null,
): Promise<void> {
  const row = name === null ? undefined : await findDomain(transaction, projectId, name);
  if (row && !row.proven_at) {
    throw createConflict(
      `The domain ${row.name} is not proven yet, so readers cannot be sent there. Check it first.`,
    );
  }
  const domains = transaction.updateTable("site_domains").where("project_id", "=", projectId);
  await domains.set({ is_canonical: false }).where("is_canonical", "=", true).execute();
  if (row) await domains.set({ is_canonical: true }).where("name", "=", row.name).execute();
}

/** Returns the domain to which the site's other hosts redirect, or null if no host redirects. */
export async function findCanonicalDomain(
  handle: Kysely<Tables>,
  projectId: string,
): Promise<string | null> {
  const row = await handle
    .selectFrom("site_domains")
    .select("name")
    .where("project_id", "=", projectId)
    .where("is_canonical", "=", true)
    .executeTakeFirst();
  return row?.name ?? null;
}

/** The proof that a project controls a domain: the operator's word, or the domain's TXT records. */
type Proof =
  | { readonly by: "operator" }
  | { readonly by: "dns"; readonly texts: readonly string[] };

/**
 * Revokes another project's proof of a domain if the domain's records no longer support it, for example because the
 * domain was sold or moved. Throws `conflict` if the other project keeps the domain.
 */
async function revokeOtherProof(
  transaction: Kysely<Tables>,
  name: string,
  proof: Proof,
): Promise<void> {
  const holder = await transaction
    .selectFrom("site_domains")
    .innerJoin("projects", "projects.id", "site_domains.project_id")
    .select(["projects.id", "projects.name", "organization_id", "proven_by", "token"])
    .where("site_domains.name", "=", name)
    .where("proven_at", "is not", null)
    .executeTakeFirst();
  if (!holder) return;
  const isSupported = proof.by === "operator" || proof.texts.includes(valuePrefix + holder.token);
  if (holder.proven_by === "operator" || isSupported) {
    throw createConflict(
      `The domain ${name} belongs to another project of this service. Remove it there first, or remove that project's ` +
        `record at ${recordPrefix}${name}.`,
    );
  }
  const problem =
    "Another project has proven the domain, and this project's TXT record no longer exists.";
  await lockSite(transaction, holder.id);
  await transaction
    .updateTable("site_domains")
    .set({ proven_at: null, proven_by: null, is_canonical: false, problem })
    .where("project_id", "=", holder.id)
    .where("name", "=", name)
    .execute();
  await announceSite(transaction, holder.id);
  const by = { organizationId: holder.organization_id };
  await recordDomainEvent(transaction, by, { action: "domain.lost", project: holder, name });
}

async function recordDomainEvent(
  transaction: Kysely<Tables>,
  by: ActorScope,
  event: { readonly action: AuditAction; readonly project: DomainOwner; readonly name: string },
): Promise<void> {
  const { action, project, name } = event;
  await recordEvent(transaction, by, {
    action,
    target: { id: name, name },
    projectId: project.id,
  });
}

/** Returns the stored form of a domain that a site can have. */
function normalizeDomainName(typedName: string, { ownHosts, sitesDomain }: DomainsOptions): string {
  const shownName = JSON.stringify(typedName.slice(0, 100));
  const name = toHostName(typedName.trim());
  if (name === undefined || !name.includes(".") || name.length > maxNameLength) {
    throw createInputError(
      `domain ${shownName} is not a host name such as docs.example.com. Omit the scheme, port, path and slashes.`,
    );
  }
  if (
    isHostWithin(name, "localhost") ||
    (sitesDomain !== undefined && isHostWithin(name, sitesDomain))
  ) {
    throw createInputError(
      `domain ${name} is in the sites' domain, in which the service assigns the host names itself. Change the site's ` +
        "slug instead.",
    );
  }
  const conflictingHost = ownHosts.find(
    (host) => isHostWithin(name, host) || isHostWithin(host, name),
  );
  if (conflictingHost === undefined) return name;
  throw createInputError(
    `domain ${name} cannot be used for a site, because it is the service's host ${conflictingHost}, a parent or a subdomain of it, and ` +
      "sites must never receive the service's cookies.",
  );
}

/** Describes records that do not include the expected record. Their values are untrusted. */
function describeMissingRecord(name: string, texts: readonly string[]): string {
  const recordName = `${recordPrefix}${name}`;
  if (texts.length === 0) return `There is no TXT record at ${recordName}.`;
  const quoted = texts
    .slice(0, maxQuotedRecords)
    .map((text) => JSON.stringify(text.slice(0, maxQuotedLength).toWellFormed()));
  return `The TXT records at ${recordName} have other values: ${quoted.join(", ")}.`;
}

function createConflict(message: string): OctavoError {
  return new OctavoError("conflict", message);
}

function toDomain(row: Row<"site_domains">): SiteDomain {
  return {
    name: row.name,
    isCanonical: row.is_canonical,
    record: { type: "TXT", name: recordPrefix + row.name, value: valuePrefix + row.token },
    provenAt: row.proven_at,
    provenBy: row.proven_by,
    checkedAt: row.checked_at,
    problem: row.problem,
    createdAt: row.created_at,
    createdBy: toPublicActor(row.created_by),
  };
}
