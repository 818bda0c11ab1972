import type { AddressForm } from "../core/index.ts";
import type { SiteOrigin } from "../site/index.ts";

/**
 * Fetches a file from another host; the renderer itself has no network access. Rejects if the address is not
 * allowed, does not respond, or responds with more than `maxBytes`.
 */
export type FetchRemote = (
  url: string,
  options: { maxBytes: number; signal?: AbortSignal },
) => Promise<{ bytes: Uint8Array; mediaType: string | undefined }>;

/** Settings for reading a site's folder; a part of those of an export. */
export interface SiteSettings {
  /** The site's folder. Nothing outside it is read, and nothing in it is changed. */
  readonly siteDir: string;
  /** Where the bundle is written. Not part of the site if it is in the site's folder. */
  readonly outDir?: string | undefined;
  /** The archive that the bundle is packed into. Not part of the site, like `outDir`. */
  readonly archive?: { readonly file: string } | undefined;
  /** The folder's name as a person gave it: the title of a site without a name of its own. */
  readonly folderName?: string | undefined;
  /** Address at which the bundle will be served, for canonical links and the sitemap. */
  readonly baseUrl?: string | undefined;
  /** How pages are addressed; `file` by default. */
  readonly addresses?: AddressForm | undefined;
  /** Fetches files from other hosts. If absent, nothing is fetched, and problems say so. */
  readonly fetchRemote?: FetchRemote | undefined;
  /** Whether descriptions of APIs that the site names on other hosts are fetched; not by default. */
  readonly remoteApis?: boolean | undefined;
  /** Where the site's files come from. If absent, pages show no last changes and no links to the source. */
  readonly origin?: SiteOrigin | undefined;
  /** The address for editing a file, with `{path}` for its path. Overrides the configuration on every page. */
  readonly editUrl?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}
