/**
 * JSON pointers (RFC 6901): `/paths/~1plants/get`. The empty one points to the whole document. A pointer into another
 * file of a description has the file's name before it: `schemas/plant.yaml#/Plant`.
 */

export function pointerTo(parent: string, key: string | number): string {
  return `${parent}/${escapeKey(String(key))}`;
}

function escapeKey(key: string): string {
  if (!key.includes("~") && !key.includes("/")) return key;
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The pointer into the file `file`, a path or an address. */
export function filePointer(file: string, pointer: string): string {
  return `${file.replaceAll("#", "%23")}#${pointer}`;
}

/** The keys of a pointer, and the file that it leads into if that is another one. */
export function splitPointer(pointer: string): {
  readonly file?: string;
  readonly keys: readonly string[];
} {
  if (pointer === "") return { keys: [] };
  if (pointer.startsWith("/")) return { keys: keysOf(pointer) };
  const at = pointer.indexOf("#");
  const file = pointer.slice(0, at).replaceAll("%23", "#");
  return { file, keys: keysOf(pointer.slice(at + 1)) };
}

/** What readers know the value at a pointer by: its last key, else its file's name. */
export function lastPart(pointer: string): string {
  const { file, keys } = splitPointer(pointer);
  const name = keys.at(-1) ?? file ?? "";
  return keys.length > 0 ? name : name.replace(/^.*\//, "").replace(/\.(?:json|ya?ml)$/i, "");
}

function keysOf(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}
