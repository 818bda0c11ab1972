import type { BundleFile, Problem } from "../core/index.ts";
import type { ChangelogEntry } from "../page/index.ts";
import type { Site, SitePage } from "../site/index.ts";

/** What the outputs need of a page that has been rendered. */
export interface PageOutput {
  readonly page: SitePage;
  readonly rendered: {
    /** The `.md` twin, UTF-8; its first line is the title. */
    readonly markdown: Uint8Array;
    readonly problems: readonly Problem[];
    readonly changes?: readonly ChangelogEntry[];
    /** Size of `markdown`, where reading it would read a file. */
    readonly markdownBytes?: number;
  };
  /** Of the page's files, its address and title included; undefined where unknown. */
  readonly fingerprint?: string | undefined;
}

export interface OutputOptions {
  /** Address at which the bundle will be served, e.g. `https://docs.example.com/v2`; absent where unknown. */
  readonly baseUrl?: string | undefined;
}

/**
 * Makes files of the bundle from the whole site. Pure: the same site and pages give the same bytes;
 * reads and writes nothing.
 */
export type Output = (
  site: Site,
  pages: readonly PageOutput[],
  options: OutputOptions,
) => BundleFile[];
