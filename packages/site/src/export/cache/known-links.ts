/**
 * What an export found out about links, so that the next one need not resolve those of all pages. Whether a link is
 * sound depends on its page's fingerprint, which covers what pages and files there are, and on the anchors of all pages.
 */
export interface KnownLinks {
  /** Hash of the anchors of all pages. */
  readonly anchors: string;
  /** `ExportSettings.checkedAs`; undefined if no such check looked at the links. */
  readonly checkedAs: string | undefined;
  /**
   * For each page its fingerprint if its references have no problem and need no correction, else an empty text, as
   * `joinTexts` gives them.
   */
  readonly sound: string;
}
