import { join } from "node:path";
import { OctavoError } from "../core/index.ts";
import { createIconRenderer } from "../components/index.ts";
import type { IconRenderer } from "../components/index.ts";
import { copyFinder } from "../site/index.ts";
import type { MediaCopies, RemoteMediaMode, Site } from "../site/index.ts";
import { createRemoteMedia } from "./media/remote-media.ts";
import type { RemoteMedia } from "./media/remote-media.ts";
import { configuredMedia, createLayout } from "../theme/index.ts";
import type { Layout } from "../theme/index.ts";
import type { BundleFolder } from "./bundle-folder.ts";
import type { RenderOptions } from "./render-options.ts";

/** What stands in each page's `<meta name="generator">`. */
export const generator = "Octavo";

/** What the pages and the files around them are made with alike. */
export interface SharedParts {
  readonly layout: Layout;
  readonly icons: IconRenderer;
  readonly baseUrl?: string;
  readonly remoteMedia: RemoteMediaMode;
  /** Addresses of what the layout shows from other hosts, and which of these the bundle has. */
  readonly configured: readonly string[];
  readonly mediaCopies: MediaCopies | undefined;
}

export async function createSharedParts(
  site: Site,
  media: RemoteMedia | undefined,
  options: RenderOptions,
): Promise<SharedParts> {
  const icons = createIconRenderer({ library: site.config.iconLibrary });
  const base = options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl };
  const remoteMedia = options.outDir === undefined ? "keep" : (options.remoteMedia ?? "keep");
  const { pictures, fonts } = configuredMedia(site, icons);
  const configured = media === undefined ? pictures : [...pictures, ...fonts];
  await media?.bring(configured);
  const mediaCopies = media?.copiesOf(configured);
  const copyOf = copyFinder(remoteMedia, mediaCopies);
  const layout = createLayout(site, { generator, icons, copyOf, ...base });
  return { layout, icons, remoteMedia, configured, mediaCopies, ...base };
}

/** What brings files from other hosts into the bundle, where that is wanted. */
export function openMedia(bundle: BundleFolder, options: RenderOptions): RemoteMedia | undefined {
  const { outDir, remoteMedia, cacheDir, signal, fetchRemote = fetchNothing } = options;
  if (outDir === undefined || remoteMedia !== "vendor") return undefined;
  return createRemoteMedia({
    fetchRemote,
    cacheDir: cacheDir === undefined ? undefined : join(cacheDir, "media"),
    write: async (file) => bundle.write(file),
    signal,
  });
}

async function fetchNothing(): Promise<never> {
  throw new OctavoError("forbidden", "nothing may be fetched here");
}
