import type { Place, TreeNode } from "./tree.ts";

/** A `[^name]: ...` definition in the page or in one of its snippets. */
export interface Footnote {
  /** As references name it (`identifier` of `footnoteReference`). */
  readonly identifier: string;
  readonly children: readonly TreeNode[];
  readonly place: Place;
}
