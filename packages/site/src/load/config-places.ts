import { jsonText, itemsOf, membersOf, placeOf, type JsonNode } from "../text/index.ts";
import type { ConfigPlaces } from "../site/index.ts";

/** Members whose text names a page, a file or another site. */
const addresses = new Set(
  "dark default destination favicon href image light link logo root url".split(" "),
);

/** Where the configuration names icons, pages and files: of each name its first place. */
export function findConfigPlaces(config: JsonNode | undefined): ConfigPlaces {
  const places = {
    icons: new Map(),
    addresses: new Map(),
    redirects: new Map(),
  } satisfies ConfigPlaces;
  const pending = config ? [config] : [];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const members = membersOf(node);
    for (const [key, child] of members ?? []) {
      if (key === "icon") add(places.icons, membersOf(child)?.get("name") ?? child);
      else if (key === "source") add(places.redirects, child);
      else if (addresses.has(key)) add(places.addresses, child);
    }
    // The last one is read first.
    pending.push(...[...(members?.values() ?? itemsOf(node) ?? [])].toReversed());
  }
  return places;
}

function add(places: Map<string, ReturnType<typeof placeOf>>, node: JsonNode): void {
  const text = jsonText(node)?.trim();
  if (text !== undefined && !places.has(text)) places.set(text, placeOf(node));
}
