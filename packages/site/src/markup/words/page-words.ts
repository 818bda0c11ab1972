import type { ComponentWords } from "./component-words.ts";

/** What stands in a page's content besides its author's words, in the page's language. */
export interface PageWords extends ComponentWords {
  readonly pictureMissing: string;
  readonly videoMissing: string;
  /** In the place of what only a script could show. */
  readonly interactiveOmitted: string;
  /** Name of a diagram that has none. */
  readonly diagram: string;
  readonly diagramSource: string;
  /** Names of the buttons that enlarge and move a diagram, parted by `|`. */
  readonly diagramControls: string;
  /** Name of the link from a footnote back to where it is referred to; `$` stands for the number. */
  readonly footnoteBack: string;
  /** What a click on a frame of another host does; `$` stands for the host. */
  readonly loadFrom: string;
}
