import type { Kysely } from "kysely";
import type { Tables } from "../db/index.ts";
import { takeLiveOffline } from "./publication.ts";
import { announceSite, lockSite } from "./site-row.ts";
import { planVersions } from "./version-rules.ts";
import type { PlannedVersion, RepositoryRef } from "./version-rules.ts";

/** The refs of a project's repository at one moment. */
export interface ProjectRefs {
  readonly projectId: string;
  readonly refs: readonly RepositoryRef[];
  /** The full name of the branch that the project publishes. */
  readonly branch: string;
}

/**
 * Brings the versions of a site in line with its rules and its repository: adds new ones, and takes offline those that
 * no rule matches or whose ref no longer exists. Returns the versions that need a deployment because their ref is new
 * or has moved; the caller starts them in the same transaction.
 */
export async function updateVersions(
  transaction: Kysely<Tables>,
  { projectId, refs, branch }: ProjectRefs,
): Promise<readonly PlannedVersion[]> {
  const { version_rules: rules } = await lockSite(transaction, projectId);
  const rows = await transaction
    .selectFrom("site_versions")
    .selectAll()
    .where("project_id", "=", projectId)
    .execute();
  if (rules.length === 0 && rows.length === 0) return [];
  const existingRows = new Map(rows.map((row) => [row.ref, row]));
  const plannedVersions = planVersions({
    refs,
    rules,
    branch,
    knownSlugs: new Map(
      rows.flatMap(({ ref, slug }) => (slug === null ? [] : [[ref, slug] as const])),
    ),
    takenNames: await readFirstNames(transaction, projectId),
  });
  const changedVersions = plannedVersions.filter(
    (version) => !hasSameFields(version, existingRows.get(version.ref)),
  );
  const plannedRefs = new Set(plannedVersions.map(({ ref }) => ref));
  const removedRefs = rows.flatMap(({ ref }) => (plannedRefs.has(ref) ? [] : [ref]));
  for (const ref of removedRefs) {
    await takeLiveOffline(transaction, { projectId, kind: "version", ref });
    await transaction
      .deleteFrom("site_versions")
      .where("project_id", "=", projectId)
      .where("ref", "=", ref)
      .execute();
  }
  for (const { ref, ...values } of changedVersions) {
    await transaction
      .insertInto("site_versions")
      .values({ project_id: projectId, ref, ...values })
      .onConflict((conflict) => conflict.columns(["project_id", "ref"]).doUpdateSet(values))
      .execute();
  }
  if (removedRefs.length + changedVersions.length > 0) await announceSite(transaction, projectId);
  return changedVersions.filter(
    ({ ref, slug, target }) => slug !== null && !isBuilt(existingRows.get(ref), target),
  );
}

type VersionRow = Pick<PlannedVersion, "target" | "slug" | "action" | "problem">;

function hasSameFields(version: PlannedVersion, row: VersionRow | undefined): boolean {
  return (["target", "slug", "action", "problem"] as const).every(
    (field) => version[field] === row?.[field],
  );
}

function isBuilt(row: VersionRow | undefined, target: string): boolean {
  return row !== undefined && row.slug !== null && row.target === target;
}

/** Reads the first segments of the addresses of the pages at the root of a site. */
async function readFirstNames(
  transaction: Kysely<Tables>,
  projectId: string,
): Promise<ReadonlySet<string>> {
  const rows = await transaction
    .selectFrom("deployments")
    .leftJoin("site_versions", (join) =>
      join
        .onRef("site_versions.project_id", "=", "deployments.project_id")
        .onRef("site_versions.ref", "=", "deployments.ref")
        .on("deployments.kind", "=", "version"),
    )
    .select(["deployments.kind", "first_names", "action"])
    .where("deployments.project_id", "=", projectId)
    .where("published_at", "is not", null)
    .where("left_at", "is", null)
    .execute();
  const defaultDeployment =
    rows.find(({ action }) => action === "default") ?? rows.find(({ kind }) => kind !== "version");
  return new Set(defaultDeployment?.first_names ?? []);
}
