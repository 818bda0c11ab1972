import type { FetchRemote } from "./fetch-remote.ts";
import type { SiteOrigin } from "../site/index.ts";

/** What reading a site's folder is told. An export's settings are these and more, and are handed on as they are. */
export interface SiteSettings {
  /** The site's folder. Nothing outside it is read, and nothing in it is written. */
  readonly siteDir: string;
  /** Where the bundle is written. Left out of the site where it lies in the site's folder. */
  readonly outDir?: string | undefined;
  /** The archive that the bundle is packed into. Left out of the site like `outDir`. */
  readonly archive?: { readonly file: string } | undefined;
  /** The folder's name as a person gave it: the title of a site that names itself nowhere. */
  readonly folderName?: string | undefined;
  /** Address at which the bundle will be served, for canonical links and the sitemap. */
  readonly baseUrl?: string | undefined;
  /** Fetches files from other hosts. Where absent nothing is fetched, and the problems say so. */
  readonly fetchRemote?: FetchRemote | undefined;
  /** Where the site's files come from. Asked only for what its pages show; where absent they show nothing of it. */
  readonly origin?: SiteOrigin | undefined;
  /** Where a file of the site is edited, with `{path}` for its path. Overrides the configuration on every page. */
  readonly editUrl?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}
