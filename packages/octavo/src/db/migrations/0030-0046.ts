import { sql } from "kysely";
import { createMigration } from "./create-migration.ts";

/** Allows addresses of pages without an extension. */
const cleanAddresses = createMigration([
  sql`alter table static_export_jobs drop constraint static_export_jobs_addresses_check`,
  sql`alter table static_export_jobs add constraint static_export_jobs_addresses_check
    check (addresses in ('file', 'folder', 'clean'))`,
]);

const deployments = createMigration([
  sql`create table sites (
    project_id text collate "C" primary key references projects on delete cascade,
    -- Null until the site is needed for the first time.
    slug text constraint sites_slug_key unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) <= 40),
    is_automatic boolean not null default true,
    visibility text not null default 'public' check (visibility in ('public', 'members', 'password')),
    password_hash text,
    has_trailing_slashes boolean not null default false,
    revision bigint not null default 1,
    constraint sites_password_needed check (visibility <> 'password' or password_hash is not null)
  )`,
  sql`create function sites_change() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        perform pg_notify('octavo_sites', old.project_id);
        return old;
      end if;
      if tg_op = 'UPDATE' then new.revision := old.revision + 1; end if;
      perform pg_notify('octavo_sites', new.project_id);
      return new;
    end
  $$`,
  sql`create trigger sites_change before insert or update or delete on sites
    for each row execute function sites_change()`,
  // Nobody asked to publish the projects of earlier versions.
  sql`insert into sites (project_id, is_automatic) select id, false from projects`,

  sql`create table deployments (
    id text collate "C" primary key,
    organization_id text collate "C" not null references organizations,
    project_id text collate "C" not null references projects on delete cascade,
    kind text not null check (kind in ('production', 'version', 'preview', 'upload')),
    trigger text not null check (trigger in ('push', 'hook', 'poll', 'api', 'dashboard', 'upload')),
    slug text not null,
    ref text,
    pull_request integer,
    commit text,
    subject text,
    author text,
    status text not null
      check (status in ('queued', 'building', 'ready', 'failed', 'superseded', 'removed')),
    progress double precision not null default 0,
    page_count integer not null default 0 check (page_count >= 0),
    rendered_pages integer not null default 0 check (rendered_pages >= 0),
    total_pages integer not null default 0,
    errors integer,
    warnings integer,
    log jsonb not null default '[]',
    error text,
    attempt integer not null default 0,
    strikes integer not null default 0,
    waiting_for text,
    waiting_since timestamptz(3),
    waits integer not null default 0,
    revision bigint not null default 1,
    bundle_key text,
    bundle_bytes bigint check (bundle_bytes >= 0),
    published_at timestamptz(3),
    published_by jsonb,
    left_at timestamptz(3),
    created_by jsonb,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    ended_at timestamptz(3),
    constraint deployments_error check ((error is not null) = (status = 'failed')),
    constraint deployments_ended
      check ((ended_at is not null) = (status not in ('queued', 'building'))),
    constraint deployments_bundle check ((bundle_key is not null) = (status = 'ready')),
    constraint deployments_left check (left_at is null or published_at is not null)
  )`,
  sql`create unique index deployments_live on deployments (project_id)
    where published_at is not null and left_at is null`,
  sql`create index deployments_project on deployments (project_id, id desc)`,
  sql`create index deployments_newest on deployments (organization_id, id desc)`,
  sql`create index deployments_ended on deployments (ended_at) where ended_at is not null`,
  sql`create index deployments_bundle_key on deployments (bundle_key) where bundle_key is not null`,
  sql`create index deployments_open on deployments (id) where status in ('queued', 'building')`,
  sql`create function deployments_change() returns trigger language plpgsql as $$
    begin
      if new.status <> old.status and (old.status in ('failed', 'superseded', 'removed')
          or (old.status = 'ready' and new.status <> 'removed')) then
        raise exception 'The deployment % has ended as %.', old.id, old.status
          using errcode = 'check_violation', constraint = 'deployments_final';
      end if;
      new.progress := greatest(old.progress, new.progress);
      new.page_count := greatest(old.page_count, new.page_count);
      if (old.status, old.progress, old.page_count, old.commit, old.subject, old.error,
          old.waiting_for, old.slug, old.published_at, old.left_at)
        is distinct from
        (new.status, new.progress, new.page_count, new.commit, new.subject, new.error,
          new.waiting_for, new.slug, new.published_at, new.left_at) then
        new.revision := old.revision + 1;
        new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 millisecond');
        perform pg_notify('octavo_deployment', new.id || ' ' || new.status);
      end if;
      return new;
    end
  $$`,
  sql`create trigger deployments_change before update on deployments
    for each row execute function deployments_change()`,
  // For everyone who works on a deployment or follows it, a deleted deployment has ended.
  sql`create function deployments_deletion() returns trigger language plpgsql as $$
    begin
      perform pg_notify('octavo_deployment', old.id || ' failed');
      return null;
    end
  $$`,
  sql`create trigger deployments_deletion after delete on deployments
    for each row execute function deployments_deletion()`,
  sql`create function deployments_usage() returns trigger language plpgsql as $$
    declare
      jobs integer := 0;
      bytes bigint := 0;
    begin
      if tg_op <> 'INSERT' then
        jobs := jobs - (old.status in ('queued', 'building'))::integer;
        bytes := bytes - case when old.bundle_key is null then 0 else coalesce(old.bundle_bytes, 0) end;
      end if;
      if tg_op <> 'DELETE' then
        jobs := jobs + (new.status in ('queued', 'building'))::integer;
        bytes := bytes + case when new.bundle_key is null then 0 else coalesce(new.bundle_bytes, 0) end;
      end if;
      perform add_usage(coalesce(new.organization_id, old.organization_id), jobs, bytes);
      return null;
    end
  $$`,
  sql`create trigger deployments_usage after insert or delete on deployments
    for each row execute function deployments_usage()`,
  sql`create trigger deployments_usage_change after update on deployments
    for each row when (old.status <> new.status or old.bundle_key is distinct from new.bundle_key)
    execute function deployments_usage()`,
  sql`insert into queue_shares (queue) values ('deployment')`,
]);

