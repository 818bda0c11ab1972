import { findInlineTargets } from "./inline-markdown.ts";
import { normalizeRemoteAddress } from "../site/index.ts";
import type { NavDivision, Site } from "../site/index.ts";
import type { SiteIcons } from "./site-icons.ts";

/** The sorted addresses of the layout's images and fonts on other hosts. Pages never load these fonts. */
interface ConfiguredMedia {
  readonly pictures: readonly string[];
  readonly fonts: readonly string[];
}

export function findConfiguredMedia(site: Site, { images }: SiteIcons): ConfiguredMedia {
  const { config } = site;
  const { logo, favicon, background, fonts } = config;
  const schemePairs = [logo, favicon, background.image];
  const pictures = schemePairs.flatMap((pair) => (pair ? [pair.light, pair.dark] : []));
  const inlinePictures = findConfiguredTexts(site).flatMap(
    (text) => findInlineTargets(text).pictures,
  );
  return {
    pictures: listRemoteAddresses([...pictures, ...images, ...inlinePictures]),
    fonts: listRemoteAddresses([fonts?.heading?.source, fonts?.body?.source]),
  };
}

/** Returns the Markdown texts of the configuration: the banners of all languages, and the text of the 404 page. */
export function findConfiguredTexts({
  config,
  navigation,
}: Pick<Site, "config" | "navigation">): readonly string[] {
  const texts = [config.banner?.content, config.notFound.description, ...findBanners(navigation)];
  return [...new Set(texts.filter((text) => text !== undefined))];
}

function findBanners({ overrides, divisions }: NavDivision): readonly string[] {
  const ownBanners = overrides?.banner ? [overrides.banner.content] : [];
  return [...ownBanners, ...divisions.flatMap(findBanners)];
}

function listRemoteAddresses(authoredPaths: readonly (string | undefined)[]): string[] {
  const addresses = authoredPaths.map((path) =>
    path === undefined ? undefined : normalizeRemoteAddress(path),
  );
  return [...new Set(addresses.filter((address) => address !== undefined))].toSorted();
}
