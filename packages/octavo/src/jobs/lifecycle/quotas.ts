import { sql } from "kysely";
import type { Kysely } from "kysely";
import { OctavoError } from "@octavo/site/core";
import type { OrganizationPlan } from "../../core/index.ts";
import type { Tables } from "../../db/index.ts";
import type { QuotaScope } from "./job-kind.ts";

/** The suggested wait in seconds before a retry; when the quota will have room again is unknown. */
const retrySeconds = { openJobs: 30, bundles: 60 * 60 } as const;

/**
 * Throws `rate_limited` if the job that the transaction has just added exceeds the quota. Until the transaction ends,
 * other changes to the organization's jobs wait, on all nodes, so that the count is exact.
 */
export async function checkOpenJobs(
  transaction: Kysely<Tables>,
  { organizationId, plan, quotas }: QuotaScope,
): Promise<void> {
  const max = quotas[plan].openJobs;
  const { open_jobs: jobs } = await readUsage(transaction, organizationId);
  if (jobs <= max) return;
  throw createQuotaError(
    `This organization has reached the limit of unfinished jobs on ${formatPlan(plan)}: ${formatCount(max)}`,
    retrySeconds.openJobs,
  );
}

/** Throws `rate_limited` if the organization's bundles have used up their quota. */
export async function checkBundles(transaction: Kysely<Tables>, scope: QuotaScope): Promise<void> {
  const reached = await describeBundles(transaction, scope, 1);
  if (reached === undefined) return;
  throw createQuotaError(
    `${reached.replace(/^t/, "T")}; older bundles are removed over time`,
    retrySeconds.bundles,
  );
}

/**
 * Throws `too_large` if the bundle that the transaction has just added exceeds the quota. The check is exact, as in
 * `checkOpenJobs`.
 */
export async function checkBundle(transaction: Kysely<Tables>, scope: QuotaScope): Promise<void> {
  const reached = await describeBundles(transaction, scope, 0);
  if (reached === undefined) return;
  throw new OctavoError(
    "too_large",
    `The export's bundle exceeds the quota: ${reached}. Wait until older bundles are removed, or ask the operator to ` +
      `raise ${scope.plan}.bundleMb in OCTAVO_QUOTAS.`,
  );
}

/** Returns a description of the reached quota, or undefined if `moreBytes` more would fit. */
async function describeBundles(
  transaction: Kysely<Tables>,
  { organizationId, plan, quotas }: QuotaScope,
  moreBytes: number,
): Promise<string | undefined> {
  const max = quotas[plan].bundleMb;
  const { bundle_bytes: bytes } = await readUsage(transaction, organizationId);
  if (bytes + moreBytes <= max * 1e6) return undefined;
  const usedMb = formatCount(Math.ceil(bytes / 1e6));
  return `the bundles of this organization use ${usedMb} MB, and ${formatPlan(plan)} allows ${formatCount(max)} MB`;
}

/**
 * Counts the start of an export, in the caller's transaction. Throws `rate_limited` if the organization has used up its
 * starts per 60 minutes. Call this after the transaction has added the job, because the transaction then holds the lock
 * that makes the count exact.
 */
export async function countExportStart(
  transaction: Kysely<Tables>,
  { organizationId, plan, quotas }: QuotaScope,
): Promise<void> {
  const max = quotas[plan].exportsPerHour;
  // The transaction may have waited, so its `now()` would be too early. Minutes that ended more than an hour ago are
  // not counted.
  const { rows } = await sql<{ starts: number; reset: number }>`
    with expired as (
      delete from export_starts where organization_id = ${organizationId}
        and minute < date_trunc('minute', clock_timestamp()) - interval '60 minutes'
    ), counted as (
      insert into export_starts as counts (organization_id, minute, starts)
      values (${organizationId}, date_trunc('minute', clock_timestamp()), 1)
      on conflict (organization_id, minute) do update set starts = counts.starts + 1
    )
    select coalesce(sum(starts), 0)::int as starts,
      ceil(extract(epoch from min(minute) + interval '61 minutes' - clock_timestamp()))::int as reset
    from export_starts where organization_id = ${organizationId}
      and minute >= date_trunc('minute', clock_timestamp()) - interval '60 minutes'`.execute(
    transaction,
  );
  const { starts = 0, reset = 60 } = rows[0] ?? {};
  if (starts < max) return;
  throw createQuotaError(
    `This organization has reached the limit of exports in 60 minutes on ${formatPlan(plan)}: ${formatCount(max)}`,
    Math.max(1, reset),
  );
}

/** Throws `too_large` if an export has more pages than its plan allows. */
export function checkPages(pages: number, { plan, quotas }: Omit<QuotaScope, "organizationId">) {
  const max = quotas[plan].pages;
  if (pages <= max) return;
  throw new OctavoError(
    "too_large",
    `The export has ${formatCount(pages)} pages, and ${formatPlan(plan)} allows ${formatCount(max)}; export part of the site with ` +
      `\`paths\`, or ask the operator to raise ${plan}.pages in OCTAVO_QUOTAS.`,
  );
}

async function readUsage(
  transaction: Kysely<Tables>,
  organizationId: string,
): Promise<{ readonly open_jobs: number; readonly bundle_bytes: number }> {
  const row = await transaction
    .selectFrom("organization_usage")
    .select(["open_jobs", "bundle_bytes"])
    .where("organization_id", "=", organizationId)
    .executeTakeFirst();
  return row ?? { open_jobs: 0, bundle_bytes: 0 };
}

function createQuotaError(reached: string, retryAfterSeconds: number): OctavoError {
  return new OctavoError("rate_limited", `${reached}. Try again in ${retryAfterSeconds} s.`, {
    details: { retryAfterSeconds },
  });
}

function formatPlan(plan: OrganizationPlan): string {
  return `the ${plan} plan`;
}

function formatCount(count: number): string {
  return count.toLocaleString("en");
}