/** Adds what reviewers refused in a project. A job names its pull request for which a note was made, even if deleted. */
const reviewNotes = createMigration([
  sql`create table review_notes (
    id text collate "C" primary key,
    project_id text collate "C" not null references projects on delete cascade,
    job_id text collate "C" references agent_jobs on delete set null,
    pull_request_url text not null,
    text text not null check (text <> ''),
    created_at timestamptz(3) not null default now(),
    edited_at timestamptz(3)
  )`,
  sql`create index review_notes_newest on review_notes (project_id, id desc)`,
  sql`create index review_notes_job on review_notes (job_id)`,
  sql`alter table agent_jobs add column noted_pull_request integer`,
]);

/** Adds the domains of projects. Only a proven domain is served, so any number of projects may claim the same one. */
const siteDomains = createMigration([
  sql`create table site_domains (
    project_id text collate "C" not null references projects on delete cascade,
    name text collate "C" not null,
    token text not null,
    is_canonical boolean not null default false,
    proven_at timestamptz(3),
    proven_by text check (proven_by in ('dns', 'operator')),
    checked_at timestamptz(3),
    problem text,
    created_at timestamptz(3) not null default now(),
    created_by jsonb,
    primary key (project_id, name),
    constraint site_domains_proof check ((proven_at is null) = (proven_by is null)),
    constraint site_domains_served check (proven_at is not null or not is_canonical)
  )`,
  sql`create unique index site_domains_proven on site_domains (name) where proven_at is not null`,
  sql`create unique index site_domains_canonical on site_domains (project_id) where is_canonical`,
]);

/** Adds the files that a deployment's commit changed. */
const changedFiles = createMigration([sql`alter table deployments add column files_changed jsonb`]);

/** Adds the versions of published sites, and the rules that make branches and tags versions. */
const siteVersions = createMigration([
  sql`alter table sites add column version_rules jsonb not null default '[]'`,
  sql`create table site_versions (
    project_id text collate "C" not null references projects on delete cascade,
    ref text collate "C" not null,
    target text not null,
    slug text collate "C",
    action text not null check (action in ('publish', 'hide', 'default')),
    problem text,
    primary key (project_id, ref),
    constraint site_versions_slug_key unique (project_id, slug),
    constraint site_versions_problem check ((slug is null) = (problem is not null))
  )`,
  // First segments of the addresses of a bundle's pages.
  sql`alter table deployments add column first_names jsonb`,
  sql`drop index deployments_live`,
  sql`create unique index deployments_live
    on deployments (project_id, (case kind when 'version' then ref else '' end))
    where published_at is not null and left_at is null`,
]);

