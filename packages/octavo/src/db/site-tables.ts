import type { ColumnType, Generated } from "kysely";
import type { Actor } from "../core/index.ts";
import type { CreatedAt, CreatedBy } from "./columns.ts";

/** Who may read a site. */
export type SiteVisibility = "public" | "members" | "password";

/**
 * The published site of a project. The database increases `revision` with each change and announces it on the channel
 * `octavo_sites` with the project's ID.
 */
export interface SitesTable {
  project_id: string;
  /** The name below the domain of sites, unique in the service; null until it is needed. */
  slug: string | null;
  /** Whether a change of the project's branch is published. A rollback ends it. */
  is_automatic: Generated<boolean>;
  visibility: Generated<SiteVisibility>;
  /** Whether somebody has chosen the visibility, or the repository has decided it. */
  is_visibility_settled: Generated<boolean>;
  /** Made by `hashPassword`; kept while the site is public. */
  password_hash: string | null;
  has_trailing_slashes: Generated<boolean>;
  /** JSON list of the rules that make branches and tags versions. The first one that matches decides. */
  version_rules: ColumnType<readonly VersionRuleColumn[], never, string>;
  preview_branches: ColumnType<readonly string[], never, string>;
  revision: ColumnType<number, never, never>;
}

/** The domains that projects claim. At most one project has a proven claim to a name, and only such names are served. */
export interface SiteDomainsTable {
  project_id: string;
  /** In its stored form: lower case and punycode. */
  name: string;
  /** The text that a DNS record of the domain must contain. */
  token: string;
  /** Whether the other hosts of the site redirect to this one. */
  is_canonical: Generated<boolean>;
  proven_at: Generated<Date | null>;
  proven_by: Generated<"dns" | "operator" | null>;
  /** When its DNS record was last looked for. */
  checked_at: Generated<Date | null>;
  /** Why the last check did not prove the domain. */
  problem: Generated<string | null>;
  created_at: CreatedAt;
  created_by: ColumnType<Actor | null, string | null, never>;
}

/** Exactly one of `pattern` and `range` is set. */
interface VersionRuleColumn {
  readonly type: "branch" | "tag";
  readonly pattern?: string | undefined;
  readonly range?: string | undefined;
  readonly action: "publish" | "hide" | "default" | "remove";
}

/** A branch or tag that is a version of a site. */
export interface SiteVersionsTable {
  project_id: string;
  /** The full name. */
  ref: string;
  /** The hash that the ref pointed to when the newest deployment of the version began. */
  target: string;
  /** The path of the version, unique in the site; null if it has a problem. */
  slug: string | null;
  action: "publish" | "hide" | "default";
  /** A sentence that says why the version is not published. */
  problem: string | null;
}

/** Links that open a closed site until they expire. A link that was revoked has no row. */
export interface SiteLinksTable {
  id: string;
  project_id: string;
  /** The person or purpose that the link is for. */
  note: string;
  expires_at: Date;
  created_at: CreatedAt;
  created_by: ColumnType<Actor | null, string | null, never>;
}

/** Where the code host of a project's repository reports pushes. */
export interface ProjectHooksTable {
  id: string;
  project_id: string;
  /** The encrypted secret. */
  secret: Uint8Array;
  /** Increases with each new secret. */
  revision: Generated<number>;
  /** When something last arrived that nothing proved to be of somebody who knows the secret. */
  refused_at: Date | null;
  created_by: CreatedBy;
  created_at: CreatedAt;
}

interface RefColumn {
  readonly name: string;
  readonly target: string;
}

/** When the repository of a project is asked for new commits, and what it answered. */
export interface RepositoryPollsTable {
  project_id: string;
  next_at: Date;
  asked_at: Date | null;
  /** The commit of the published branch at the last answer. */
  commit: string | null;
  /** JSON list of its branches and tags at the last answer, if the site has rules for versions. */
  refs: ColumnType<readonly RefColumn[] | null, never, string>;
  /** The number of consecutive questions without an answer. */
  failures: Generated<number>;
  /** Why the last question had no answer. */
  error: string | null;
}

/** Each delivery to a hook, once, by the sender's own name of it. */
export interface HookDeliveriesTable {
  id: string;
  hook_id: string;
  delivery: string;
  sender: "github" | "gitea" | "forgejo" | "gitlab" | "standard";
  event: string;
  branch: string | null;
  commit: string | null;
  deployment_id: string | null;
  /** Why the delivery started nothing. */
  reason: string | null;
  received_at: CreatedAt;
}
