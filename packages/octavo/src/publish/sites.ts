import { sql, type Kysely } from "kysely";
import { OctavoError, createInputError } from "@octavo/site/core";
import { hashPassword } from "../core/index.ts";
import { findViolatedConstraint, transact } from "../db/index.ts";
import type { PreviewedPullRequests, SiteVisibility, Tables } from "../db/index.ts";
import { recordEvent } from "../projects/index.ts";
import type { ActorScope, Project } from "../projects/index.ts";
import { findCanonicalDomain, setCanonicalDomain } from "./domains.ts";
import { isSlug } from "./labels.ts";
import {
  announceSite,
  defaultVisibility,
  findFreeSlug,
  lockSite,
  type SiteRow,
} from "./site-row.ts";
import { formatOrigin, formatSiteOrigin, type SitesDomain } from "./sites-domain.ts";
import { checkVersionRules, compareRefs, shortenRef, type VersionRule } from "./version-rules.ts";

/** The published site of a project. */
export interface Site {
  readonly slug: string;
  /** The origin at which readers find the site. */
  readonly url: string;
  /** The project's own domain to which the site's other hosts redirect; null if none of them redirects. */
  readonly canonicalDomain: string | null;
  /** Whether a change of the project's branch is published automatically. */
  readonly isAutomatic: boolean;
  readonly visibility: SiteVisibility;
  /** The rules that turn branches and tags into versions. The first rule that matches a ref applies. */
  readonly versionRules: readonly VersionRule[];
  /** Patterns of the branches for which pushes create previews; `*` stands for any characters. */
  readonly previewBranches: readonly string[];
  /**
   * The authors whose open pull requests are previewed: nobody, people who may write to the repository, or everybody.
   */
  readonly previewPullRequests: PreviewedPullRequests;
}

/** A version of a site, other than the project's own branch. */
export interface SiteVersion {
  /** The path of the version; null if it has a problem. */
  readonly slug: string | null;
  /** The name of the branch or tag. */
  readonly ref: string;
  readonly type: "branch" | "tag";
  readonly isDefault: boolean;
  readonly isHidden: boolean;
  /** A sentence that explains why the version is not published. */
  readonly problem: string | null;
  /** The deployment that readers of the version see; null until there is one. */
  readonly deploymentId: string | null;
}

/** The fields to change. Omitted fields keep their values. */
export interface SiteChanges {
  readonly slug?: string | undefined;
  readonly isAutomatic?: boolean | undefined;
  readonly visibility?: SiteVisibility | undefined;
  /** A proven domain of the project; null means that no host redirects to another one. */
  readonly canonicalDomain?: string | null | undefined;
  /** The password with which readers open the site if its visibility is `password`. */
  readonly password?: string | undefined;
  readonly versionRules?: readonly VersionRule[] | undefined;
  readonly previewBranches?: readonly string[] | undefined;
  readonly previewPullRequests?: PreviewedPullRequests | undefined;
}

export interface Sites {
  /** Returns the site of a project. Until the first deployment, its slug is only a suggestion. */
  read(project: Pick<Project, "id" | "domain">): Promise<Site>;
  /**
   * Changes a site and records it in the audit log. Throws `invalid_input` for a malformed slug, for a password that is
   * too short, for a closed site without a password, and for a rule that can match nothing; `not_found` for a domain
   * that the project does not have; and `conflict` for a domain that is not proven, or if another site has the slug.
   * Changed rules take effect once the versions are updated.
   */
  change(
    by: ActorScope,
    project: Pick<Project, "id" | "name">,
    changes: SiteChanges,
  ): Promise<Site>;
  /** Lists the versions other than the project's own branch, the newest SemVer version first. */
  listVersions(projectId: string): Promise<readonly SiteVersion[]>;
  /** Returns the origin of a subdomain of the sites domain. */
  toOrigin(label: string): string;
}

export interface PublishedSitesOptions {
  readonly db: Kysely<Tables>;
  readonly domain: () => SitesDomain;
}

