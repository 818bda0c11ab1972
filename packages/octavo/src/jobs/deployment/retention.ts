import { sql } from "kysely";
import type { Kysely } from "kysely";
import type { Tables } from "../../db/index.ts";
import { repeatInBatches } from "../lifecycle/in-batches.ts";

/** The number of deployments of a branch that are kept, so that readers can go back to them. */
const keptPerBranch = 10;
/** The number of previews that are kept of a pull request, and of all pull requests of a project. */
const [keptPerPullRequest, keptPreviews] = [3, 300];
/** The number of days for which the files of a page stay reachable after its deployment has left. */
const recentDays = 7;

export interface DeploymentRetention {
  readonly now: Date;
  /** The number of days for which previews without a pull request are kept. */
  readonly previewDays: number;
  /** The number of rows per statement. */
  readonly batchSize: number;
}

/**
 * Removes the references to bundles of deployments that are no longer needed. What is live stays for ever, as do the
 * last ones of each branch. The last previews of a pull request stay until it has ended for a week, and what a version showed until
 * a week after the version is gone.
 */
export async function unlinkDeployments(
  kysely: Kysely<Tables>,
  { now, previewDays, batchSize }: DeploymentRetention,
): Promise<void> {
  const daysAgo = (days: number) => sql`${now}::timestamptz - make_interval(days => ${days})`;
  await repeatInBatches(async () => {
    const { rows } = await sql<{ project_id: string }>`
      with ranked as (
        select id, kind, ref, project_id, ended_at, pull_request, left_at, published_at,
          row_number() over (
            partition by project_id, kind, ref, pull_request order by id desc) as place
        from deployments where status = 'ready'
      ), previews as (
        -- The newest of each pull request come first.
        select id, row_number() over (partition by project_id order by place, id desc) as preview_place
        from ranked where pull_request is not null
      ), unneeded as (
        select ranked.id from ranked
          left join previews on previews.id = ranked.id
          left join reviews pull
            on pull.project_id = ranked.project_id and pull.number = ranked.pull_request
        where not (published_at is not null and left_at is null)
          and (left_at is null or left_at < ${daysAgo(recentDays)})
          and (place > case when pull_request is null then ${keptPerBranch}::int else ${keptPerPullRequest}::int end
            or preview_place > ${keptPreviews}::int
            or (kind = 'version' and not exists (select from site_versions version
              where version.project_id = ranked.project_id and version.ref = ranked.ref))
            or (kind = 'preview' and case
            when pull.number is null then ranked.ended_at < ${daysAgo(previewDays)}
            else pull.ended_at < ${daysAgo(recentDays)} end))
        limit ${batchSize}
      )
      update deployments set status = 'removed', bundle_key = null
      from unneeded where deployments.id = unneeded.id
        -- It may have been published since.
        and not (deployments.published_at is not null and deployments.left_at is null)
      returning deployments.project_id`.execute(kysely);
    const projects = [...new Set(rows.map(({ project_id: id }) => id))];
    if (projects.length > 0) {
      await sql`update sites set slug = slug where project_id in (${sql.join(projects)})`.execute(
        kysely,
      );
    }
    return BigInt(rows.length);
  });
}
