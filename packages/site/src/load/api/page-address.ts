import { cleanRelativePath } from "../../core/index.ts";
import type { OperationEntry } from "../../openapi/index.ts";

/** Bytes of a name; file systems allow 255, endings and a number included. */
const maxNameBytes = 200;

/**
 * The last part of a generated page's address, and its folder, as published sites have them: `Create a
 * plant` is `create-a-plant`, `get` of `/plants/{id}/seeds` without a summary `get-plants-seeds`. Accents
 * and letters of other scripts stay.
 */
export function addressPart(text: string): string {
  const name = text
    .slice(0, maxNameBytes)
    .normalize("NFC")
    .replaceAll(/\{[^{}]*\}/g, "-")
    .replaceAll(/\s/g, "-")
    // What the format leaves out, and what no file name or address can hold.
    .replaceAll(/[{}(),.'/\\:*?"<>|#%\p{Cc}]/gu, "")
    .replaceAll(/-{2,}/g, "-")
    .toLowerCase();
  return truncate(name.replace(/^-/, "").replace(/-$/, ""));
}

/** What of a name fits, no character cut in two. */
function truncate(name: string): string {
  const bytes = Buffer.from(name);
  return bytes.length <= maxNameBytes
    ? name
    : decoder.decode(bytes.subarray(0, maxNameBytes)).replace(/\uFFFD$/, "");
}

const decoder = new TextDecoder();

/** `plants/create-a-plant`: the folder is that of the first tag; without one there is none. */
export function operationAddress({ kind, method, path, summary, tag }: OperationEntry): string {
  const unnamed = kind === "webhook" ? addressPart(path) : `${method}-${addressPart(path)}`;
  const own = summary === undefined ? "" : addressPart(summary);
  const folder = tag === undefined ? "" : addressPart(tag);
  return [folder, own === "" ? unnamed : own].filter((part) => part !== "").join("/");
}

/** An address that an author chose, as a page's path; undefined where no page can stand there. */
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
