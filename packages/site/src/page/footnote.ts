import type { Place, TreeNode } from "./tree.ts";

/** A `[^name]: ...` definition, of the page or of a snippet in it. */
export interface Footnote {
  /** As references name it (`identifier` of `footnoteReference`). */
  readonly identifier: string;
  readonly children: readonly TreeNode[];
  readonly place: Place;
}
