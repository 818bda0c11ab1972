import { cleanRelativePath } from "../core/index.ts";

/**
 * JSON pointers (RFC 6901) such as `/paths/~1plants/get`. The empty pointer refers to the whole document. A pointer
 * into another file of a description begins with the name of that file, as in `schemas/plant.yaml#/Plant`.
 */

export function joinPointer(parent: string, key: string | number): string {
  return `${parent}/${escapeKey(String(key))}`;
}

function escapeKey(key: string): string {
  if (!key.includes("~") && !key.includes("/")) return key;
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Returns a pointer into `file`, which is a path or an address. */
export function createFilePointer(file: string, pointer: string): string {
  return `${file.replaceAll("#", "%23")}#${pointer}`;
}

/** Returns the keys of a pointer and, if it refers to another file, that file. */
export function splitPointer(pointer: string): {
  readonly file?: string;
  readonly keys: readonly string[];
} {
  if (pointer === "") return { keys: [] };
  if (pointer.startsWith("/")) return { keys: splitKeys(pointer) };
  const hashIndex = pointer.indexOf("#");
  const file = pointer.slice(0, hashIndex).replaceAll("%23", "#");
  return { file, keys: splitKeys(pointer.slice(hashIndex + 1)) };
}

/** Returns the name that readers see for the value at a pointer: the last key or, for a whole file, the file's name. */
export function getPointerName(pointer: string): string {
  const { file, keys } = splitPointer(pointer);
  const name = keys.at(-1) ?? file ?? "";
  return keys.length > 0 ? name : name.replace(/^.*\//, "").replace(/\.(?:json|ya?ml)$/i, "");
}

function splitKeys(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The target of a `$ref`. */
interface ReferenceTarget {
  /** The path relative to the site's folder, or an address. */
  readonly file: string;
  /** The pointer within that file. */
  readonly pointer: string;
}

/** Resolves a `$ref` in the file `from`. `refused` is the reason for not following it, as the end of a sentence. */
export function resolveReference(
  reference: string,
  from: string,
): ReferenceTarget | { readonly refused: string } {
  const hashIndex = reference.indexOf("#");
  const filePart = hashIndex === -1 ? reference : reference.slice(0, hashIndex);
  const fragment = hashIndex === -1 ? "" : reference.slice(hashIndex + 1);
  if (fragment !== "" && !fragment.startsWith("/")) {
    return { refused: 'which is not a pointer: only fragments that begin with "#/" are followed' };
  }
  const file = filePart === "" ? from : resolveFile(filePart, from);
  if (typeof file !== "string") return file;
  return { file, pointer: decodeText(fragment) };
}

/** Reports whether the location of a description, or of one of its files, is an address rather than a path. */
export function isRemote(location: string): boolean {
  return /^https:\/\//i.test(location);
}

function resolveFile(written: string, from: string): string | { readonly refused: string } {
  const isAddress = /^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(written);
  if (isAddress || isRemote(from)) {
    const url = URL.parse(written, isRemote(from) ? from : undefined);
    return url?.protocol === "https:" ? url.href : { refused: "which is not an https address" };
  }
  const folder = written.startsWith("/") ? "" : from.slice(0, from.lastIndexOf("/") + 1);
  const path = cleanRelativePath(folder + decodeText(written));
  if (path === undefined) return { refused: "which is outside the site's folder" };
  if (/\.(?:json|ya?ml)$/i.test(path)) return path;
  return { refused: "which is not a .json or .yaml file" };
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that does not begin a valid escape sequence is literal.
    return text;
  }
}
