import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Kysely } from "kysely";
import type { Database, Tables } from "../db/index.ts";
import { findAliases, type LiveSite, type SiteState } from "./aliases.ts";
import { parseLabel } from "./labels.ts";
import { findLabel, type SitesDomain } from "./sites-domain.ts";

/** The interval at which a node checks whether sites have changed, in case a notification was lost. */
const pollIntervalMs = 2_000;
/** The minimum time between two checks triggered by readers. */
const renewDelayMs = 50;
/** The maximum time that a reader waits for a check. */
const renewTimeoutMs = 1_000;
/** The maximum number of projects in one statement. */
const batchSize = 500;

/**
 * The in-memory table of the sites that this node knows. `sites/` describes its guarantees: it is renewed at each
 * notification and every two seconds, and remains unchanged while the database does not respond.
 */
export interface RouteTable extends AsyncDisposable {
  /** Finds what a host shows. `host` is in lower case, without port and final dot. */
  find(host: string): LiveSite | undefined;
  /** Reports whether a `Host` header names a host of the sites, even if no site is published at that host. */
  ownsHost(header: string): boolean;
  /** Reports whether a host, in the same form as for `find`, shows a site or is a proven domain. */
  hasHost(host: string): boolean;
  /**
   * Checks whether sites have changed, at most twenty times a second, however many callers wait. Returns false if the
   * database does not respond within a second.
   */
  renew(): Promise<boolean>;
  /** The time of the database's last response; undefined unless a later query failed. */
  readonly staleSince: Date | undefined;
}

export interface RouteTableOptions {
  readonly database: Pick<Database, "kysely" | "listen">;
  /** Returns the domain of all sites. Its port may be known only after the server has started. */
  readonly domain: () => SitesDomain;
  /** Returns the secret that signs access to a closed site: at least 32 bytes, different for each project. */
  readonly siteSecret: (projectId: string) => Uint8Array;
  /** Returns the address of the dashboard's page where members sign in to read a site. */
  readonly signInUrl: () => string;
  /**
   * Called with the error when the table cannot be renewed. Further failures are not reported until a renewal succeeds.
   */
  readonly onStale: (error: unknown) => void;
}

/** Reads all sites and follows their changes until the table is disposed. */
export async function openRouteTable(options: RouteTableOptions): Promise<RouteTable> {
  const { database, domain, onStale } = options;
  const knownSites = createKnownSites(options);
  let lastResponseAt = new Date();
  let isStale = false;
  const closeController = new AbortController();
  // Only one read runs at a time, so that an older result never replaces a newer one.
  let lastRead = Promise.resolve();
  const renew = (read: () => Promise<void>) => {
    const previousRead = lastRead;
    lastRead = (async () => {
      await previousRead;
      try {
        await read();
        lastResponseAt = new Date();
        isStale = false;
      } catch (error) {
        if (!isStale && !closeController.signal.aborted) onStale(error);
        isStale = true;
      }
    })();
    return lastRead;
  };
  const subscription = await database.listen(
    "octavo_sites",
    (projectId) => void renew(() => knownSites.read([projectId])),
    () => void renew(() => knownSites.read()),
  );
  await knownSites.readIfChanged();
  const pollLoop = (async () => {
    while (!closeController.signal.aborted) {
      await sleep(pollIntervalMs, undefined, { ref: false, signal: closeController.signal }).catch(
        () => undefined,
      );
      if (!closeController.signal.aborted) await renew(() => knownSites.readIfChanged());
    }
  })();
  let pendingRenewal: Promise<boolean> | undefined;
  /** Renews the table after a short delay, so that all callers during the delay share the same check. */
  const renewSoon = async () => {
    await sleep(renewDelayMs);
    pendingRenewal = undefined;
    await renew(() => knownSites.readIfChanged());
    return !isStale;
  };
  const find = (host: string) => {
    const label = findLabel(domain(), host);
    return label === undefined ? knownSites.findByDomain(host) : knownSites.find(label);
  };
  return {
    find,
    ownsHost(header) {
      const host = header.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
      return host.endsWith(`.${domain().name}`) || knownSites.hasDomain(host);
    },
    hasHost: (host) => knownSites.hasDomain(host) || find(host) !== undefined,
    renew() {
      pendingRenewal ??= renewSoon();
      return Promise.race([pendingRenewal, sleep(renewTimeoutMs, false, { ref: false })]);
    },
    get staleSince() {
      return isStale ? lastResponseAt : undefined;
    },
    async [Symbol.asyncDispose]() {
      closeController.abort();
      await subscription[Symbol.asyncDispose]();
      await pollLoop;
      await lastRead;
    },
  };
}

interface KnownSite {
  readonly projectId: string;
  readonly revision: number;
  /** The project's own domains. */
  readonly domains: readonly string[];
  readonly aliases: ReadonlyMap<string, LiveSite>;
}

