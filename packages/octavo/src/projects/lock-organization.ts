import type { Kysely } from "kysely";
import type { Tables } from "../db/index.ts";

/** Locks the organisation's row until the transaction ends: what two calls count meanwhile is counted one after the other. */
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
