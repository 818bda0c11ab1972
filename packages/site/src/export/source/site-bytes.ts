import { deserialize, serialize } from "node:v8";
import { createLazyList } from "../../core/index.ts";
import type { PageSource } from "../../load/index.ts";
import type { NavDivision } from "../../site/index.ts";

/**
 * Encodes the data that grows with a site, for render children and the source index, as JSON, which costs less than
 * structured clones. If a value cannot be represented in JSON, such as `.inf` in a frontmatter, it is a structured
 * clone. Encoding decoded values gives the same bytes.
 */

/** Encoded pages, each of which can be read alone. */
export interface PageBytes {
  readonly bytes: Uint8Array;
  /** The end of each page; empty for a structured clone. */
  readonly ends: Uint32Array;
}

export function encodePages(pages: readonly PageSource[]): PageBytes {
  let bytes = knownPages.get(pages);
  if (!bytes) {
    bytes = isJson(pages) ? toJson(pages) : { bytes: serialize(pages), ends: new Uint32Array() };
    knownPages.set(pages, bytes);
  }
  return bytes;
}

export function decodePages(from: PageBytes): readonly PageSource[] {
  const pages = decodeValue(from.bytes) as readonly PageSource[];
  knownPages.set(pages, from);
  return pages;
}

/** Reading all pages costs as much as this many accesses to lazy ones. */
const maxLazyUses = 4_096;

/**
 * Returns a function to call for each use of the pages: they are lazy at first, because a render child that renders one
 * page needs few others; later they are an ordinary list, which is faster.
 */
export function createPageList(from: PageBytes): () => readonly PageSource[] {
  const lazy = decodePagesLazily(from);
  let all: readonly PageSource[] | undefined;
  let uses = 0;
  return () => {
    uses += 1;
    if (uses > maxLazyUses) all ??= decodePages(from);
    return all ?? lazy;
  };
}

/** Returns a list in which each page is read on first access. */
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
  let bytes = knownNavigation.get(navigation);
  if (!bytes) {
    bytes = isJson(navigation) ? Buffer.from(toAscii(navigation), "latin1") : serialize(navigation);
    knownNavigation.set(navigation, bytes);
  }
  return bytes;
}

export function decodeNavigation(bytes: Uint8Array): NavDivision {
  const navigation = decodeValue(bytes) as NavDivision;
  knownNavigation.set(navigation, bytes);
  return navigation;
}

const knownPages = new WeakMap<readonly PageSource[], PageBytes>();
const knownNavigation = new WeakMap<NavDivision, Uint8Array>();

function decodeValue(bytes: Uint8Array): unknown {
  return isClone(bytes) ? deserialize(bytes) : readJson(bytes, 0, bytes.length);
}

/** `[` and `{`, with which no structured clone begins. */
const jsonStarts = new Set([0x5b, 0x7b]);

function isClone([first = 0]: Uint8Array): boolean {
  return !jsonStarts.has(first);
}

/** Encodes pages as JSON. A JSON list has a character before and after each entry. */
function toJson(pages: readonly PageSource[]): PageBytes {
  const texts = pages.map(toAscii);
  const ends = new Uint32Array(texts.length);
  let end = 0;
  for (const [index, text] of texts.entries()) {
    end += 1 + text.length;
    ends[index] = end;
  }
  return { bytes: Buffer.from(`[${texts.join(",")}]`, "latin1"), ends };
}

/**
 * Encodes a value as JSON with only ASCII characters: a single other character would double the text's memory when it
 * is read, and the time that takes.
 */
function toAscii(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[^\0-\x7f]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function readJson({ buffer, byteOffset }: Uint8Array, from: number, to: number): unknown {
  return JSON.parse(Buffer.from(buffer, byteOffset + from, to - from).toString("latin1"));
}

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
