import { OctavoError } from "../core/index.ts";
import type { BundleFile } from "../core/index.ts";
import { formatAgentInstructions } from "../outputs/index.ts";
import { loadWords, createIconRenderer, type IconRenderer } from "../markup/index.ts";
import { collectSiteLanguages } from "../site/index.ts";
import type { Site } from "../site/index.ts";
import { findConfiguredMedia, findSiteIcons, readFirstScript } from "../theme/index.ts";
import type { Layout, SiteIcons } from "../theme/index.ts";
import type { BundleFolder } from "./bundle-folder.ts";
import type { ExportCache } from "./cache/export-cache.ts";
import type { ExportSettings, PageSettings } from "./export-settings.ts";
import { readSiteRequests, type SiteRequest } from "./media/site-requests.ts";
import { createRemoteMedia } from "./media/remote-media.ts";
import type { RemoteMedia } from "./media/remote-media.ts";
import { createPageLayout } from "./page/page-layout.ts";
import type { RenderSetup } from "./pool/protocol.ts";

/** The parts shared by all pages and the files built from all pages. */
export interface SharedParts {
  readonly setup: RenderSetup;
  readonly layout: Layout;
  readonly icons: IconRenderer;
  /** Icons of the navigation and of the pages in it. */
  readonly siteIcons: SiteIcons;
  /** Files from other hosts that are copied into the bundle; undefined if no files are copied. */
  readonly media: RemoteMedia | undefined;
  /** Addresses of the remote files that the layout shows. */
  readonly layoutMedia: readonly string[];
  /** Addresses of the remote fonts that the configuration names. */
  readonly remoteFonts: readonly string[];
  /** Remote addresses in the site's own style sheets and scripts. */
  readonly requests: readonly SiteRequest[];
  /** The text that is appended to each page's Markdown. */
  readonly instructions: Uint8Array;
}

/** Creates the shared parts. Copies files from other hosts into the bundle of `targets` if the settings request it. */
export async function createSharedParts(
  site: Site,
  settings: SharedSettings,
  targets?: MediaTargets,
): Promise<SharedParts> {
  const icons = createIconRenderer({ library: site.config.iconLibrary });
  const media = targets && openMedia(settings, targets);
  const siteIcons = findSiteIcons(site, icons);
  const { pictures, fonts } = findConfiguredMedia(site, siteIcons);
  const layoutMedia = media === undefined ? pictures : [...pictures, ...fonts];
  await media?.fetchCopies(layoutMedia);
  const requests = await readSiteRequests(site, settings);
  const hasRemoteImages = pictures.length > 0 || requests.some(({ kind }) => kind === "picture");
  const { baseUrl, remoteMedia, remoteOrigins, isForCheck } = settings;
  const mediaCopies = media?.copiesOf(layoutMedia);
  const [words, firstScript] = await Promise.all([
    loadWords(collectSiteLanguages(site)),
    readFirstScript(),
  ]);
  const remote = { remoteMedia, remoteOrigins, hasRemoteImages, mediaCopies };
  const setup: RenderSetup = { site, words, firstScript, baseUrl, isForCheck, ...remote };
  const layout = createPageLayout(setup, icons);
  return {
    setup,
    layout,
    icons,
    siteIcons,
    media,
    layoutMedia,
    remoteFonts: fonts,
    requests,
    instructions: formatInstructions(site),
  };
}

interface MediaTargets {
  readonly bundle: BundleFolder;
  readonly cache: ExportCache | undefined;
}

type SharedSettings = PageSettings & Pick<ExportSettings, "fetchRemote" | "signal">;

function openMedia(
  { remoteMedia, fetchRemote = fetchNothing, signal }: SharedSettings,
  { bundle, cache }: MediaTargets,
): RemoteMedia | undefined {
  if (remoteMedia !== "vendor") return undefined;
  const write = async (file: BundleFile) => bundle.write(file);
  return createRemoteMedia({ fetchRemote, cache: cache?.media, write, signal });
}

async function fetchNothing(): Promise<never> {
  throw new OctavoError("forbidden", "this export cannot fetch files");
}

function formatInstructions({ config }: Site): Uint8Array {
  const block = formatAgentInstructions(config);
  return Buffer.from(block === undefined ? "" : `\n${block}\n`);
}
