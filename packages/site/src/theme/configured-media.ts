import type { IconRenderer } from "../markup/index.ts";
import { remoteAddress } from "../site/index.ts";
import type { Site } from "../site/index.ts";
import { findSiteIcons } from "./site-icons.ts";

/** Sorted addresses of the layout's pictures and fonts on other hosts. Fonts are never loaded from there. */
export interface ConfiguredMedia {
  readonly pictures: readonly string[];
  readonly fonts: readonly string[];
}

export function findConfiguredMedia(site: Site, icons: IconRenderer): ConfiguredMedia {
  const { logo, favicon, background, fonts } = site.config;
  const themed = [logo, favicon, background.image];
  const pictures = themed.flatMap((pair) => (pair ? [pair.light, pair.dark] : []));
  return {
    pictures: remoteAddresses([...pictures, ...findSiteIcons(site, icons).images]),
    fonts: remoteAddresses([fonts?.heading?.source, fonts?.body?.source]),
  };
}

function remoteAddresses(authored: readonly (string | undefined)[]): string[] {
  const found = authored.map((path) => (path === undefined ? undefined : remoteAddress(path)));
  return [...new Set(found.filter((address) => address !== undefined))].toSorted();
}
