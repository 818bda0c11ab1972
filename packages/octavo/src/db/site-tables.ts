import type { ColumnType, Generated } from "kysely";
import type { Actor } from "../core/index.ts";
import type { CreatedAt, CreatedBy } from "./columns.ts";

/** The people who may read a site. */
export type SiteVisibility = "public" | "members" | "password";

/**
 * The pull requests that are previewed: no pull requests, pull requests by people who may write to the repository, or
 * all pull requests.
 */
export type PreviewedPullRequests = "none" | "members" | "all";

/**
 * The published site of a project. The database increases `revision` with each change and announces it on the channel
 * `octavo_sites` with the project's ID.
 */
interface SitesTable {
  project_id: string;
  /** The site's subdomain of the sites' domain, unique in the service; null until it is needed. */
  slug: string | null;
  /** Whether changes to the project's branch are published automatically. A rollback sets this to false. */
  is_automatic: Generated<boolean>;
  visibility: Generated<SiteVisibility>;
  /** Whether somebody has chosen the visibility, or the repository has determined it. */
  is_visibility_settled: Generated<boolean>;
  /** The password's hash, created by `hashPassword`. It is retained while the site is public. */
  password_hash: string | null;
  has_trailing_slashes: Generated<boolean>;
  /** JSON list of the rules that determine which branches and tags are versions. The first matching rule applies. */
  version_rules: ColumnType<readonly VersionRuleColumn[], never, string>;
  preview_branches: ColumnType<readonly string[], never, string>;
  preview_pull_requests: Generated<PreviewedPullRequests>;
  revision: ColumnType<number, never, never>;
}

