/**
 * What an export found out about links, so that the next one need not resolve those of all pages. Whether a link is
 * sound depends on its page's fingerprint, which covers what pages and files there are, and on the anchors of the page
 * that it leads to. Pages have their numbers in the order of the site's.
 */
export interface KnownLinks {
  /** For each page the hash of its anchors, empty if unknown, as `joinTexts` gives them. */
  readonly anchors: string;
  /** `ExportSettings.checkedAs`; undefined if no such check looked at the links. */
  readonly checkedAs: string | undefined;
  /**
   * For each page its fingerprint if its references have no problem and need no correction, else an empty text, as
   * `joinTexts` gives them.
   */
  readonly sound: string;
  /** The numbers of the pages of which links name an anchor: those of one page after those of another. */
  readonly targets: Uint32Array;
  /** For each page where those of its links end. */
  readonly targetEnds: Uint32Array;
}
