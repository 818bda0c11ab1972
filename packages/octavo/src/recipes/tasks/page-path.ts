import { getBaseName, getParentFolder } from "@octavo/site/core";
import { getRelativePath } from "@octavo/site/text";

/** Resolves a link's path against its page's folder if the path is relative. */
export function joinPath(folder: string, path: string): string {
  const parts = folder === "" ? [] : folder.split("/");
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/**
 * Normalizes an address to a page's address: without leading and trailing slashes, an extension that a tool may add, or
 * `/index`.
 */
export function normalizeAddress(path: string): string {
  return joinPath("", path)
    .replace(/(?:\.(?:mdx?|markdown|html?|php|aspx|rst|adoc|txt))+$/i, "")
    .replace(/(?:^|(?<=.)\/)(?:index|readme)$/i, "");
}

/** Folds a path to its reliable part, without case and word separators. */
export function foldPathLetters(path: string): string {
  return normalizeAddress(path)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}/]+/gu, "");
}

/**
 * Reports whether a segment is the first of addresses on sites that are served from a folder, or of the newest version.
 */
export function isServingFolder(part: string): boolean {
  return /^(?:docs?|documentation|latest|stable|current|main|www|site|public|pages)$/i.test(part);
}

/** Returns the forms that an address may stand for: normalized, and without prefixes. */
export function listAddressForms(address: string): string[] {
  const usual = address.toLowerCase().replaceAll(/[_\s]+/g, "-");
  const parts = usual.split("/");
  const start = parts.findIndex((part) => !isServingFolder(part));
  const short = parts.slice(Math.max(0, start)).join("/");
  return [...new Set([address, usual, short])];
}

/** Formats a page's path in the link's style: relative or from the root, with or without extension and `/index`. */
export function formatLinkPath(page: string, path: string, file: string): string {
  const keepsIndex = getBaseName(path).startsWith("index");
  const plain = keepsIndex ? page : page.replace(/(?<=.)\/index$/, "");
  const extension = /\.mdx?$/i.exec(path)?.[0].toLowerCase() ?? "";
  const isPlain = path !== "" && !path.startsWith("/") && !path.startsWith(".");
  const folder = getParentFolder(file) === "" ? "" : `${getParentFolder(file)}/`;
  if (isPlain && plain.startsWith(folder)) return `${plain.slice(folder.length)}${extension}`;
  if (!path.startsWith(".")) return `/${plain}${extension}`;
  const way = getRelativePath(getParentFolder(file), plain);
  return `${way.startsWith(".") ? "" : "./"}${way}${extension}`;
}

/** Decodes percent escapes. Returns the text unchanged if they are invalid. */
export function decodeAddress(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
