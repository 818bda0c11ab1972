import { sha256 } from "../../core/index.ts";
import type { SitePage } from "../site/site.ts";

const nameBytes = 100;

/** The index that a page is found in and searches: one for each language and version of a site. */
export function searchIndexName(page: Pick<SitePage, "language" | "version">): string {
  const parts = [page.language, page.version].filter((part) => part !== undefined);
  const name = parts
    .join("-")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.]+/gu, "-");
  const short = name.replace(/^[-.]+|[-.]+$/g, "") || "all";
  // It becomes a folder, and authors may label a version with a sentence.
  return Buffer.byteLength(short) <= nameBytes ? short : sha256(short).slice(0, 16);
}
