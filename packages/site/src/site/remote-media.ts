/**
 * The methods of showing media on other hosts: load them from those hosts, load a copy in the bundle, or show a link.
 */
export const remoteMediaModes = ["keep", "vendor", "link"] as const;
export type RemoteMediaMode = (typeof remoteMediaModes)[number];

/**
 * Finds the bundle's copy of a file on another host by the result of `normalizeRemoteAddress`. Returns the path of the
 * copy in the bundle, or undefined if there is none, in which case the file must not be shown.
 */
export type FindCopy = (address: string) => string | undefined;

/** Paths of copies in the bundle, keyed by the address from which the copy was fetched. */
export type MediaCopies = Readonly<Record<string, string>>;

/**
 * Normalizes an address on another host and removes its fragment. For example, `//a.example/x.png#y` becomes
 * `https://a.example/x.png`. Returns undefined if it is not an HTTP address or contains a user name.
 */
export function normalizeRemoteAddress(authored: string): string | undefined {
  const text = authored.trim();
  if (!/^(?:https?:)?[/\\]{2}/i.test(text)) return undefined;
  const url = URL.parse(text, "https://localhost");
  if (url === null || url.hostname === "" || url.username !== "") return undefined;
  url.hash = "";
  return url.href;
}

/**
 * Creates a finder that searches `copies` in order. Returns undefined if media are loaded from their own hosts
 * (`keep`).
 */
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
