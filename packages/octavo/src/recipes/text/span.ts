/** A part of a page's source that holds words, `[start, end)`. */
export interface Span {
  /**
   * `prose`: what readers read between the markup. `attribute`: a text in a component, e.g. a card's title.
   * `metadata`: a text of the frontmatter. `code`: in fences and between backticks.
   */
  readonly kind: "prose" | "attribute" | "metadata" | "code";
  readonly start: number;
  readonly end: number;
}