/**
 * Adds links that open closed sites. Sites of repositories that need credentials were public by default; those that
 * nobody has published yet become sites for members.
 */
const siteLinks = createMigration([
  sql`create table site_links (
    id text collate "C" primary key,
    project_id text collate "C" not null references projects on delete cascade,
    note text not null,
    expires_at timestamptz(3) not null,
    created_at timestamptz(3) not null default now(),
    created_by jsonb
  )`,
  sql`create index site_links_project on site_links (project_id, id desc)`,
  sql`update sites set visibility = 'members' from projects
    where projects.id = project_id and credentials is not null and slug is null and visibility = 'public'`,
]);

/** Adds the hooks with which code hosts report pushes, and what they delivered. */
const hooks = createMigration([
  sql`create table project_hooks (
    id text collate "C" primary key,
    project_id text collate "C" not null constraint project_hooks_project unique
      references projects on delete cascade,
    secret bytea not null,
    revision integer not null default 1,
    refused_at timestamptz(3),
    created_by jsonb,
    created_at timestamptz(3) not null default now()
  )`,
  sql`create table hook_deliveries (
    id text collate "C" primary key,
    hook_id text collate "C" not null references project_hooks on delete cascade,
    delivery text not null,
    sender text not null check (sender in ('github', 'gitea', 'forgejo', 'gitlab', 'standard')),
    event text not null,
    branch text,
    commit text,
    deployment_id text collate "C" references deployments on delete set null,
    reason text,
    received_at timestamptz(3) not null default now(),
    constraint hook_deliveries_once unique (hook_id, delivery)
  )`,
  sql`create index hook_deliveries_newest on hook_deliveries (hook_id, id desc)`,
  sql`create index hook_deliveries_received on hook_deliveries (received_at)`,
  sql`create index hook_deliveries_deployment on hook_deliveries (deployment_id)
    where deployment_id is not null`,
]);

/** Adds when the repository of each project is asked for new commits. */
const repositoryPolls = createMigration([
  sql`create table repository_polls (
    project_id text collate "C" primary key references projects on delete cascade,
    next_at timestamptz(3) not null,
    asked_at timestamptz(3),
    -- The commit that the published branch had then.
    commit text,
    failures integer not null default 0,
    error text
  )`,
  sql`create index repository_polls_next on repository_polls (next_at)`,
]);

/** Adds to a job which refusal of its pull request was noted: `closed`, or the time of a review. */
const requestedChanges = createMigration([
  sql`alter table agent_jobs add column noted_refusal text`,
  sql`update agent_jobs set noted_refusal = 'closed' where noted_pull_request is not null`,
]);

/** Adds accounts at ACME authorities, and the certificates and challenges of hosts. All secrets in them are encrypted. */
const certificates = createMigration([
  sql`create table acme_accounts (
    directory text collate "C" primary key,
    key bytea not null,
    url text,
    created_at timestamptz(3) not null default now()
  )`,
  // The row of the node that orders certificates now.
  sql`create table acme_turn (
    is_only boolean primary key default true check (is_only),
    holder text,
    ends_at timestamptz(3) not null default now()
  )`,
  sql`insert into acme_turn default values`,
  sql`create table certificates (
    name text collate "C" primary key,
    sealed bytea,
    expires_at timestamptz(3),
    renew_at timestamptz(3),
    attempts integer not null default 0,
    next_attempt_at timestamptz(3) not null default now(),
    problem text,
    constraint certificates_times
      check ((sealed is null) = (expires_at is null) and (sealed is null) = (renew_at is null))
  )`,
  sql`create table acme_challenges (
    name text collate "C" primary key,
    sealed bytea not null,
    created_at timestamptz(3) not null default now()
  )`,
  sql`create function certificates_change() returns trigger language plpgsql as $$
    begin
      perform pg_notify('octavo_certificates', coalesce(new.name, old.name));
      return null;
    end
  $$`,
  sql`create trigger certificates_change after insert or update of sealed or delete on certificates
    for each row execute function certificates_change()`,
  sql`create trigger acme_challenges_change after insert or update or delete on acme_challenges
    for each row execute function certificates_change()`,
]);

