import type { IconRenderer } from "../markup/index.ts";
import type { LoadedWords } from "../markup/index.ts";
import type { RemoteOrigins } from "../core/index.ts";
import type { FindCopy } from "../site/index.ts";
import type { FirstScript } from "./head/first-script.ts";

export interface LayoutOptions {
  /** The address at which the bundle will be served (`https://example.com/manual`), for canonical and preview links. */
  readonly baseUrl?: string | undefined;
  /** Product and version, e.g. `Octavo 0.1.0`. */
  readonly generator: string;
  /** The words for every language of the site. */
  readonly words: LoadedWords;
  readonly firstScript: FirstScript;
  /** Renders the icons of the navigation; if undefined, the navigation has no icons. */
  readonly icons?: IconRenderer;
  /** Finds local copies. If set, nothing is loaded from other hosts: of pictures there, only copies are shown. */
  readonly copyOf?: FindCopy | undefined;
  /** Hosts from which pages may load scripts, styles, fonts, frames and data; none if undefined. */
  readonly remoteOrigins?: RemoteOrigins | undefined;
  /** Whether the site's style sheets or its layout show pictures from other hosts. */
  readonly hasRemotePictures?: boolean | undefined;
}
