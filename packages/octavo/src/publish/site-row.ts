import { sql } from "kysely";
import type { Kysely } from "kysely";
import { OctavoError } from "@octavo/site/core";
import type { Row, SiteVisibility, Tables } from "../db/index.ts";
import { numberSlug, suggestSlug } from "./labels.ts";

export type SiteRow = Row<"sites"> & { readonly slug: string };

/** The number of the advisory lock on slugs. It is arbitrary, but no other lock uses it. */
const lockNumber = 4_400_002;
/** The maximum number of sites whose slugs differ only in their numbers. */
const maxSlugNumber = 10_000;

/** The visibility of a site if nobody has chosen one: `members` if the project's repository needs credentials. */
export const defaultVisibility = sql<SiteVisibility>`
  case when projects.credentials is null then 'public' else 'members' end`;

/**
 * Locks a project's site until the transaction ends, so that only one caller at a time decides what is live. Creates
 * the site if it does not exist. Throws `not_found` if the project was deleted.
 */
export async function lockSite(transaction: Kysely<Tables>, projectId: string): Promise<SiteRow> {
  await sql`
    insert into sites (project_id, visibility) select id, ${defaultVisibility} from projects where id = ${projectId}
    on conflict (project_id) do nothing`.execute(transaction);
  const row = await transaction
    .selectFrom("sites")
    .selectAll()
    .where("project_id", "=", projectId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!row)
    throw new OctavoError("not_found", `The project ${JSON.stringify(projectId)} does not exist.`);
  return { ...row, slug: row.slug ?? (await takeSlug(transaction, projectId)) };
}

/**
 * Restricts a site to members if its repository is not public, unless the site's visibility is already settled. If it
 * is settled, `isPublic` is not called.
 */
export async function settleVisibility(
  db: Kysely<Tables>,
  projectId: string,
  isPublic: () => Promise<boolean>,
): Promise<void> {
  const unsettledSite = await db
    .selectFrom("sites")
    .select("project_id")
    .where("project_id", "=", projectId)
    .where("is_visibility_settled", "=", false)
    .executeTakeFirst();
  if (!unsettledSite) return;
  const visibility = (await isPublic()) ? undefined : "members";
  await db
    .updateTable("sites")
    .set({ is_visibility_settled: true, ...(visibility && { visibility }) })
    .where("project_id", "=", projectId)
    .where("is_visibility_settled", "=", false)
    .execute();
}

/** Records that what a site shows has changed, so that all nodes read it again. */
export async function announceSite(transaction: Kysely<Tables>, projectId: string): Promise<void> {
  await sql`update sites set slug = slug where project_id = ${projectId}`.execute(transaction);
}

/** Gives the site the first free slug. */
async function takeSlug(transaction: Kysely<Tables>, projectId: string): Promise<string> {
  const { domain } = await transaction
    .selectFrom("projects")
    .select("domain")
    .where("id", "=", projectId)
    .executeTakeFirstOrThrow();
  // Without this lock, two sites could choose the same slug at the same time, which would abort one of the
  // transactions.
  await sql`select pg_advisory_xact_lock(${lockNumber})`.execute(transaction);
  const slug = await findFreeSlug(transaction, domain);
  await transaction
    .updateTable("sites")
    .set({ slug })
    .where("project_id", "=", projectId)
    .execute();
  return slug;
}

/** Returns the first slug for a project's domain that no site has. */
export async function findFreeSlug(handle: Kysely<Tables>, domain: string): Promise<string> {
  const suggested = suggestSlug(domain);
  for (let number = 1; number <= maxSlugNumber; number++) {
    const slug = number === 1 ? suggested : numberSlug(suggested, number);
    const site = await handle
      .selectFrom("sites")
      .select("project_id")
      .where("slug", "=", slug)
      .executeTakeFirst();
    if (!site) return slug;
  }
  throw new OctavoError("conflict", `All slugs similar to ${suggested} are already taken.`);
}
