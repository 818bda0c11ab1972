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
    /** The bytes of `markdown`, where it is read only when it is asked for. */
    readonly markdownBytes?: number;
  };
  /** What the page is made of, its address and title included; undefined where that cannot be told. */
  readonly identity?: string | undefined;
}

export interface OutputOptions {
  /** Where the bundle will be published, e.g. `https://docs.example.com/v2`; absent where nobody knows. */
  readonly baseUrl?: string;
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
