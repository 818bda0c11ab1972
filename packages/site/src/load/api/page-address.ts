import { cleanRelativePath } from "../../core/index.ts";
import type { OperationEntry } from "../../openapi/index.ts";

/** Bytes of a name; file systems allow 255, extension and number included. */
const maxNameBytes = 200;

/**
 * One part of a generated page's path, as published sites have it: `Create a plant` becomes `create-a-plant`,
 * `/plants/{id}/seeds` becomes `plants-seeds`. Accents and letters of other scripts are kept.
 */
export function addressPart(text: string): string {
  const name = text
    .slice(0, maxNameBytes)
    .normalize("NFC")
    .replaceAll(/\{[^{}]*\}/g, "-")
    .replaceAll(/\s/g, "-")
    // What the format removes, and what file names and addresses cannot contain.
    .replaceAll(/[{}(),.'/\\:*?"<>|#%\p{Cc}]/gu, "")
    .replaceAll(/-{2,}/g, "-")
    .toLowerCase();
  return truncate(name.replace(/^-/, "").replace(/-$/, ""));
}

/** A name cut to `maxNameBytes`, without splitting a character. */
function truncate(name: string): string {
  const bytes = Buffer.from(name);
  return bytes.length <= maxNameBytes
    ? name
    : decoder.decode(bytes.subarray(0, maxNameBytes)).replace(/\uFFFD$/, "");
}

const decoder = new TextDecoder();

/** The path of an operation's page below its directory: `plants/create-a-plant`; the folder is the first tag, if any. */
export function operationAddress({ kind, method, path, summary, tag }: OperationEntry): string {
  const unnamed = kind === "webhook" ? addressPart(path) : `${method}-${addressPart(path)}`;
  const own = summary === undefined ? "" : addressPart(summary);
  const folder = tag === undefined ? "" : addressPart(tag);
  return [folder, own === "" ? unnamed : own].filter((part) => part !== "").join("/");
}

/** The page path of an address that an author chose; undefined if it is not valid for a page. */
export function parsePageAddress(href: string): string | undefined {
  const path = cleanRelativePath(href.replace(/\.(?:mdx?|html)$/, ""));
  if (path === undefined || path === "" || /[\p{Cc}#?%:*"<>|]/u.test(path)) return undefined;
  const parts = path.split("/");
  const isUsable = parts.every(
    (part) =>
      !part.startsWith(".") &&
      !/\.(?:html|md)$/i.test(part) &&
      Buffer.byteLength(part) <= maxNameBytes,
  );
  return isUsable && parts[0] !== "_octavo" && parts.length <= maxPathParts ? path : undefined;
}

const maxPathParts = 32;
