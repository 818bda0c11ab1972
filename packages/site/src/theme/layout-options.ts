import type { IconRenderer } from "../markup/index.ts";
import type { LoadedWords } from "../markup/index.ts";
import type { RemoteOrigins } from "../core/index.ts";
import type { FindCopy } from "../site/index.ts";
import type { FirstScript } from "./head/first-script.ts";

export interface LayoutOptions {
  /** The address at which the bundle will be served (`https://example.com/manual`), for canonical and preview links. */
  readonly baseUrl?: string | undefined;
  /** The product and its version, e.g. `Octavo 0.1.0`. */
  readonly generator: string;
  /** The words for every language of the site. */
  readonly words: LoadedWords;
  readonly firstScript: FirstScript;
  /** Renders the icons of the navigation. If undefined, the navigation has no icons. */
  readonly renderIcon?: IconRenderer;
  /**
   * Finds local copies. If set, nothing is loaded from other hosts, and images on other hosts are shown only if there
   * is a copy.
   */
  readonly findCopy?: FindCopy | undefined;
  /** The hosts from which pages may load scripts, styles, fonts, frames and data. Defaults to none. */
  readonly remoteOrigins?: RemoteOrigins | undefined;
  /** Whether the site's style sheets or its layout show images from other hosts. */
  readonly hasRemoteImages?: boolean | undefined;
}
