import { deserialize, serialize } from "node:v8";
import type { PageSource } from "../../load/index.ts";

/**
 * Pages as bytes, for render children and the source index: as JSON, which costs less than structured clones. `pagesOf`
 * gives the same pages: where something in them is not of JSON, such as `.inf` in a frontmatter, they are such a clone.
 * Pages that have come from bytes have the same ones.
 */
export function bytesOfPages(pages: readonly PageSource[]): Uint8Array {
  let bytes = known.get(pages);
  if (!bytes) {
    bytes = isJson(pages) ? Buffer.from(JSON.stringify(pages)) : serialize(pages);
    known.set(pages, bytes);
  }
  return bytes;
}

export function pagesOf(bytes: Uint8Array): readonly PageSource[] {
  const isText = bytes[0] === listStart;
  const { buffer, byteOffset, byteLength } = bytes;
  const pages = (
    isText ? JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString()) : deserialize(bytes)
  ) as readonly PageSource[];
  known.set(pages, bytes);
  return pages;
}

const known = new WeakMap<readonly PageSource[], Uint8Array>();

/** `[`, with which no structured clone begins. */
const listStart = 0x5b;

function isJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object") return typeof value === "string" || typeof value === "boolean";
  if (value === null) return true;
  if (Array.isArray(value)) return value.every(isJson);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  for (const key in value) if (!isJson((value as Record<string, unknown>)[key])) return false;
  return true;
}
