import type { StoredArchive } from "../bundles/index.ts";

/** An export that is served, as a zip archive. It never changes: another export is another deployment. */
export interface ServedDeployment {
  readonly id: string;
  readonly archive: StoredArchive;
  /** The commit that was rendered, in full; undefined for an uploaded bundle. */
  readonly commit: string | undefined;
  readonly publishedAt: Date;
}

/** A version of a site. The default one is served at the root, and the others below `/<slug>/`. */
export interface ServedVersion {
  /** One segment of a path, which is not the first segment of a page of the default version. */
  readonly slug: string;
  readonly title: string;
  readonly isDefault: boolean;
  /** A hidden version is served, but neither listed nor indexed. */
  readonly isHidden: boolean;
  /** Readers of an old or an unreleased version are told so. */
  readonly state: "current" | "old" | "unreleased";
  readonly deployment: ServedDeployment;
}

/** Who may read a site. A closed site opens in each of the ways that it names, and not at all without any. */
export type SiteAccess =
  | { readonly kind: "public" }
  | {
      readonly kind: "closed";
      /**
       * Signs the site's cookies and access tokens; at least 32 bytes, and different for each project. A new secret
       * closes the site to everybody who has opened it.
       */
      readonly secret: Uint8Array;
      /** A hash from `hashPassword`; undefined if the site has no password. */
      readonly passwordHash: string | undefined;
      /**
       * The absolute address of the dashboard's page where members sign in; undefined if the site is not for members.
       * Readers are sent there with `host`, `state` and `to` in the query. The page checks that the person may read the
       * site of that host, and redirects to `/_octavo/open` there with `to` and a token from `createSiteToken`.
       */
      readonly signInUrl: string | undefined;
      /**
       * The links that open the site, by the `state` of their tokens. A link that is no longer here does not open it,
       * and neither does a session that it opened.
       */
      readonly links: ReadonlySet<string>;
    };

/** A site as one of its host names shows it. */
export interface ServedSite {
  /** Only the canonical host of a production site is indexed and follows the author's redirects. */
  readonly kind: "production" | "preview" | "deployment";
  /** The origin of the site's canonical host, such as `https://docs.example.com`. */
  readonly origin: string;
  /**
   * The path below which a proxy serves the host, such as `/octavo`. The proxy removes it from the paths of requests.
   * Defaults to none.
   */
  readonly basePath?: string;
  /** Whether requests for this host are redirected to `origin`, with path and query. */
  readonly isRedirected: boolean;
  /** Versions in the order in which readers see them. One is the default. */
  readonly versions: readonly ServedVersion[];
  /**
   * Deployments that this host showed within the last week, newest first. The files of their theme stay reachable for
   * readers who have their pages open.
   */
  readonly recent: readonly ServedDeployment[];
  readonly access: SiteAccess;
  /** The line at the foot of a preview's pages; undefined on production sites. */
  readonly note: SiteNote | undefined;
  /** The export with which a preview is compared; none if there is no such export. */
  readonly base?: ComparedBase | undefined;
}

/** An export with which a preview is compared. */
export interface ComparedBase {
  readonly archive: StoredArchive;
  /** Names the export in a sentence, such as `the published version`. */
  readonly name: string;
}

export interface SiteNote {
  readonly text: string;
  /** Where the line leads to, such as the pull request. */
  readonly url: string | undefined;
}

/**
 * The sites that a node serves: a table in memory, because no request may wait for a database. A node whose database is
 * away continues to serve the table as it was.
 */
export interface LiveSites {
  /**
   * Finds the site of a host name in lower case, without port and final dot, in punycode. The same object is returned
   * until something in it changes.
   */
  find(host: string): ServedSite | undefined;
  /**
   * Renews the table now, because another node may have been told of a change before this one. Everybody who waits shares
   * a few questions a second. Returns whether the table is as the database was then: false if the database does not
   * answer within a moment.
   */
  renew(): Promise<boolean>;
  /** Since when the table may be out of date; undefined while it is renewed as planned. */
  readonly staleSince: Date | undefined;
}
