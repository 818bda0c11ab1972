import type { IconRenderer } from "../components/index.ts";
import type { LoadedWords } from "../markup/index.ts";
import type { FindCopy } from "../site/index.ts";

export interface LayoutOptions {
  /** Where the bundle will stand, e.g. `https://docs.example.com/manual`: for canonical and preview addresses. */
  readonly baseUrl?: string | undefined;
  /** Product and version, e.g. `Octavo 0.1.0`. */
  readonly generator: string;
  /** Of every language of the site. */
  readonly words: LoadedWords;
  /** Draws the icons of the navigation; there are none where it is absent. */
  readonly icons?: IconRenderer;
  /** Where given, nothing is loaded from other hosts: pictures there are shown from their copies only. */
  readonly copyOf?: FindCopy | undefined;
}