/** Adds the branches and tags of repositories elsewhere, to show what rules for versions match. */
const repositoryRefs = createMigration([sql`alter table repository_polls add column refs jsonb`]);

/** Adds the branches of a site whose pushes make previews. */
const branchPreviews = createMigration([
  sql`alter table sites add column preview_branches jsonb not null default '[]'`,
]);

/** Adds whether it is decided who may read a site. For the sites that exist, it is. */
const settledVisibility = createMigration([
  sql`alter table sites add column is_visibility_settled boolean not null default true`,
  sql`alter table sites alter column is_visibility_settled set default false`,
]);

/** Allows projects on Gitea and Forgejo. */
const codeHosts = createMigration([
  sql`alter table projects drop constraint projects_code_host_check`,
  sql`alter table projects add constraint projects_code_host_check
    check (code_host in ('github', 'gitea', 'local'))`,
]);

/** Allows projects on GitLab. */
const gitlab = createMigration([
  sql`alter table projects drop constraint projects_code_host_check`,
  sql`alter table projects add constraint projects_code_host_check
    check (code_host in ('github', 'gitlab', 'gitea', 'local'))`,
]);

/** Adds the previews of open pull requests, and what code hosts were told of them. */
const reviews = createMigration([
  sql`alter table sites add column preview_pull_requests text not null default 'all'
    check (preview_pull_requests in ('none', 'members', 'all'))`,
  sql`create table review_polls (
    project_id text collate "C" primary key references projects on delete cascade,
    next_at timestamptz(3) not null,
    -- What made the next question due; null for the interval.
    trigger text check (trigger in ('hook', 'push')),
    asked_at timestamptz(3),
    has_more boolean not null default false,
    failures integer not null default 0,
    error text
  )`,
  sql`create index review_polls_next on review_polls (next_at)`,
  sql`create table reviews (
    project_id text collate "C" not null references projects on delete cascade,
    number integer not null check (number > 0),
    title text not null,
    url text not null,
    author text not null,
    is_by_member boolean not null,
    is_from_fork boolean not null,
    head text not null,
    base text not null,
    ref text not null,
    head_commit text not null,
    deployment_id text collate "C" references deployments on delete set null,
    -- Why the head has no preview yet.
    hold text,
    -- The commit where the head leaves its base; null until it is known.
    base_commit text,
    base_deployment_id text collate "C" references deployments on delete set null,
    told_status jsonb,
    told_comment text,
    comment_id bigint,
    -- The state of which the code host was told everything.
    settled text,
    next_at timestamptz(3) not null default now(),
    failures integer not null default 0,
    error text,
    created_at timestamptz(3) not null default now(),
    ended_at timestamptz(3),
    primary key (project_id, number)
  )`,
  sql`create index reviews_open on reviews (next_at) where ended_at is null`,
  sql`create index reviews_deployment on reviews (deployment_id) where deployment_id is not null`,
  sql`create index reviews_base_deployment on reviews (base_deployment_id)
    where base_deployment_id is not null`,
  sql`create index deployments_pull_request on deployments (project_id, pull_request, id desc)
    where pull_request is not null`,
]);

export const migrations0030To0046 = {
  "0030-clean-addresses": cleanAddresses,
  "0031-deployments": deployments,
  "0032-review-notes": reviewNotes,
  "0033-site-domains": siteDomains,
  "0034-changed-files": changedFiles,
  "0035-site-versions": siteVersions,
  "0036-site-links": siteLinks,
  "0037-hooks": hooks,
  "0038-repository-polls": repositoryPolls,
  "0039-requested-changes": requestedChanges,
  "0040-certificates": certificates,
  "0041-repository-refs": repositoryRefs,
  "0042-branch-previews": branchPreviews,
  "0043-settled-visibility": settledVisibility,
  "0044-code-hosts": codeHosts,
  "0045-gitlab": gitlab,
  "0046-reviews": reviews,
};