/** Creates the in-memory store of sites, which reflects the last read of the database. */
function createKnownSites({
  database: { kysely },
  domain,
  siteSecret,
  signInUrl,
}: RouteTableOptions) {
  const bySlug = new Map<string, KnownSite>();
  const byDomain = new Map<string, KnownSite>();
  /** The slugs of known sites, keyed by project ID. */
  const slugs = new Map<string, string>();
  let digest = "";

  const remove = (projectId: string) => {
    const slug = slugs.get(projectId) ?? "";
    slugs.delete(projectId);
    const known = bySlug.get(slug);
    if (known?.projectId !== projectId) return;
    bySlug.delete(slug);
    // A domain may have moved to another project whose site has already been read.
    for (const name of known.domains) if (byDomain.get(name) === known) byDomain.delete(name);
  };
  /** Reads the sites of these projects; omit `projectIds` to read all sites. */
  const read = async (projectIds?: readonly string[]) => {
    const rows = await readRevisions(kysely, projectIds);
    const existingIds = new Set(rows.map(({ project_id: id }) => id));
    const removedIds = (projectIds ?? [...slugs.keys()]).filter((id) => !existingIds.has(id));
    const changedRows = rows.filter(({ project_id: id, slug, revision }) => {
      const known = bySlug.get(slug);
      return known?.projectId !== id || known.revision !== revision;
    });
    const states = await readStates(
      kysely,
      changedRows.map(({ project_id: id }) => id),
    );
    for (const id of [...removedIds, ...states.map(({ projectId }) => projectId)]) remove(id);
    for (const state of states) {
      const { projectId, slug, revision } = state;
      const aliases = findAliases(state, {
        domain: domain(),
        secret: siteSecret(projectId),
        signInUrl: signInUrl(),
      });
      const domains = state.domains.map(({ name }) => name);
      const site = { projectId, revision, domains, aliases };
      bySlug.set(slug, site);
      slugs.set(projectId, slug);
      for (const name of domains) byDomain.set(name, site);
    }
  };
  return {
    read,
    async readIfChanged() {
      const current = await readDigest(kysely);
      if (current === digest) return;
      await read();
      digest = current;
    },
    find: (label: string) => bySlug.get(parseLabel(label).slug)?.aliases.get(label),
    findByDomain: (name: string) => byDomain.get(name)?.aliases.get(name),
    hasDomain: (name: string) => byDomain.has(name),
  };
}

/** Returns a string that changes whenever a site is added, changed or removed. */
async function readDigest(kysely: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ digest: string }>`
    select count(*) || ' ' || coalesce(sum(revision), 0) as digest from sites`.execute(kysely);
  return rows[0]?.digest ?? "";
}

async function readRevisions(kysely: Kysely<Tables>, projectIds: readonly string[] | undefined) {
  return await kysely
    .selectFrom("sites")
    .select(["project_id", "slug", "revision"])
    .where("slug", "is not", null)
    .$if(projectIds !== undefined, (query) => query.where("project_id", "in", projectIds ?? []))
    .$narrowType<{ slug: string }>()
    .execute();
}

/** Reads sites with all deployments that can be shown. */
async function readStates(
  kysely: Kysely<Tables>,
  projectIds: readonly string[],
): Promise<readonly SiteState[]> {
  const states: SiteState[] = [];
  for (let start = 0; start < projectIds.length; start += batchSize) {
    const batch = projectIds.slice(start, start + batchSize);
    // Uses one statement, so that a site and its deployments are consistent.
    const { rows } = await sql<SiteState>`
      select sites.project_id as "projectId", projects.name, sites.slug, sites.revision, visibility,
        password_hash as "passwordHash",
        has_trailing_slashes as "hasTrailingSlashes",
        (select coalesce(json_agg(json_build_object('name', site_domains.name, 'isCanonical', is_canonical)
          order by site_domains.name), '[]') from site_domains
          where site_domains.project_id = sites.project_id and proven_at is not null) as domains,
        (select coalesce(json_agg(json_build_object('ref', ref, 'slug', version.slug, 'action', action)), '[]')
          from site_versions version
          where version.project_id = sites.project_id and version.slug is not null) as versions,
        (select coalesce(json_agg(site_links.id), '[]') from site_links
          where site_links.project_id = sites.project_id and expires_at > now()) as links,
        coalesce(json_agg(json_build_object('id', deployments.id, 'kind', kind, 'ref', deployments.ref,
          'pullRequest', pull_request, 'commit', commit, 'bundleKey', bundle_key,
          'bundleBytes', bundle_bytes, 'endedAt', ended_at, 'publishedAt', published_at,
          'leftAt', left_at, 'base', (select json_build_object('bundleKey', base.bundle_key,
              'bundleBytes', base.bundle_bytes, 'commit', base.commit)
            from reviews join deployments base on base.id = base_deployment_id and base.status = 'ready'
            where reviews.deployment_id = deployments.id)) order by deployments.id desc)
          filter (where deployments.id is not null), '[]') as deployments
      from sites join projects on projects.id = sites.project_id
        left join deployments on deployments.project_id = sites.project_id
          and deployments.status = 'ready'
      where sites.project_id in (${sql.join(batch)}) and sites.slug is not null
      group by sites.project_id, projects.name`.execute(kysely);
    states.push(...rows);
  }
  return states;
}
