import type { BundleFile, FilePart, Problem } from "../core/index.ts";
import type { ChangelogEntry } from "../page/index.ts";
import type { Site, SitePage } from "../site/index.ts";
import type { FirstScript } from "../theme/index.ts";
import type { ReadingOrder } from "./reading-order.ts";

/** The data of a rendered page that the outputs need. */
export interface PageOutput {
  readonly page: SitePage;
  readonly rendered: {
    /** The page's Markdown document in UTF-8; its first line is the title. */
    readonly markdown: Uint8Array;
    readonly problems: readonly Problem[];
    readonly changes?: readonly ChangelogEntry[];
    /** Size of `markdown` in bytes, set if reading it would read a file. */
    readonly markdownBytes?: number;
  };
  /** Fingerprint of the page's files, including its address and title; undefined if unknown. */
  readonly fingerprint?: string | undefined;
}

export interface OutputOptions {
  /** The inline script of redirect pages: the same as the layout's. */
  readonly firstScript: FirstScript;
  /** Address at which the bundle will be served, such as `https://docs.example.com/v2`; absent if unknown. */
  readonly baseUrl?: string | undefined;
  /** A hash of the site, except the texts of its pages, and of the options; undefined if unknown. */
  readonly siteFingerprint?: string | undefined;
  /** The reading order of the pages, if the caller has already computed it. */
  readonly order?: ReadingOrder | undefined;
  /** The full texts of the pages, if the caller has already computed them. */
  readonly fullTexts?: FullTexts | undefined;
}

/** The contents of `llms-full.txt`. */
export interface FullTexts {
  readonly included: readonly FilePart[];
  /** Number of pages that did not fit. */
  readonly omitted: number;
}

/**
 * Builds files of the bundle from the whole site. Pure: the same site and pages give the same bytes, and nothing is
 * read or written.
 */
export type Output = (
  site: Site,
  pages: readonly PageOutput[],
  options: OutputOptions,
) => BundleFile[];
