import type { AddressForm } from "../core/index.ts";
import type { SiteOrigin } from "../site/index.ts";

/**
 * Fetches a file from another host. The renderer itself has no network access. Rejects if the address is not allowed,
 * or if the host does not respond or responds with more than `maxBytes`.
 */
export type FetchRemote = (
  url: string,
  options: { maxBytes: number; signal?: AbortSignal },
) => Promise<{ bytes: Uint8Array; mediaType: string | undefined }>;

/** Settings for reading a site's folder; part of the settings of an export. */
export interface SiteSettings {
  /** The site's folder. Files outside it are not read, and files in it are not changed. */
  readonly siteDir: string;
  /** The folder of the bundle. It is not part of the site, even if it is in the site's folder. */
  readonly outDir?: string | undefined;
  /** The archive into which the bundle is packed. Like the folder `outDir`, it is not part of the site. */
  readonly archive?: { readonly file: string } | undefined;
  /** The name of the folder as the user entered it. It is the title of a site that has no name. */
  readonly folderName?: string | undefined;
  /** The address at which the bundle will be served, for canonical links and the sitemap. */
  readonly baseUrl?: string | undefined;
  /** The form of page addresses. Defaults to `file`. */
  readonly addresses?: AddressForm | undefined;
  /**
   * Fetches files from other hosts. If undefined, nothing is fetched, and each missing file is reported as a problem.
   */
  readonly fetchRemote?: FetchRemote | undefined;
  /** Whether to fetch the API descriptions on other hosts that the site names. Defaults to false. */
  readonly remoteApis?: boolean | undefined;
  /** The origin of the files. If undefined, pages show neither a modification date nor a link to their source. */
  readonly origin?: SiteOrigin | undefined;
  /** The address for editing a file, with `{path}` as its path. Overrides the configuration on every page. */
  readonly editUrl?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}
