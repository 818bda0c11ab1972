import { letters } from "../../site/suggestions.ts";

/** The ids of one page, asked by the fragment of a link to it. */
export interface AnchorIndex {
  has(anchor: string): boolean;
  /** The first id that differs from it in signs and case only. */
  suggest(anchor: string): string | undefined;
}

/** @param ids as `PageContent.anchors` has them, in the order of the page */
export function createAnchorIndex(ids: readonly string[]): AnchorIndex {
  const known = new Set(ids);
  return {
    has: (anchor) => known.has(anchor),
    suggest(anchor) {
      // Wrong anchors are rare, so that no page keeps an index for them.
      const wanted = letters(anchor);
      return wanted === "" ? undefined : ids.find((id) => letters(id) === wanted);
    },
  };
}
