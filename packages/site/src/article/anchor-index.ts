import { letters } from "../site/index.ts";
import { idBesideLayout, layoutIds } from "./layout-ids.ts";

/** The ids of one page, asked by the fragment of a link to it. */
export interface AnchorIndex {
  /** The id at which a link arrives: the fragment itself but for names that the layout has taken. */
  idOf(anchor: string): string | undefined;
  /** The first id that differs from it in signs and case only. */
  suggest(anchor: string): string | undefined;
}

/** @param ids as `PageContent.anchors` has them, in the order of the page */
export function createAnchorIndex(ids: readonly string[]): AnchorIndex {
  const known = new Set(ids);
  return {
    idOf(anchor) {
      const beside = layoutIds.has(anchor) ? idBesideLayout(anchor) : anchor;
      if (known.has(beside)) return beside;
      return known.has(anchor) ? anchor : undefined;
    },
    suggest(anchor) {
      // Wrong anchors are rare, so that no page keeps an index for them.
      const wanted = letters(anchor);
      return wanted === "" ? undefined : ids.find((id) => letters(id) === wanted);
    },
  };
}
