import { deserialize, serialize } from "node:v8";
import { createLazyList } from "../../core/index.ts";
import type { PageSource } from "../../load/index.ts";
import type { NavDivision } from "../../site/index.ts";

/**
 * Encodes the data that grows with a site, for render children and the source index. The encoding is JSON, which costs
 * less than structured clones. Values that JSON cannot represent, such as `.inf` in frontmatter, are encoded as
 * structured clones. Encoding decoded values gives the same bytes.
 */

/** Encoded pages, each of which can be decoded separately. */
export interface PageBytes {
  readonly bytes: Uint8Array;
  /** The end of each page; empty if the pages are a structured clone. */
  readonly ends: Uint32Array;
}

export function encodePages(pages: readonly PageSource[]): PageBytes {
  let bytes = encodedPages.get(pages);
  if (!bytes) {
    bytes = isJsonValue(pages)
      ? encodeAsJson(pages)
      : { bytes: serialize(pages), ends: new Uint32Array() };
    encodedPages.set(pages, bytes);
  }
  return bytes;
}

export function decodePages(from: PageBytes): readonly PageSource[] {
  const pages = decodeValue(from.bytes) as readonly PageSource[];
  encodedPages.set(pages, from);
  return pages;
}

/** Number of accesses to lazy pages that cost as much as decoding all pages. */
const maxLazyUses = 4_096;

/**
 * Returns a function to call for each use of the pages. The list is lazy at first, because a render child that renders
 * one page needs few other pages. Later it is an ordinary list, which is faster.
 */
export function createPageList(from: PageBytes): () => readonly PageSource[] {
  const lazyPages = decodePagesLazily(from);
  let allPages: readonly PageSource[] | undefined;
  let uses = 0;
  return () => {
    uses += 1;
    if (uses > maxLazyUses) allPages ??= decodePages(from);
    return allPages ?? lazyPages;
  };
}

/** Returns a list in which each page is decoded on first access. */
function decodePagesLazily(from: PageBytes): readonly PageSource[] {
  const { bytes, ends } = from;
  if (isClone(bytes)) return decodePages(from);
  const startOf = (index: number) => (ends[index - 1] ?? 0) + 1;
  return createLazyList(
    ends.length,
    (index) => readJson(bytes, startOf(index), ends[index] ?? 0) as PageSource,
  );
}

export function encodeNavigation(navigation: NavDivision): Uint8Array {
  let bytes = encodedNavigation.get(navigation);
  if (!bytes) {
    bytes = isJsonValue(navigation)
      ? Buffer.from(toAsciiJson(navigation), "latin1")
      : serialize(navigation);
    encodedNavigation.set(navigation, bytes);
  }
  return bytes;
}

export function decodeNavigation(bytes: Uint8Array): NavDivision {
  const navigation = decodeValue(bytes) as NavDivision;
  encodedNavigation.set(navigation, bytes);
  return navigation;
}

const encodedPages = new WeakMap<readonly PageSource[], PageBytes>();
const encodedNavigation = new WeakMap<NavDivision, Uint8Array>();

function decodeValue(bytes: Uint8Array): unknown {
  return isClone(bytes) ? deserialize(bytes) : readJson(bytes, 0, bytes.length);
}

/** The bytes of `[` and `{`. No structured clone begins with them. */
const jsonStarts = new Set([0x5b, 0x7b]);

function isClone([first = 0]: Uint8Array): boolean {
  return !jsonStarts.has(first);
}

/** Encodes pages as JSON. A JSON array has one character before and one after each entry. */
function encodeAsJson(pages: readonly PageSource[]): PageBytes {
  const texts = pages.map(toAsciiJson);
  const ends = new Uint32Array(texts.length);
  let end = 0;
  for (const [index, text] of texts.entries()) {
    end += 1 + text.length;
    ends[index] = end;
  }
  return { bytes: Buffer.from(`[${texts.join(",")}]`, "latin1"), ends };
}

/**
 * Encodes a value as JSON with only ASCII characters: a single other character would double the memory of the string
 * and the decoding time.
 */
function toAsciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[^\0-\x7f]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function readJson({ buffer, byteOffset }: Uint8Array, from: number, to: number): unknown {
  return JSON.parse(Buffer.from(buffer, byteOffset + from, to - from).toString("latin1"));
}

function isJsonValue(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object") return typeof value === "string" || typeof value === "boolean";
  if (value === null) return true;
  if (Array.isArray(value)) return value.every(isJsonValue);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  for (const key in value) if (!isJsonValue((value as Record<string, unknown>)[key])) return false;
  return true;
}
