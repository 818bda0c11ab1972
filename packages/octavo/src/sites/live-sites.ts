import type { StoredArchive } from "../bundles/index.ts";

/** An export that is served from a zip archive. It is immutable: each export is a separate deployment. */
export interface ServedDeployment {
  readonly id: string;
  readonly archive: StoredArchive;
  /** The commit that was rendered, in full; undefined for an uploaded bundle. */
  readonly commit: string | undefined;
  readonly publishedAt: Date;
}

/** A version of a site. The default version is served at the root, and the others below `/<slug>/`. */
export interface ServedVersion {
  /** One path segment, which is not the first segment of any page of the default version. */
  readonly slug: string;
  readonly title: string;
  readonly isDefault: boolean;
  /** A hidden version is served, but neither listed nor indexed. */
  readonly isHidden: boolean;
  /** Pages of an old or unreleased version show a notice. */
  readonly state: "current" | "old" | "unreleased";
  readonly deployment: ServedDeployment;
}

/**
 * Access to a site. A closed site can be opened with its password, by members or through links, as far as these are
 * configured. If none of them is configured, nobody can open it.
 */
export type SiteAccess =
  | { readonly kind: "public" }
  | {
      readonly kind: "closed";
      /**
       * The key that signs the site's cookies and access tokens; at least 32 bytes, and different for each project. A
       * new secret ends the sessions of everybody who has opened the site.
       */
      readonly secret: Uint8Array;
      /** A hash from `hashPassword`; undefined if the site has no password. */
      readonly passwordHash: string | undefined;
      /**
       * The absolute URL of the dashboard page where members sign in; undefined if the site is not for members. Readers
       * are sent there with `host`, `state` and `to` in the query. The page checks that the person may read the site of
       * that host, and redirects to `/_octavo/open` on that host with `to` and a token from `createSiteToken`.
       */
      readonly signInUrl: string | undefined;
      /**
       * The links that open the site, by the `state` of their tokens. A link that is removed no longer opens the site,
       * and the sessions that it opened end.
       */
      readonly links: ReadonlySet<string>;
    };

/** A site as served under one of its host names. */
export interface ServedSite {
  /** The kind of host. Only the canonical host of a production site is indexed and applies the author's redirects. */
  readonly kind: "production" | "preview" | "deployment";
  /** The origin of the site's canonical host, such as `https://docs.example.com`. */
  readonly origin: string;
  /**
   * The path below which a proxy serves the host, such as `/octavo`. The proxy removes it from the paths of requests.
   * Undefined if there is no such proxy.
   */
  readonly basePath?: string;
  /** Whether requests for this host are redirected to `origin`, with path and query. */
  readonly isRedirected: boolean;
  /** The versions in the order in which readers see them. One of them is the default version. */
  readonly versions: readonly ServedVersion[];
  /**
   * Deployments that this host showed within the last week, newest first. Their theme files stay available for readers
   * who still have their pages open.
   */
  readonly recent: readonly ServedDeployment[];
  readonly access: SiteAccess;
  /** The note at the bottom of a preview's pages; undefined on production sites. */
  readonly note: SiteNote | undefined;
  /** The export with which a preview is compared; undefined if there is no such export. */
  readonly base?: ComparedBase | undefined;
}

/** An export with which a preview is compared. */
export interface ComparedBase {
  readonly archive: StoredArchive;
  /** The export's name within a sentence, such as `the published version`. */
  readonly name: string;
}

export interface SiteNote {
  readonly text: string;
  /** The address to which the note links, such as the pull request. */
  readonly url: string | undefined;
}

/**
 * The sites that a node serves, in an in-memory table, because no request may wait for a database. A node whose
 * database is unavailable continues to serve the last known table.
 */
export interface LiveSites {
  /**
   * Finds the site of a host name, which must be in lower case and punycode, without a port or trailing dot. Returns
   * the same object until something in it changes.
   */
  find(host: string): ServedSite | undefined;
  /**
   * Refreshes the table immediately, because another node may have learned of a change before this one. Concurrent
   * callers share a few queries per second. Returns whether the table matches the database as it was at the time of the
   * call, or false if the database does not respond within a moment.
   */
  renew(): Promise<boolean>;
  /** The time since which the table may be out of date; undefined while refreshes succeed. */
  readonly staleSince: Date | undefined;
}
