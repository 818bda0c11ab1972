/** JSON pointers (RFC 6901): `/paths/~1plants/get`. The empty one points to the whole document. */

export function pointerTo(parent: string, key: string | number): string {
  return `${parent}/${escapeKey(String(key))}`;
}

function escapeKey(key: string): string {
  if (!key.includes("~") && !key.includes("/")) return key;
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

export function pointerKeys(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The pointer of a `$ref` within its own document (`#/components/schemas/Plant`); undefined for all others. */
export function referencePointer(reference: string): string | undefined {
  if (reference === "#") return "";
  if (!reference.startsWith("#/")) return undefined;
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    // A percent sign that does not begin an escape is literal.
    return reference.slice(1);
  }
}
