/** How pictures, sounds and films on other hosts are shown: from there, from a copy in the bundle, or as a link. */
export const remoteMediaModes = ["keep", "vendor", "link"] as const;
export type RemoteMediaMode = (typeof remoteMediaModes)[number];

/**
 * The bundle's copy of a file on another host, as its path in the bundle; undefined where there is none, and
 * the file is then not shown. Takes what `remoteAddress` gives.
 */
export type FindCopy = (address: string) => string | undefined;

/** Paths of copies by the addresses that they were fetched from. */
export type MediaCopies = Readonly<Record<string, string>>;

/**
 * The one form of an address on another host, without its fragment: `//a.example/x.png#y` becomes
 * `https://a.example/x.png`. Undefined for what is no address of the web.
 */
export function remoteAddress(authored: string): string | undefined {
  const text = authored.trim();
  if (!/^(?:https?:)?[/\\]{2}/i.test(text)) return undefined;
  const url = URL.parse(text, "https://localhost");
  if (url === null || url.hostname === "" || url.username !== "") return undefined;
  url.hash = "";
  return url.href;
}

/** How a setup finds the copies it was sent; undefined where files are shown from their own hosts. */
export function createCopyFinder(
  mode: RemoteMediaMode,
  ...copies: readonly (MediaCopies | undefined)[]
): FindCopy | undefined {
  if (mode === "keep") return undefined;
  return (address) => {
    const holder = copies.find((map) => map !== undefined && Object.hasOwn(map, address));
    return holder?.[address];
  };
}
