import type { BundleFile, FilePart, Problem } from "../core/index.ts";
import type { ChangelogEntry } from "../page/index.ts";
import type { Site, SitePage } from "../site/index.ts";
import type { ReadingOrder } from "./reading-order.ts";

/** What the outputs need of a rendered page. */
export interface PageOutput {
  readonly page: SitePage;
  readonly rendered: {
    /** The `.md` twin, UTF-8; its first line is the title. */
    readonly markdown: Uint8Array;
    readonly problems: readonly Problem[];
    readonly changes?: readonly ChangelogEntry[];
    /** Size of `markdown`, if reading it would read a file. */
    readonly markdownBytes?: number;
  };
  /** Of the page's files, including its address and title; undefined if unknown. */
  readonly fingerprint?: string | undefined;
}

export interface OutputOptions {
  /** Address at which the bundle will be served, e.g. `https://docs.example.com/v2`; absent if unknown. */
  readonly baseUrl?: string | undefined;
  /** A hash of everything that the site has, besides the texts of pages, and of the options; undefined if unknown. */
  readonly siteFingerprint?: string | undefined;
  /** Of the pages, if the caller has it already. */
  readonly order?: ReadingOrder | undefined;
  /** Those of the pages, likewise. */
  readonly fullTexts?: FullTexts | undefined;
}

/** What `llms-full.txt` has of the pages. */
export interface FullTexts {
  readonly included: readonly FilePart[];
  /** How many pages did not fit. */
  readonly omitted: number;
}

/**
 * Makes files of the bundle from the whole site. Pure: the same site and pages give the same bytes, and nothing is
 * read or written.
 */
export type Output = (
  site: Site,
  pages: readonly PageOutput[],
  options: OutputOptions,
) => BundleFile[];
