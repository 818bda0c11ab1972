import { normalizeRemoteAddress } from "../site/index.ts";
import type { Site } from "../site/index.ts";
import type { SiteIcons } from "./site-icons.ts";

/** The sorted addresses of the layout's images and fonts on other hosts. Fonts are never loaded from other hosts. */
interface ConfiguredMedia {
  readonly pictures: readonly string[];
  readonly fonts: readonly string[];
}

export function findConfiguredMedia({ config }: Site, { images }: SiteIcons): ConfiguredMedia {
  const { logo, favicon, background, fonts } = config;
  const themed = [logo, favicon, background.image];
  const pictures = themed.flatMap((pair) => (pair ? [pair.light, pair.dark] : []));
  return {
    pictures: remoteAddresses([...pictures, ...images]),
    fonts: remoteAddresses([fonts?.heading?.source, fonts?.body?.source]),
  };
}

function remoteAddresses(authored: readonly (string | undefined)[]): string[] {
  const found = authored.map((path) =>
    path === undefined ? undefined : normalizeRemoteAddress(path),
  );
  return [...new Set(found.filter((address) => address !== undefined))].toSorted();
}