export function createSites({ db, domain }: PublishedSitesOptions): Sites {
  const toOrigin = (label: string) => formatSiteOrigin(domain(), label);
  return {
    toOrigin,
    async read({ id, domain: projectDomain }) {
      const row = await db
        .selectFrom("projects")
        .leftJoin("sites", "sites.project_id", "projects.id")
        .select(["slug", sql<boolean>`coalesce(is_automatic, true)`.as("is_automatic")])
        .select(sql<SiteVisibility>`coalesce(visibility, ${defaultVisibility})`.as("visibility"))
        .select(sql<SiteRow["version_rules"]>`coalesce(version_rules, '[]')`.as("version_rules"))
        .select(sql<readonly string[]>`coalesce(preview_branches, '[]')`.as("preview_branches"))
        .select(
          sql<PreviewedPullRequests>`coalesce(preview_pull_requests, 'all')`.as(
            "preview_pull_requests",
          ),
        )
        .where("projects.id", "=", id)
        .executeTakeFirst();
      const previewDefaults = { preview_branches: [], preview_pull_requests: "all" } as const;
      const settingDefaults = {
        is_automatic: true,
        visibility: "public",
        version_rules: [],
      } as const;
      const defaults = { ...settingDefaults, ...previewDefaults };
      const slug = row?.slug ?? (await findFreeSlug(db, projectDomain));
      return toSite({ ...defaults, ...row, slug }, await findCanonicalDomain(db, id), domain());
    },
    async change(by, { id, name }, changes) {
      const { slug, visibility, password, versionRules } = changes;
      if (versionRules) checkVersionRules(versionRules);
      if (slug !== undefined && !isSlug(slug)) throw createSlugError(slug);
      // Hash before the transaction, because hashing takes 0.1 s.
      const passwordHash = password === undefined ? undefined : await hashPassword(password);
      return await transact(db, async (transaction) => {
        const site = await lockSite(transaction, id);
        if (visibility === "password" && !passwordHash && site.password_hash === null) {
          throw createInputError("password must be set for a site with the visibility password.");
        }
        await writeChanges(transaction, id, { ...changes, passwordHash });
        const fields = Object.entries(changes).flatMap(([field, value]) => (value === undefined ? [] : field)); // prettier-ignore
        await recordEvent(transaction, by, {
          action: "site.changed",
          target: { id, name },
          projectId: id,
          details: { fields },
        });
        const changedSite = await lockSite(transaction, id);
        return toSite(changedSite, await findCanonicalDomain(transaction, id), domain());
      });
    },
    listVersions: (projectId) => listVersions(db, projectId),
  };
}

type SiteColumns = Pick<
  SiteRow,
  | "slug"
  | "is_automatic"
  | "visibility"
  | "version_rules"
  | "preview_branches"
  | "preview_pull_requests"
>;

function toSite(row: SiteColumns, canonicalDomain: string | null, domain: SitesDomain): Site {
  const { slug } = row;
  return {
    slug,
    url:
      canonicalDomain === null
        ? formatSiteOrigin(domain, slug)
        : formatOrigin(domain, canonicalDomain),
    canonicalDomain,
    isAutomatic: row.is_automatic,
    visibility: row.visibility,
    versionRules: row.version_rules,
    previewBranches: row.preview_branches,
    previewPullRequests: row.preview_pull_requests,
  };
}

async function listVersions(
  db: Kysely<Tables>,
  projectId: string,
): Promise<readonly SiteVersion[]> {
  const rows = await db
    .selectFrom("site_versions as version")
    .leftJoin("deployments", (join) =>
      join
        .onRef("deployments.project_id", "=", "version.project_id")
        .onRef("deployments.ref", "=", "version.ref")
        .on("kind", "=", "version")
        .on("published_at", "is not", null)
        .on("left_at", "is", null),
    )
    .select(["version.slug", "version.ref", "action", "problem", "deployments.id"])
    .where("version.project_id", "=", projectId)
    .execute();
  return rows
    .toSorted((one, other) => compareRefs(one.ref, other.ref))
    .map(({ slug, ref, action, problem, id }) => ({
      slug,
      ref: shortenRef(ref),
      type: ref.startsWith("refs/tags/") ? "tag" : "branch",
      isDefault: action === "default",
      isHidden: action === "hide",
      problem,
      deploymentId: id,
    }));
}

async function writeChanges(
  transaction: Kysely<Tables>,
  projectId: string,
  {
    slug,
    isAutomatic,
    visibility,
    versionRules,
    previewBranches,
    previewPullRequests,
    passwordHash,
    canonicalDomain,
  }: SiteChanges & { readonly passwordHash: string | undefined },
): Promise<void> {
  if (canonicalDomain !== undefined) {
    await setCanonicalDomain(transaction, projectId, canonicalDomain);
    await announceSite(transaction, projectId);
  }
  const columns = {
    ...(slug !== undefined && { slug }),
    ...(isAutomatic !== undefined && { is_automatic: isAutomatic }),
    ...(visibility !== undefined && { visibility, is_visibility_settled: true }),
    ...(passwordHash !== undefined && { password_hash: passwordHash }),
    ...(versionRules && { version_rules: JSON.stringify(versionRules) }),
    ...(previewBranches && { preview_branches: JSON.stringify(previewBranches) }),
    ...(previewPullRequests && { preview_pull_requests: previewPullRequests }),
  };
  if (Object.keys(columns).length === 0) return;
  try {
    await transaction
      .updateTable("sites")
      .set(columns)
      .where("project_id", "=", projectId)
      .execute();
  } catch (error) {
    if (findViolatedConstraint(error) !== "sites_slug_key") throw error;
    throw new OctavoError("conflict", `Another site has the slug ${slug}.`, { cause: error });
  }
  if (slug === undefined) return;
  await transaction
    .updateTable("deployments")
    .set({ slug })
    .where("project_id", "=", projectId)
    .execute();
}

function createSlugError(slug: string): OctavoError {
  return createInputError(
    `slug ${JSON.stringify(slug.slice(0, 100))} must be 1 to 40 lowercase letters, digits and single hyphens, such ` +
      "as acme-docs.",
  );
}