/** The domains that projects claim. A domain is served only for the project that has proven its claim. */
interface SiteDomainsTable {
  project_id: string;
  /** The domain in lower case and punycode. */
  name: string;
  /** The text that a DNS record of the domain must contain. */
  token: string;
  /** Whether the other hosts of the site redirect to this domain. */
  is_canonical: Generated<boolean>;
  proven_at: Generated<Date | null>;
  proven_by: Generated<"dns" | "operator" | null>;
  /** When the domain's DNS record was last looked up. */
  checked_at: Generated<Date | null>;
  /** The reason why the last check did not prove the domain. */
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
interface SiteVersionsTable {
  project_id: string;
  /** The full name of the ref, e.g. `refs/tags/v2.1.0`. */
  ref: string;
  /** The hash that the ref pointed to when the newest deployment of the version began. */
  target: string;
  /** The path of the version, unique in the site; null if it has a problem. */
  slug: string | null;
  action: "publish" | "hide" | "default";
  /** A sentence that explains why the version is not published. */
  problem: string | null;
}

/** Links that open a closed site until they expire. A link that was revoked has no row. */
interface SiteLinksTable {
  id: string;
  project_id: string;
  /** The person or purpose that the link is for. */
  note: string;
  expires_at: Date;
  created_at: CreatedAt;
  created_by: ColumnType<Actor | null, string | null, never>;
}

/** The hooks through which code hosts report pushes to projects' repositories. */
interface ProjectHooksTable {
  id: string;
  project_id: string;
  /** The encrypted secret. */
  secret: Uint8Array;
  /** Increases with each new secret. */
  revision: Generated<number>;
  /** When a delivery was last refused because its sender did not prove that it has the secret. */
  refused_at: Date | null;
  created_by: CreatedBy;
  created_at: CreatedAt;
}

interface RefColumn {
  readonly name: string;
  readonly target: string;
}

/** The schedule for polling projects' repositories for new commits, and the last results. */
interface RepositoryPollsTable {
  project_id: string;
  next_at: Date;
  asked_at: Date | null;
  /** The commit of the published branch in the last response. */
  commit: string | null;
  /** JSON list of the repository's branches and tags in the last response, if the site has version rules. */
  refs: ColumnType<readonly RefColumn[] | null, never, string>;
  /** The number of consecutive polls without a response. */
  failures: Generated<number>;
  /** The reason why the last poll received no response. */
  error: string | null;
}

/** The schedule for polling projects' code hosts for open pull requests, and the last results. */
interface ReviewPollsTable {
  project_id: string;
  next_at: Date;
  /** The cause of the next poll; null for the regular interval. */
  trigger: "hook" | "push" | null;
  asked_at: Date | null;
  /** Whether there were more open pull requests than are listed. */
  has_more: Generated<boolean>;
  /** The number of consecutive polls without a response. */
  failures: Generated<number>;
  error: string | null;
}

/** A commit status that was reported to the code host. */
interface ReportedStatusColumn {
  readonly commit: string;
  readonly state: "pending" | "success" | "failure";
  readonly description: string;
  readonly url: string;
}

/** Pull requests that have or had a preview, on any code host. */
interface ReviewsTable {
  project_id: string;
  number: number;
  title: string;
  url: string;
  author: string;
  is_by_member: boolean;
  is_from_fork: boolean;
  /** The head branch; for a fork, this is a branch of the fork. */
  head: string;
  base: string;
  /** The ref of the head in the project's own repository. */
  ref: string;
  head_commit: string;
  /** The preview of the head. */
  deployment_id: string | null;
  /** A sentence that explains why the head has no preview yet. */
  hold: string | null;
  /** The commit where the head forks from its base; null until it is known. */
  base_commit: string | null;
  /** The deployment of that commit, with which the preview is compared. */
  base_deployment_id: string | null;
  told_status: ColumnType<ReportedStatusColumn | null, string | null, string | null>;
  told_comment: string | null;
  comment_id: number | null;
  /** The state that has been completely reported to the code host. */
  settled: string | null;
  next_at: Generated<Date>;
  failures: Generated<number>;
  error: string | null;
  created_at: CreatedAt;
  ended_at: Date | null;
}

/** Deliveries to hooks, each stored once under the ID that its sender gave it. */
interface HookDeliveriesTable {
  id: string;
  hook_id: string;
  delivery: string;
  sender: "github" | "gitea" | "forgejo" | "gitlab" | "standard";
  event: string;
  branch: string | null;
  commit: string | null;
  deployment_id: string | null;
  /** The reason why the delivery started nothing. */
  reason: string | null;
  received_at: CreatedAt;
}

/** The accounts at ACME authorities, by directory URL. */
interface AcmeAccountsTable {
  directory: string;
  /** The private key, encrypted. */
  key: Uint8Array;
  url: string | null;
  created_at: Generated<Date>;
}

/**
 * The certificates of hosts. The database announces a new certificate on the channel `octavo_certificates` with the
 * host's name.
 */
interface CertificatesTable {
  name: string;
  /** The private key and the chain, encrypted; null until there is a certificate. */
  sealed: Uint8Array | null;
  expires_at: Date | null;
  renew_at: Date | null;
  /** The number of failed attempts since the last certificate was issued. */
  attempts: Generated<number>;
  next_attempt_at: Generated<Date>;
  /** The reason why the last attempt failed. */
  problem: string | null;
}

/**
 * The responses to pending ACME challenges, by host name. The database announces them in the same way as certificates.
 */
interface AcmeChallengesTable {
  name: string;
  sealed: Uint8Array;
  created_at: Generated<Date>;
}

/** The single row that names the node that currently orders certificates. */
interface AcmeTurnTable {
  is_only: Generated<boolean>;
  holder: string | null;
  ends_at: Generated<Date>;
}

/** The tables for published sites, for following their repositories, and for their hosts' certificates. */
export interface SiteTables {
  sites: SitesTable;
  site_domains: SiteDomainsTable;
  site_versions: SiteVersionsTable;
  site_links: SiteLinksTable;
  project_hooks: ProjectHooksTable;
  hook_deliveries: HookDeliveriesTable;
  repository_polls: RepositoryPollsTable;
  review_polls: ReviewPollsTable;
  reviews: ReviewsTable;
  acme_accounts: AcmeAccountsTable;
  acme_challenges: AcmeChallengesTable;
  acme_turn: AcmeTurnTable;
  certificates: CertificatesTable;
}
