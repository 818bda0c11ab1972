import { relativePath } from "@octavo/site/text";
import { folderOf, lastPart } from "../pages.ts";

/** Joins a link's path with its page's folder where it is relative by its form. */
export function joinPath(folder: string, path: string): string {
  const parts = folder === "" ? [] : folder.split("/");
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/** An address as pages have it: no slashes at the ends, no extension that some tool writes, no `/index`. */
export function plainAddress(path: string): string {
  return joinPath("", path)
    .replace(/(?:\.(?:mdx?|markdown|html?|php|aspx|rst|adoc|txt))+$/i, "")
    .replace(/(?:^|(?<=.)\/)(?:index|readme)$/i, "");
}

/** A path without what people get wrong: case and signs between words. */
export function pathLetters(path: string): string {
  return plainAddress(path)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}/]+/gu, "");
}

/** Whether addresses begin with it where a site is served below a folder, or in its newest version. */
export function isServingFolder(part: string): boolean {
  return /^(?:docs?|documentation|latest|stable|current|main|www|site|public|pages)$/i.test(part);
}

/** An address, and what it may have been meant to be: in the usual form, without what stands before it. */
export function addressForms(address: string): string[] {
  const usual = address.toLowerCase().replaceAll(/[_\s]+/g, "-");
  const parts = usual.split("/");
  const start = parts.findIndex((part) => !isServingFolder(part));
  const short = parts.slice(Math.max(0, start)).join("/");
  return [...new Set([address, usual, short])];
}

/** A page's path as the link had it: relative or from the root, with or without extension and `/index`. */
export function spell(page: string, path: string, file: string): string {
  const keepsIndex = lastPart(path).startsWith("index");
  const plain = keepsIndex ? page : page.replace(/(?<=.)\/index$/, "");
  const extension = /\.mdx?$/i.exec(path)?.[0].toLowerCase() ?? "";
  const isPlain = path !== "" && !path.startsWith("/") && !path.startsWith(".");
  const folder = folderOf(file) === "" ? "" : `${folderOf(file)}/`;
  if (isPlain && plain.startsWith(folder)) return `${plain.slice(folder.length)}${extension}`;
  if (!path.startsWith(".")) return `/${plain}${extension}`;
  const way = relativePath(folderOf(file), plain);
  return `${way.startsWith(".") ? "" : "./"}${way}${extension}`;
}

/** Text without the escapes of addresses; the same where they are none. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
