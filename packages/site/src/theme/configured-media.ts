import type { IconRenderer } from "../components/index.ts";
import { remoteAddress } from "../site/index.ts";
import type { Site } from "../site/index.ts";
import { siteIcons } from "./site-icons.ts";

/** Addresses on other hosts of what the layout shows on every page, sorted. Fonts are never loaded from there. */
export interface ConfiguredMedia {
  readonly pictures: readonly string[];
  readonly fonts: readonly string[];
}

export function configuredMedia(site: Site, icons: IconRenderer): ConfiguredMedia {
  const { logo, favicon, background, fonts } = site.config;
  const themed = [logo, favicon, background.image];
  const pictures = themed.flatMap((pair) => (pair ? [pair.light, pair.dark] : []));
  return {
    pictures: addresses([...pictures, ...siteIcons(site, icons).images]),
    fonts: addresses([fonts?.heading?.source, fonts?.body?.source]),
  };
}

function addresses(authored: readonly (string | undefined)[]): string[] {
  const found = authored.map((path) => (path === undefined ? undefined : remoteAddress(path)));
  return [...new Set(found.filter((address) => address !== undefined))].toSorted();
}
