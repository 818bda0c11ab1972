import type { Kysely } from "kysely";
import { OctavoError, createInputError } from "@octavo/site/core";
import { fullPlan, createId } from "../core/index.ts";
import type { OrganizationPlan } from "../core/index.ts";
import { transact } from "../db/index.ts";
import type { Row, Tables } from "../db/index.ts";
import { recordEvent } from "./audit.ts";

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly plan: OrganizationPlan;
  readonly createdAt: Date;
}

/** The organizations of the service. Only operators can manage them; the API does not offer these operations. */
export interface Organizations {
  create(name: string, plan: OrganizationPlan): Promise<Organization>;
  /**
   * Lists all organizations, oldest first. The list is not paginated, because an installation has few organizations.
   */
  list(): Promise<readonly Organization[]>;
  /** Sets the plan, which takes effect with the next call of any key. Throws `not_found`. */
  setPlan(organizationId: string, plan: OrganizationPlan): Promise<Organization>;
}

/**
 * Returns the ID of the organization that runs the service. It is the oldest organization, which the first start
 * creates.
 */
export type FindOperator = () => Promise<string | undefined>;

/**
 * Creates a lookup that queries the database until there is an organization, and then caches the oldest organization,
 * which does not change.
 */
export function createOperatorLookup(db: Kysely<Tables>): FindOperator {
  let oldest: { readonly id: string } | undefined;
  return async () => {
    oldest ??= await findOldestOrganization(db);
    return oldest?.id;
  };
}

export async function findOldestOrganization(
  db: Kysely<Tables>,
): Promise<{ readonly id: string } | undefined> {
  return await db
    .selectFrom("organizations")
    .select("id")
    .orderBy("created_at")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
}

export function createOrganizations(db: Kysely<Tables>): Organizations {
  return {
    create: (name, plan) =>
      transact(db, (transaction) => insertOrganization(transaction, name, plan)),
    async list() {
      const rows = await db.selectFrom("organizations").selectAll().orderBy("id").execute();
      return rows.map(toOrganization);
    },
    setPlan: (organizationId, plan) =>
      transact(db, async (transaction) => {
        const row = await transaction
          .updateTable("organizations")
          .set({ plan })
          .where("id", "=", organizationId)
          .returningAll()
          .executeTakeFirst();
        if (row) {
          await recordOrganization(transaction, "changed", row);
          return toOrganization(row);
        }
        throw new OctavoError("not_found", `The organization ${organizationId} does not exist.`);
      }),
  };
}

/** Records an event without an actor, because only the operator creates and changes organizations. */
async function recordOrganization(
  transaction: Kysely<Tables>,
  change: "created" | "changed",
  { id, name, plan }: Row<"organizations">,
): Promise<void> {
  const event = {
    action: `organization.${change}`,
    target: { id, name },
    details: { plan },
  } as const;
  await recordEvent(transaction, { organizationId: id }, event);
}

/** Creates an organization in the caller's transaction. */
export async function insertOrganization(
  transaction: Kysely<Tables>,
  name: string,
  plan: OrganizationPlan,
): Promise<Organization> {
  if (name.trim() === "") throw createInputError("An organization needs a name.");
  const row = await transaction
    .insertInto("organizations")
    .values({ id: createId("organization"), name, plan })
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordOrganization(transaction, "created", row);
  return toOrganization(row);
}

function toOrganization(row: Row<"organizations">): Organization {
  return { id: row.id, name: row.name, plan: row.plan, createdAt: row.created_at };
}

/**
 * Locks the organization's row until the transaction ends, so that concurrent calls that count rows run one after the
 * other.
 */
export async function lockOrganization(
  transaction: Kysely<Tables>,
  organizationId: string,
): Promise<void> {
  await transaction
    .selectFrom("organizations")
    .select("id")
    .where("id", "=", organizationId)
    .forNoKeyUpdate()
    .execute();
}

/**
 * Reports whether an organization with this plan may export its sites. Previews and published sites are also exports.
 */
export function canExport(plan: OrganizationPlan): boolean {
  return plan === fullPlan;
}

/** Throws `forbidden` if an organization with this plan may not export its sites. */
export function requireExports(plan: OrganizationPlan): void {
  if (canExport(plan)) return;
  throw new OctavoError(
    "forbidden",
    `Static export requires the plan enterprise; this organization has the plan ${plan}. The operator can ` +
      "change the plan " +
      "with `octavo orgs set-plan`.",
  );
}
