import type { BundleFile, FilePart, Problem } from "../core/index.ts";
import type { ChangelogEntry } from "../page/index.ts";
import type { Site, SitePage } from "../site/index.ts";
import type { FirstScript } from "../theme/index.ts";
import type { ReadingOrder } from "./reading-order.ts";
import { html, joinHtml, type Html } from "../markup/index.ts";

/** The data about a rendered page that outputs need. */
export interface PageOutput {
  readonly page: SitePage;
  readonly rendered: {
    /** The page's Markdown document in UTF-8. Its first line is the title. */
    readonly markdown: Uint8Array;
    readonly problems: readonly Problem[];
    readonly changes?: readonly ChangelogEntry[];
    /** The size of `markdown` in bytes, which is set if accessing `markdown` would read a file. */
    readonly markdownBytes?: number;
  };
  /** A fingerprint of the page's files, including its address and title; undefined if it is unknown. */
  readonly fingerprint?: string | undefined;
}

export interface OutputOptions {
  /** The inline script of redirect pages, which is the same as the layout's. */
  readonly firstScript: FirstScript;
  /**
   * The address at which the bundle will be served, such as `https://docs.example.com/v2`; undefined if the address is
   * unknown.
   */
  readonly baseUrl?: string | undefined;
  /** A hash of the options and of the site without the text of its pages; undefined if it is unknown. */
  readonly siteFingerprint?: string | undefined;
  /** The reading order of the pages, if the caller has already computed it. */
  readonly order?: ReadingOrder | undefined;
  /** The full texts of the pages, if the caller has already computed them. */
  readonly fullTexts?: FullTexts | undefined;
}

/** The contents of `llms-full.txt`. */
export interface FullTexts {
  readonly included: readonly FilePart[];
  /** The number of pages that did not fit. */
  readonly omitted: number;
}

/**
 * Builds files of the bundle from the whole site. It is a pure function: the same site and pages always produce the
 * same bytes, and nothing else is read or written.
 */
export type OutputBuilder = (
  site: Site,
  pages: readonly PageOutput[],
  options: OutputOptions,
) => BundleFile[];

/** Renders an XML document from lines. If there is no base URL, a comment says that addresses are relative. */
export function renderXmlDocument(lines: readonly Html[], baseUrl: string | undefined): Html {
  const note = html`<!-- Exported without a base URL, so addresses are relative to this file. -->`;
  const declaration = html`<?xml version="1.0" encoding="UTF-8"?>`;
  const all = [declaration, ...(baseUrl === undefined ? [note] : []), ...lines, html``];
  return joinHtml(all, html`\n`);
}
