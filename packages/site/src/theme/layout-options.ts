import type { IconRenderer } from "../markup/index.ts";
import type { LoadedWords } from "../markup/index.ts";
import type { RemoteOrigins } from "../core/index.ts";
import type { FindCopy } from "../site/index.ts";
import type { FirstScript } from "./head/first-script.ts";

export interface LayoutOptions {
  /** Address at which the bundle will be served, e.g. `https://docs.example.com/manual`: for canonical and preview links. */
  readonly baseUrl?: string | undefined;
  /** Product and version, e.g. `Octavo 0.1.0`. */
  readonly generator: string;
  /** For every language of the site. */
  readonly words: LoadedWords;
  readonly firstScript: FirstScript;
  /** Renders the icons of the navigation; without it there are none. */
  readonly icons?: IconRenderer;
  /** If given, nothing is loaded from other hosts: of pictures there only copies are shown. */
  readonly copyOf?: FindCopy | undefined;
  /** Hosts that pages may ask for scripts, styles, fonts, frames and data; none if absent. */
  readonly remoteOrigins?: RemoteOrigins | undefined;
  /** The site's style sheets or its layout show pictures from other hosts. */
  readonly hasRemotePictures?: boolean | undefined;
}
